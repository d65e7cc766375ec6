// SPDX-License-Identifier: Apache-2.0
// Libraries, options for compiling, and engines, for C.
#include <algorithm>
#include <charconv>
#include <cstddef>

#include "npugraph/api/c_handles.h"
#include "npugraph/base/text.h"

namespace npugraph::c_api {
namespace {

std::vector<PortRow> port_rows(const std::vector<PortDescription>& ports) {
  std::vector<PortRow> rows;
  for (const PortDescription& port : ports) {
    const Shape& shape = port.type.shape;
    PortRow row{port.name, shape.str(), onnx_dtype(port.type.dtype), -1, {}};
    if (shape.ranked()) {
      row.rank = static_cast<int32_t>(shape.rank());
      for (const Dim& dim : shape.dims()) row.dims.push_back(dim.known().value_or(-1));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Status fill_port(std::string_view what, const std::vector<PortRow>& rows, int64_t index,
                 npugraph_port* port) {
  NPU_TRY(check_index(what, index, rows.size()));
  const PortRow& row = rows[static_cast<size_t>(index)];
  const npugraph_port own = {sizeof(own), row.name.c_str(), row.dtype,
                             row.rank,    row.dims.data(),  row.shape.c_str()};
  return write_struct(own, port, "port");
}

Error bad_value(std::string_view name, std::string_view value, std::string expected) {
  return fail(ErrorId::kBadOption, text("option '", name, "' does not take this value"),
              text("'", value, "'"), std::move(expected));
}

Result<int64_t> parse_int(std::string_view name, std::string_view value, int64_t most) {
  int64_t number = -1;
  const char* const end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number < 0 || number > most)
    return bad_value(name, value, text("0..", most));
  return number;
}

constexpr std::string_view kOptionNames =
    "device, opt_level, precise, self_check, dump_passes, order, keep_inputs, minimise_memory, "
    "reuse_buffers";

Status set_option(CompileOptions& options, std::string_view name, std::string_view value) {
  if (name == "device") {
    options.device = value;
  } else if (name == "opt_level") {
    NPU_LET(options.opt_level, parse_int(name, value, CompileOptions::kMaxOptLevel));
  } else if (name == "precise") {
    options.precise.emplace_back(value);
  } else if (name == "self_check") {
    NPU_LET(options.self_check, parse_int(name, value, 1));
  } else if (name == "dump_passes") {
    options.dump_passes = value;
  } else if (name == "order") {
    options.order.emplace_back(value);
  } else if (name == "keep_inputs") {
    options.keep_inputs.emplace_back(value);
  } else if (name == "minimise_memory") {
    NPU_LET(options.minimise_memory, parse_int(name, value, 1));
  } else if (name == "reuse_buffers") {
    NPU_LET(options.reuse_buffers, parse_int(name, value, 1));
  } else {
    return fail(ErrorId::kBadOption, "there is no option of this name", text("'", name, "'"),
                std::string(kOptionNames));
  }
  return ok();
}

/// What all ways to compile share. `compile_it`: (library, options) -> Result<Engine>.
template <class Compile>
npugraph_status compile_to(const npugraph_library* library, const void* source,
                           const char* source_name, const npugraph_compile_options* options,
                           npugraph_engine** engine, Compile&& compile_it) noexcept {
  return guarded([&]() -> Status {
    NPU_TRY(check_not_null(engine, "engine"));
    *engine = nullptr;
    NPU_TRY(check_not_null(library, "library"));
    NPU_TRY(check_not_null(source, source_name));
    const CompileOptions defaults;
    NPU_LET(Engine made,
            compile_it(library->library, options == nullptr ? defaults : options->options));
    *engine = std::make_unique<npugraph_engine>(std::move(made)).release();
    return ok();
  });
}

}  // namespace
}  // namespace npugraph::c_api

using namespace npugraph;         // NOLINT(google-build-using-namespace): the C functions below
using namespace npugraph::c_api;  // NOLINT(google-build-using-namespace)

npugraph_engine::npugraph_engine(Engine made)
    : engine(std::move(made)),
      inputs(port_rows(engine.inputs())),
      outputs(port_rows(engine.outputs())) {}

extern "C" {

npugraph_status npugraph_library_create(const npugraph_library_options* options,
                                        npugraph_library** library) noexcept {
  return guarded([&]() -> Status {
    NPU_TRY(check_not_null(library, "library"));
    *library = nullptr;
    NPU_LET(const npugraph_library_options given, read_struct(options, "options"));
    LibraryOptions wanted;
    if (given.vnpu_hardware != nullptr) wanted.vnpu_hardware = given.vnpu_hardware;
    if (given.plugin_count != 0) NPU_TRY(check_not_null(given.plugins, "options.plugins"));
    for (int64_t i = 0; i < given.plugin_count; ++i) {
      NPU_TRY(check_not_null(given.plugins[i], text("options.plugins[", i, "]")));
      wanted.plugins.emplace_back(given.plugins[i]);
    }
    NPU_LET(Library made, Library::create(wanted));
    std::vector<DeviceDescription> devices = made.devices();
    *library = std::make_unique<npugraph_library>(std::move(made), std::move(devices)).release();
    return ok();
  });
}

void npugraph_library_destroy(npugraph_library* library) noexcept {
  const std::unique_ptr<npugraph_library> owner(library);
}

int64_t npugraph_library_device_count(const npugraph_library* library) noexcept {
  return library == nullptr ? 0 : static_cast<int64_t>(library->devices.size());
}

npugraph_status npugraph_library_device(const npugraph_library* library, int64_t index,
                                        npugraph_device* device) noexcept {
  return guarded([&]() -> Status {
    NPU_TRY(check_not_null(library, "library"));
    NPU_TRY(check_index("device", index, library->devices.size()));
    const DeviceDescription& row = library->devices[static_cast<size_t>(index)];
    const npugraph_device own = {sizeof(own),
                                 row.name.c_str(),
                                 row.description.c_str(),
                                 row.fingerprint.c_str(),
                                 row.firmware.c_str(),
                                 row.host_memory ? 1 : 0,
                                 row.virtual_clock ? 1 : 0};
    return write_struct(own, device, "device");
  });
}

npugraph_status npugraph_compile_options_create(npugraph_compile_options** options) noexcept {
  return guarded([&]() -> Status {
    NPU_TRY(check_not_null(options, "options"));
    *options = nullptr;
    *options = std::make_unique<npugraph_compile_options>().release();
    return ok();
  });
}

void npugraph_compile_options_destroy(npugraph_compile_options* options) noexcept {
  const std::unique_ptr<npugraph_compile_options> owner(options);
}

npugraph_status npugraph_compile_options_set(npugraph_compile_options* options, const char* name,
                                             const char* value) noexcept {
  return guarded([&]() -> Status {
    NPU_TRY(check_not_null(options, "options"));
    NPU_TRY(check_not_null(name, "name"));
    NPU_TRY(check_not_null(value, "value"));
    return set_option(options->options, name, value);
  });
}

npugraph_status npugraph_compile_options_set_shape(npugraph_compile_options* options,
                                                   const char* name, const char* shape) noexcept {
  return guarded([&]() -> Status {
    NPU_TRY(check_not_null(options, "options"));
    NPU_TRY(check_not_null(name, "name"));
    NPU_TRY(check_not_null(shape, "shape"));
    auto parsed = parse_shape(shape);
    if (!parsed) return at(text("shape of input '", name, "'"), std::move(parsed).error());
    options->options.shapes.insert_or_assign(name, *std::move(parsed));
    return ok();
  });
}

npugraph_status npugraph_compile_options_set_pass(npugraph_compile_options* options,
                                                  const char* name, int32_t on) noexcept {
  return guarded([&]() -> Status {
    NPU_TRY(check_not_null(options, "options"));
    NPU_TRY(check_not_null(name, "name"));
    options->options.passes.insert_or_assign(name, on != 0);
    return ok();
  });
}

npugraph_status npugraph_compile_options_set_progress(npugraph_compile_options* options,
                                                      npugraph_progress progress,
                                                      void* user) noexcept {
  return guarded([&]() -> Status {
    NPU_TRY(check_not_null(options, "options"));
    options->options.progress = nullptr;
    if (progress == nullptr) return ok();
    options->options.progress = [progress, user](std::string_view stage, double fraction) {
      return progress(std::string(stage).c_str(), fraction, user) != 0;
    };
    return ok();
  });
}

npugraph_status npugraph_compile_file(const npugraph_library* library, const char* path,
                                      const npugraph_compile_options* options,
                                      npugraph_engine** engine) noexcept {
  return compile_to(library, path, "path", options, engine,
                    [&](const Library& on, const CompileOptions& with) {
                      return compile(on, std::filesystem::path(path), with);
                    });
}

npugraph_status npugraph_compile_bytes(const npugraph_library* library, const void* model,
                                       int64_t size_bytes, const npugraph_compile_options* options,
                                       npugraph_engine** engine) noexcept {
  return compile_to(library, model, "model", options, engine,
                    [&](const Library& on, const CompileOptions& with) -> Result<Engine> {
                      if (size_bytes < 0)
                        return fail(ErrorId::kBadOption, "'size_bytes' is negative",
                                    text(size_bytes), "the number of bytes of the model");
                      const std::span bytes(static_cast<const std::byte*>(model),
                                            static_cast<size_t>(size_bytes));
                      return compile(on, bytes, with);
                    });
}

npugraph_status npugraph_compile_text(const npugraph_library* library, const char* graph,
                                      const npugraph_compile_options* options,
                                      npugraph_engine** engine) noexcept {
  return compile_to(
      library, graph, "graph", options, engine,
      [&](const Library& on, const CompileOptions& with) { return compile_text(on, graph, with); });
}

npugraph_status npugraph_engine_open(const char* path, npugraph_engine** engine) noexcept {
  return guarded([&]() -> Status {
    NPU_TRY(check_not_null(engine, "engine"));
    *engine = nullptr;
    NPU_TRY(check_not_null(path, "path"));
    NPU_LET(Engine opened, Engine::open(path));
    *engine = std::make_unique<npugraph_engine>(std::move(opened)).release();
    return ok();
  });
}

npugraph_status npugraph_engine_save(const npugraph_engine* engine, const char* path) noexcept {
  return guarded([&]() -> Status {
    NPU_TRY(check_not_null(engine, "engine"));
    NPU_TRY(check_not_null(path, "path"));
    return engine->engine.save(path);
  });
}

void npugraph_engine_destroy(npugraph_engine* engine) noexcept {
  const std::unique_ptr<npugraph_engine> owner(engine);
}

int64_t npugraph_engine_input_count(const npugraph_engine* engine) noexcept {
  return engine == nullptr ? 0 : static_cast<int64_t>(engine->inputs.size());
}

int64_t npugraph_engine_output_count(const npugraph_engine* engine) noexcept {
  return engine == nullptr ? 0 : static_cast<int64_t>(engine->outputs.size());
}

npugraph_status npugraph_engine_input(const npugraph_engine* engine, int64_t index,
                                      npugraph_port* port) noexcept {
  return guarded([&]() -> Status {
    NPU_TRY(check_not_null(engine, "engine"));
    return fill_port("input", engine->inputs, index, port);
  });
}

npugraph_status npugraph_engine_output(const npugraph_engine* engine, int64_t index,
                                       npugraph_port* port) noexcept {
  return guarded([&]() -> Status {
    NPU_TRY(check_not_null(engine, "engine"));
    return fill_port("output", engine->outputs, index, port);
  });
}

npugraph_status npugraph_engine_describe(const npugraph_engine* engine,
                                         const char** json) noexcept {
  return guarded([&]() -> Status {
    NPU_TRY(check_not_null(engine, "engine"));
    NPU_TRY(check_not_null(json, "json"));
    const std::scoped_lock lock(engine->mutex);
    if (engine->json.empty()) engine->json = engine->engine.describe_json();
    *json = engine->json.c_str();
    return ok();
  });
}

}  // extern "C"
