// SPDX-License-Identifier: Apache-2.0
#include "npugraph/python/session.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "npugraph/api/npugraph.h"
#include "npugraph/base/text.h"
#include "npugraph/python/arrays.h"
#include "npugraph/python/raise.h"

namespace nb = nanobind;

namespace npugraph::python {
namespace {

using Ports = std::vector<PortDescription>;

std::vector<std::string> names_of(const Ports& ports) {
  std::vector<std::string> names;
  for (const PortDescription& port : ports) names.push_back(port.name);
  return names;
}

/// Refuses keys of `arrays` that are no port. Errors: kBadInputName.
Status check_names(const Ports& ports, const nb::dict& arrays, std::string_view kind) {
  const std::vector<std::string> names = names_of(ports);
  for (const auto& [key, value] : arrays) {
    std::string name;
    if (!nb::try_cast(key, name))
      return fail(ErrorId::kBadInputName, text("the name of an ", kind, " is not a string"),
                  Py_TYPE(key.ptr())->tp_name, join(names));
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string near = nearest(name, names);
    return fail(ErrorId::kBadInputName, text("there is no ", kind, " of this name"),
                text("'", name, "'"), join(names),
                near.empty() ? "" : text("did you mean '", near, "'?"));
  }
  return ok();
}

/// Arrays of a call, with the views that the run gets.
struct Bound {
  std::vector<ArrayView> arrays;  // keep the memory alive
  std::vector<TensorView> views;
};

Result<Bound> bind_inputs(const Ports& ports, const nb::dict& arrays) {
  NPU_TRY(check_names(ports, arrays, "input"));
  Bound bound;
  for (const PortDescription& port : ports) {
    const nb::str key(port.name.c_str());
    if (!arrays.contains(key))
      return fail(ErrorId::kBadInputCount, "an input is missing",
                  text("none for '", port.name, "'"),
                  text("an array for each of ", join(names_of(ports))));
    NPU_LET(ArrayView array, view_array(port.name, arrays[key], port.type, Access::kRead));
    bound.views.push_back(array.view());
    bound.arrays.push_back(std::move(array));
  }
  return bound;
}

/// Views of `out`, null for outputs that it leaves out.
Result<Bound> bind_outputs(const Ports& ports, const nb::dict& out) {
  NPU_TRY(check_names(ports, out, "output"));
  Bound bound;
  for (const PortDescription& port : ports) {
    const nb::str key(port.name.c_str());
    if (!out.contains(key)) {
      bound.views.push_back(TensorView{port.type.dtype, {}, nullptr});
      bound.arrays.emplace_back();
      continue;
    }
    NPU_LET(ArrayView array, view_array(port.name, out[key], port.type, Access::kWrite));
    bound.views.push_back(array.view());
    bound.arrays.push_back(std::move(array));
  }
  return bound;
}

/// A Session that several Python threads may call: they take turns.
class PySession {
 public:
  explicit PySession(Session session) : session_(std::move(session)) {}

  /// function(session) without the GIL: a thread that waits for its turn never holds it.
  template <class Function>
  auto locked(Function function) {
    const nb::gil_scoped_release release;
    const std::scoped_lock lock(mutex_);
    return function(session_);
  }

  nb::dict run(const nb::dict& inputs, const nb::dict& out) {
    const Bound in = value_or_raise(bind_inputs(session_.inputs(), inputs));
    const Bound given = value_or_raise(bind_outputs(session_.outputs(), out));
    const std::vector<Tensor> made =
        value_or_raise(locked([&](Session& held) -> Result<std::vector<Tensor>> {
          NPU_TRY(held.run(in.views, given.views));
          return copy_outputs(given.views);
        }));
    nb::dict result;
    for (size_t i = 0; i < made.size(); ++i) {
      const nb::str key(session_.outputs()[i].name.c_str());
      result[key] = given.views[i].data != nullptr ? nb::object(out[key]) : to_numpy(made[i]);
    }
    return result;
  }

  /// [(name, node, array)] of every value that a task made.
  nb::list run_layers(const nb::dict& inputs) {
    const Bound in = value_or_raise(bind_inputs(session_.inputs(), inputs));
    const std::vector<NamedTensor> made =
        value_or_raise(locked([&](Session& held) { return held.run_layers(in.views); }));
    nb::list rows;
    for (const NamedTensor& value : made)
      rows.append(nb::make_tuple(value.name, value.node, to_numpy(value.tensor)));
    return rows;
  }

  const Ports& inputs() const { return session_.inputs(); }
  const Ports& outputs() const { return session_.outputs(); }

  void prepare(const std::map<std::string, Dims>& shapes) {
    std::vector<Dims> dims;
    for (const PortDescription& port : session_.inputs()) {
      const auto hit = shapes.find(port.name);
      if (hit == shapes.end())
        throw Raised{fail(ErrorId::kBadInputCount, "an input's shape is missing",
                          text("none for '", port.name, "'"),
                          text("a shape for each of ", join(names_of(session_.inputs()))))};
      dims.push_back(hit->second);
    }
    value_or_raise(locked([&](Session& held) { return held.prepare(dims); }));
  }

  nb::dict times() {
    const RunTimes times = locked([](Session& held) { return held.times(); });
    nb::dict busy;
    for (const auto& [device, busy_ns] : times.busy_ns) busy[device.c_str()] = busy_ns;
    nb::dict out;
    out["wall_ns"] = times.wall_ns;
    out["virtual_ns"] = times.virtual_ns;
    out["busy_ns"] = busy;
    return out;
  }

