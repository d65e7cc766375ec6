// SPDX-License-Identifier: Apache-2.0
// The compiled half of the Python package: thin, with plain arguments. The package around it
// (npugraph/python/npugraph) has the documentation, the defaults and the types.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <vector>

#include "npugraph/api/npugraph.h"
#include "npugraph/base/text.h"
#include "npugraph/python/arrays.h"
#include "npugraph/python/held.h"
#include "npugraph/python/interpret.h"
#include "npugraph/python/passes.h"
#include "npugraph/python/raise.h"
#include "npugraph/python/session.h"

namespace nb = nanobind;

namespace npugraph::python {
namespace {

using ShapeWords = std::map<std::string, std::vector<std::string>>;

struct CompileArguments {
  std::string device;
  ShapeWords shapes;
  int64_t opt_level = 2;
  std::vector<std::string> precise;
  std::map<std::string, bool> passes;
  bool self_check = false;
  std::string dump_passes;
  std::vector<std::string> order;
  std::vector<std::string> keep_inputs;
  bool minimise_memory = true;
  bool reuse_buffers = true;
  nb::object progress;  // None, or called with (stage, fraction)
};

Result<CompileOptions> options_of(const CompileArguments& arguments) {
  CompileOptions options;
  options.device = arguments.device;
  options.opt_level = arguments.opt_level;
  options.precise = arguments.precise;
  options.self_check = arguments.self_check;
  options.dump_passes = arguments.dump_passes;
  options.order = arguments.order;
  options.keep_inputs = arguments.keep_inputs;
  options.minimise_memory = arguments.minimise_memory;
  options.reuse_buffers = arguments.reuse_buffers;
  options.passes.insert(arguments.passes.begin(), arguments.passes.end());
  for (const auto& [name, words] : arguments.shapes) {
    std::vector<Dim> dims;
    for (const std::string& word : words) {
      auto dim = Dim::parse(word);
      if (!dim || (dim->is_static() && dim->value() < 0))
        return at(text("shapes['", name, "']"),
                  fail(ErrorId::kBadOption, "not a dim", text("'", word, "'"),
                       "a number of at least 0 or the name of a symbol"));
      dims.push_back(*std::move(dim));
    }
    options.shapes.emplace(name, Shape(std::move(dims)));
  }
  // Called without the GIL. A Python exception (of the callback, or KeyboardInterrupt) stays set
  // in this thread and ends the work.
  options.progress = [held = std::make_shared<HeldObject>(arguments.progress)](
                         std::string_view stage, double fraction) {
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) return false;
    if (held->object().is_none()) return true;
    try {
      const nb::object answer = held->object()(nb::str(stage.data(), stage.size()), fraction);
      return !answer.is(Py_False);
    } catch (nb::python_error& error) {
      error.restore();
      return false;
    }
  };
  return options;
}

Engine compile_model(const Library& library, const nb::bytes& model, bool is_path,
                     const CompileArguments& arguments) {
  const CompileOptions options = value_or_raise(options_of(arguments));
  return value_or_rethrow([&] {
    const std::string_view content(model.c_str(), model.size());
    const nb::gil_scoped_release release;
    if (is_path) return compile(library, std::filesystem::path(content), options);
    return compile(library, std::as_bytes(std::span(content)), options);
  }());
}

/// models: (name, path or content, whether it is a path)
Engine compile_models(const Library& library,
                      const std::vector<std::tuple<std::string, nb::bytes, bool>>& models,
                      const CompileArguments& arguments) {
  const CompileOptions options = value_or_raise(options_of(arguments));
  std::vector<MergedModel> rows;
  for (const auto& [name, model, is_path] : models) {
    const std::string_view content(model.c_str(), model.size());
    if (is_path)
      rows.push_back({name, std::filesystem::path(content), {}});
    else
      rows.push_back({name, {}, std::as_bytes(std::span(content))});
  }
  return value_or_rethrow([&] {
    const nb::gil_scoped_release release;
    return merge(library, rows, options);
  }());
}

std::filesystem::path path_of(const nb::bytes& path) {
  return std::filesystem::path(std::string_view(path.c_str(), path.size()));
}

nb::dict optimise_model(const Library& library, const nb::bytes& model, const nb::bytes& output,
                        const CompileArguments& arguments) {
  const CompileOptions options = value_or_raise(options_of(arguments));
  Result<OptimiseReport> optimised = [&] {
    const std::filesystem::path from = path_of(model), to = path_of(output);
    const nb::gil_scoped_release release;
    return optimise(library, from, to, options);
  }();
  const OptimiseReport report = value_or_rethrow(std::move(optimised));
  const std::string data = report.data.string();
  nb::dict out;
  out["nodes_before"] = report.nodes_before;
  out["nodes_after"] = report.nodes_after;
  out["changes"] = report.changes;
  out["data"] = nb::bytes(data.data(), data.size());
  return out;
}

/// judge: called with each Engine, says whether it is good; what it raises passes.
nb::tuple bisect_model(const Library& library, const nb::bytes& model, const nb::object& judge,
                       const CompileArguments& arguments) {
  const CompileOptions options = value_or_raise(options_of(arguments));
  const EngineJudge is_good = [&](const Engine& engine) -> Result<bool> {
    const nb::gil_scoped_acquire gil;
    try {
      return nb::cast<bool>(nb::bool_(judge(nb::cast(engine))));
    } catch (nb::python_error& error) {
      error.restore();
      return fail(ErrorId::kCancelled, "the search was ended by an exception");
    }
  };
  Result<PassBisection> found = [&] {
    const std::filesystem::path path = path_of(model);
    const nb::gil_scoped_release release;
    return bisect_passes(library, path, is_good, options);
  }();
  const PassBisection row = value_or_rethrow(std::move(found));
  return nb::make_tuple(row.calls, row.call, row.pass_name, row.diff);
}

/// [(name, dtype, shape)], where shape is a tuple of numbers and expressions, or None.
nb::list ports_list(const std::vector<PortDescription>& ports) {
  nb::list rows;
  for (const PortDescription& port : ports) {
    const std::string_view dtype = dtype_name(port.type.dtype);
    rows.append(nb::make_tuple(port.name, nb::str(dtype.data(), dtype.size()),
                               dims_object(port.type.shape)));
  }
  return rows;
}

nb::list devices_list(const Library& library) {
  nb::list rows;
  for (const DeviceDescription& device : library.devices())
    rows.append(nb::make_tuple(device.name, device.description, device.fingerprint, device.firmware,
                               device.host_memory, device.virtual_clock));
  return rows;
}

nb::list operators_list() {
  nb::list rows;
  for (const OperatorDescription& op : operators())
    rows.append(nb::make_tuple(op.name, op.domain, op.op_class, op.doc, op.onnx, op.aten, op.native,
                               op.inputs, op.outputs, op.attributes));
  return rows;
}

nb::list check_model(const Library& library, const nb::bytes& model,
                     const CompileArguments& arguments) {
  const CompileOptions options = value_or_raise(options_of(arguments));
  auto checked = [&] {
    const std::filesystem::path path = path_of(model);
    const nb::gil_scoped_release release;
    return check(library, path, options);
  }();
  nb::list rows;
  for (const CheckRow& row : value_or_rethrow(std::move(checked)))
    rows.append(nb::make_tuple(row.name, row.path, row.domain, row.op, row.device, row.kernel,
                               row.reason, row.found, row.allowed, row.signs));
  return rows;
}

nb::dict random_dict(const std::vector<PortDescription>& ports, uint64_t seed, int64_t open_dim) {
  nb::dict arrays;
  const std::vector<Tensor> tensors = value_or_raise(random_inputs(ports, seed, open_dim));
  for (size_t i = 0; i < ports.size(); ++i) arrays[ports[i].name.c_str()] = to_numpy(tensors[i]);
  return arrays;
}

nb::dict times_dict(const CompileTimes& times) {
  nb::dict out;
  out["read_us"] = times.read_us;
  out["optimise_us"] = times.optimise_us;
  out["lower_us"] = times.lower_us;
  out["write_us"] = times.write_us;
  out["total_us"] = times.total_us();
  return out;
}

void bind_compile(nb::module_& module) {
  nb::class_<CompileArguments>(module, "CompileArguments")
      .def(nb::init<>())
      .def_rw("device", &CompileArguments::device)
      .def_rw("shapes", &CompileArguments::shapes)
      .def_rw("opt_level", &CompileArguments::opt_level)
      .def_rw("precise", &CompileArguments::precise)
      .def_rw("passes", &CompileArguments::passes)
      .def_rw("self_check", &CompileArguments::self_check)
      .def_rw("dump_passes", &CompileArguments::dump_passes)
      .def_rw("order", &CompileArguments::order)
      .def_rw("keep_inputs", &CompileArguments::keep_inputs)
      .def_rw("minimise_memory", &CompileArguments::minimise_memory)
      .def_rw("reuse_buffers", &CompileArguments::reuse_buffers)
      .def_rw("progress", &CompileArguments::progress, nb::arg("callback").none());
  module.def("compile", &compile_model);
  module.def("merge", &compile_models);
  module.def("check", &check_model);
  module.def("optimise", &optimise_model);
  module.def("bisect_passes", &bisect_model);
}

/// Errors that the Python half finds itself, in the form that all have.
void bind_errors(nb::module_& module) {
  module.def("fail",
             [](int number, const std::string& what, const std::string& place,
                const std::string& found, const std::string& expected, const std::string& fix) {
               Error error = fail(static_cast<ErrorId>(number), what, found, expected, fix);
               error.place = place;
               throw Raised{std::move(error)};
             });
  module.def("nearest", [](const std::string& word, const std::vector<std::string>& words) {
    return nearest(word, words);
  });
}

void bind_library(nb::module_& module) {
  nb::class_<Library>(module, "Library")
      .def_static("create",
                  [](const std::vector<nb::bytes>& plugins, const nb::bytes& vnpu_hardware) {
                    LibraryOptions options;
                    for (const nb::bytes& plugin : plugins)
                      options.plugins.push_back(path_of(plugin));
                    options.vnpu_hardware = path_of(vnpu_hardware);
                    return value_or_raise(Library::create(options));
                  })
      .def("devices", &devices_list);
}

void bind_engine(nb::module_& module) {
  nb::class_<Engine>(module, "Engine")
      .def_static("open",
                  [](const nb::bytes& path) { return value_or_raise(Engine::open(path_of(path))); })
      .def("save",
           [](const Engine& engine, const nb::bytes& path) {
             const std::filesystem::path target = path_of(path);
             Status status = [&] {
               const nb::gil_scoped_release release;
               return engine.save(target);
             }();
             value_or_raise(std::move(status));
           })
      .def("inputs", [](const Engine& engine) { return ports_list(engine.inputs()); })
      .def("outputs", [](const Engine& engine) { return ports_list(engine.outputs()); })
      .def("describe_json",
           [](const Engine& engine) {
             const std::string described = engine.describe_json();
             return nb::bytes(described.data(), described.size());
           })
      .def("times", [](const Engine& engine) { return times_dict(engine.times()); })
      .def("random_inputs", [](const Engine& engine, uint64_t seed, int64_t open_dim) {
        return random_dict(engine.inputs(), seed, open_dim);
      });
}

}  // namespace
}  // namespace npugraph::python

NB_MODULE(_npugraph, module) {
  using namespace npugraph::python;  // NOLINT: the body of this module's function
  module.attr("__version__") = std::string(npugraph::version());
  nb::set_leak_warnings(false);  // a module's default library lives until the process ends
  install_error_translator();
  bind_errors(module);
  bind_library(module);
  bind_engine(module);
  bind_compile(module);
  bind_session(module);
  bind_interpret(module);
  bind_passes(module);
  module.def("operators", &operators_list);
}