  nb::dict counters() {
    const SessionCounters counters = locked([](Session& held) { return held.counters(); });
    nb::dict out;
    out["device_allocations"] = counters.device_allocations;
    out["arena_bytes"] = counters.arena_bytes;
    out["late_bytes"] = counters.late_bytes;
    out["prepared_plans"] = counters.prepared_plans;
    out["copies"] = counters.copies;
    out["copied_bytes"] = counters.copied_bytes;
    return out;
  }

 private:
  /// Outputs leave the session's memory, which the next run writes; given ones are in place.
  Result<std::vector<Tensor>> copy_outputs(const std::vector<TensorView>& given) const {
    std::vector<Tensor> made;
    for (size_t i = 0; i < session_.outputs().size(); ++i) {
      if (given[i].data != nullptr) {
        made.emplace_back();
        continue;
      }
      const TensorView& view = session_.output(static_cast<int64_t>(i));
      NPU_LET(Tensor copy,
              Tensor::copy(view.dtype, view.dims, {view.data, static_cast<size_t>(view.bytes())}));
      made.push_back(std::move(copy));
    }
    return made;
  }

  Session session_;
  std::mutex mutex_;  // guards session_
};

/// Arrays bound to a session: looked at, checked and prepared for once, then run with many times.
class PyBinding {
 public:
  PyBinding(PySession& session, const nb::dict& inputs, const nb::dict& out)
      : session_(session),
        in_(value_or_raise(bind_inputs(session.inputs(), inputs))),
        out_(value_or_raise(bind_outputs(session.outputs(), out))) {
    for (const PortDescription& port : session.inputs())
      inputs_[port.name.c_str()] = inputs[port.name.c_str()];
    add_outputs(out);
    value_or_raise(
        session_.locked([&](Session& held) { return held.check(in_.views, out_.views); }));
  }

  /// The outputs: the same arrays each time, but for those whose size only running tells.
  nb::dict run() {
    std::vector<Tensor> late =
        value_or_raise(session_.locked([&](Session& held) { return run_and_copy_late(held); }));
    if (late.empty()) return outputs_;
    nb::dict result;
    size_t next = 0;
    for (size_t i = 0; i < out_.views.size(); ++i) {
      const nb::str key(session_.outputs()[i].name.c_str());
      if (out_.views[i].data != nullptr)
        result[key] = outputs_[key];
      else
        result[key] = to_numpy(late[next++]);
    }
    return result;
  }

  nb::dict inputs() const { return inputs_; }
  nb::dict outputs() const { return outputs_; }

 private:
  /// Arrays for the outputs that `given` leaves out, where their size is known.
  void add_outputs(const nb::dict& given) {
    std::vector<Dims> in_dims;
    for (const TensorView& view : in_.views) in_dims.push_back(view.dims);
    const auto dims =
        value_or_raise(session_.locked([&](Session& held) { return held.output_dims(in_dims); }));
    for (size_t i = 0; i < dims.size(); ++i) {
      const PortDescription& port = session_.outputs()[i];
      const nb::str key(port.name.c_str());
      if (out_.views[i].data != nullptr) {
        outputs_[key] = given[key];
      } else if (dims[i]) {
        Tensor made = value_or_raise(Tensor::zeros(port.type.dtype, *dims[i]));
        outputs_[key] = to_numpy(made);
        out_.views[i] = made.view();
        out_.arrays[i] = ArrayView(made.view(), std::make_shared<Tensor>(std::move(made)));
      }
    }
  }

  Result<std::vector<Tensor>> run_and_copy_late(Session& held) const {
    NPU_TRY(held.run(in_.views, out_.views));
    std::vector<Tensor> late;
    for (size_t i = 0; i < out_.views.size(); ++i) {
      if (out_.views[i].data != nullptr) continue;
      const TensorView& view = held.output(static_cast<int64_t>(i));
      NPU_LET(Tensor copy,
              Tensor::copy(view.dtype, view.dims, {view.data, static_cast<size_t>(view.bytes())}));
      late.push_back(std::move(copy));
    }
    return late;
  }

  PySession& session_;  // kept alive by nanobind
  Bound in_, out_;
  nb::dict inputs_, outputs_;
};

}  // namespace

void bind_session(nb::module_& module) {
  nb::class_<PySession>(module, "Session")
      .def("__init__",
           [](PySession* place, const Library& library, const Engine& engine, int64_t threads,
              bool planned_memory, int64_t late_limit_bytes) {
             Session session = value_or_raise([&] {
               const nb::gil_scoped_release release;
               return Session::create(library, engine,
                                      {.threads = threads,
                                       .planned_memory = planned_memory,
                                       .late_limit_bytes = late_limit_bytes});
             }());
             std::construct_at(place, std::move(session));
           })
      .def("run", &PySession::run)
      .def("run_layers", &PySession::run_layers)
      .def("prepare", &PySession::prepare)
      .def("times", &PySession::times)
      .def("counters", &PySession::counters);
  nb::class_<PyBinding>(module, "Binding")
      .def(nb::init<PySession&, const nb::dict&, const nb::dict&>(), nb::keep_alive<1, 2>())
      .def("run", &PyBinding::run)
      .def_prop_ro("inputs", &PyBinding::inputs)
      .def_prop_ro("outputs", &PyBinding::outputs);
}

}  // namespace npugraph::python
