// SPDX-License-Identifier: Apache-2.0
// Tensors and sessions, for C.
#include <cstddef>

#include "npugraph/api/c_handles.h"
#include "npugraph/base/text.h"

namespace npugraph::c_api {
namespace {

// Fields that every version of npugraph_tensor has.
constexpr size_t kTensorLeast = offsetof(npugraph_tensor, rank) + sizeof(int32_t);

/// Element `index` of an array of the caller's tensors, whatever their size.
const npugraph_tensor* tensor_at(const npugraph_tensor* tensors, int64_t index) {
  const auto step = static_cast<int64_t>(tensors->struct_size);
  return reinterpret_cast<const npugraph_tensor*>(reinterpret_cast<const char*>(tensors) +
                                                  index * step);
}

/// Errors: kNotContiguous naming the tensor.
Status check_row_major(std::string_view name, const npugraph_tensor& tensor) {
  if (tensor.strides == nullptr) return ok();
  int64_t wanted = 1;
  for (int64_t axis = tensor.rank - 1; axis >= 0; --axis) {
    const int64_t dim = tensor.dims[axis];
    if (dim == 0) return ok();
    if (dim != 1 && tensor.strides[axis] != wanted)
      return fail(ErrorId::kNotContiguous, text(name, " is not row-major"),
                  text("stride ", tensor.strides[axis], " of axis ", axis), text(wanted),
                  "copy it to memory without gaps first");
    wanted *= dim;
  }
  return ok();
}

/// Copies dims into `dims`, which keeps its memory. Errors: kNullArgument, kBadTensor,
/// kSizeOverflow.
Status read_dims(std::string_view name, const npugraph_tensor& tensor, DType dtype, Dims& dims) {
  constexpr int32_t kMaxRank = 64;
  if (tensor.rank < 0 || tensor.rank > kMaxRank)
    return fail(ErrorId::kBadTensor, text("rank of ", name), text(tensor.rank),
                text("0..", kMaxRank));
  if (tensor.rank != 0 && tensor.dims == nullptr)
    return check_not_null(tensor.dims, text(name, ".dims"));
  dims.assign(tensor.dims, tensor.dims + tensor.rank);
  for (const int64_t dim : dims)
    if (dim < 0)
      return fail(ErrorId::kBadTensor, text("dims of ", name), dims_str(dims),
                  "sizes of 0 or more");
  if (const auto bytes = dense_bytes(dtype, dims); !bytes) return at(name, bytes.error());
  return ok();
}

/// One of the caller's tensors as a view. `need_data`: null data of a tensor with elements fails.
Status read_tensor(std::string_view name, const npugraph_tensor& tensor, bool need_data,
                   TensorView& view) {
  const std::optional<DType> dtype = dtype_from_onnx(tensor.dtype);
  if (!dtype)
    return fail(ErrorId::kBadTensor, text("dtype of ", name), text(tensor.dtype),
                "a number of NPUGRAPH_DTYPE_");
  view.dtype = *dtype;
  view.data = static_cast<std::byte*>(tensor.data);
  NPU_TRY(read_dims(name, tensor, *dtype, view.dims));
  NPU_TRY(check_row_major(name, tensor));
  if (need_data && view.absent()) return check_not_null(tensor.data, text(name, ".data"));
  return ok();
}

Status check_count(std::string_view what, int64_t count, size_t expected) {
  if (count == static_cast<int64_t>(expected)) return ok();
  return fail(ErrorId::kBadInputCount, text("number of ", what), text(count), text(expected));
}

/// Calls `use(i, tensor)` with each tensor of an array, checked and at this version's size.
template <class Use>
Status each_tensor(std::string_view what, const npugraph_tensor* tensors, int64_t count,
                   Use&& use) {
  if (count != 0) NPU_TRY(check_not_null(tensors, what));
  for (int64_t i = 0; i < count; ++i) {
    const npugraph_tensor* const given = tensor_at(tensors, i);
    if (given->struct_size != tensors->struct_size)
      return fail(ErrorId::kBadOption, text(what, "[", i, "].struct_size differs from that of [0]"),
                  text(given->struct_size), text(tensors->struct_size));
    NPU_LET(const npugraph_tensor tensor, read_struct(given, what, kTensorLeast));
    NPU_TRY(use(static_cast<size_t>(i), tensor));
  }
  return ok();
}

npugraph_tensor tensor_of(const TensorView& view) {
  return {sizeof(npugraph_tensor), view.data,
          view.dims.data(),        nullptr,
          onnx_dtype(view.dtype),  static_cast<int32_t>(view.rank())};
}

Status read_inputs(npugraph_session& session, const npugraph_tensor* inputs, int64_t count) {
  const auto& ports = session.session.inputs();
  NPU_TRY(check_count("inputs", count, ports.size()));
  session.inputs.resize(ports.size());
  return each_tensor(
      "inputs", inputs, count, [&](size_t i, const npugraph_tensor& tensor) -> Status {
        // The name is composed for the message alone: composing allocates.
        NPU_TRY_AT(text("input '", ports[i].name, "'"),
                   read_tensor("an input", tensor, /*need_data=*/true, session.inputs[i]));
        return ok();
      });
}

/// Leaves nothing to be written when there are no outputs: session.outputs keeps its memory.
Status read_outputs(npugraph_session& session, const npugraph_tensor* outputs, int64_t count) {
  const auto& ports = session.session.outputs();
  if (outputs == nullptr && count == 0) return ok();
  NPU_TRY(check_count("outputs", count, ports.size()));
  session.outputs.resize(ports.size());
  return each_tensor("outputs", outputs, count,
                     [&](size_t i, const npugraph_tensor& tensor) -> Status {
                       TensorView& view = session.outputs[i];
                       view.data = nullptr;
                       if (tensor.data == nullptr) return ok();
                       NPU_TRY_AT(text("output '", ports[i].name, "'"),
                                  read_tensor("an output", tensor, /*need_data=*/true, view));
                       return ok();
                     });
}

}  // namespace
}  // namespace npugraph::c_api

using namespace npugraph;         // NOLINT(google-build-using-namespace): the C functions below
using namespace npugraph::c_api;  // NOLINT(google-build-using-namespace)

extern "C" {

const char* npugraph_dtype_name(int32_t dtype) noexcept {
  const std::optional<DType> known = dtype_from_onnx(dtype);
  return known ? dtype_name(*known).data() : "";  // made from literals, which end in zero
}

npugraph_status npugraph_session_create(const npugraph_library* library,
                                        const npugraph_engine* engine,
                                        const npugraph_session_options* options,
                                        npugraph_session** session) noexcept {
  return guarded([&]() -> Status {
    NPU_TRY(check_not_null(session, "session"));
    *session = nullptr;
    NPU_TRY(check_not_null(library, "library"));
    NPU_TRY(check_not_null(engine, "engine"));
    NPU_LET(const npugraph_session_options given, read_struct(options, "options"));
    if (given.threads < 0 || given.late_limit_bytes < 0)
      return fail(ErrorId::kBadOption, "a session option is negative",
                  text("threads ", given.threads, ", late_limit_bytes ", given.late_limit_bytes),
                  "0 or more");
    if (given.reserved != 0)
      return fail(ErrorId::kBadOption, "'options.reserved' is not 0", text(given.reserved), "0",
                  "set the struct to zero first, then its struct_size");
    RunOptions wanted;
    wanted.threads = given.threads;
    if (given.late_limit_bytes != 0) wanted.late_limit_bytes = given.late_limit_bytes;
    wanted.planned_memory = given.unplanned_memory == 0;
    NPU_LET(Session made, Session::create(library->library, engine->engine, wanted));
    *session = std::make_unique<npugraph_session>(npugraph_session{std::move(made)}).release();
    return ok();
  });
}

void npugraph_session_destroy(npugraph_session* session) noexcept {
  const std::unique_ptr<npugraph_session> owner(session);
}

npugraph_status npugraph_session_prepare(npugraph_session* session, const npugraph_tensor* inputs,
                                         int64_t input_count) noexcept {
  return guarded([&]() -> Status {
    NPU_TRY(check_not_null(session, "session"));
    const auto& ports = session->session.inputs();
    NPU_TRY(check_count("inputs", input_count, ports.size()));
    session->input_dims.resize(ports.size());
    const auto read_one = [&](size_t i, const npugraph_tensor& given) -> Status {
      NPU_TRY_AT(text("input '", ports[i].name, "'"),
                 read_dims("an input", given, ports[i].type.dtype, session->input_dims[i]));
      return ok();
    };
    NPU_TRY(each_tensor("inputs", inputs, input_count, read_one));
    return session->session.prepare(session->input_dims);
  });
}

npugraph_status npugraph_session_run(npugraph_session* session, const npugraph_tensor* inputs,
                                     int64_t input_count, const npugraph_tensor* outputs,
                                     int64_t output_count) noexcept {
  return guarded([&]() -> Status {
    NPU_TRY(check_not_null(session, "session"));
    session->ran = false;
    NPU_TRY(read_inputs(*session, inputs, input_count));
    NPU_TRY(read_outputs(*session, outputs, output_count));
    const Views outputs_given(session->outputs.data(), static_cast<size_t>(output_count));
    NPU_TRY(session->session.run(session->inputs, outputs_given));
    session->ran = true;
    return ok();
  });
}

npugraph_status npugraph_session_output(const npugraph_session* session, int64_t index,
                                        npugraph_tensor* tensor) noexcept {
  return guarded([&]() -> Status {
    NPU_TRY(check_not_null(session, "session"));
    NPU_TRY(check_index("output", index, session->session.outputs().size()));
    if (!session->ran)
      return fail(ErrorId::kBadOption, "there is no output yet", "a session that did not run",
                  "a run that succeeded", "run the session first");
    return write_struct(tensor_of(session->session.output(index)), tensor, "tensor");
  });
}

npugraph_status npugraph_session_times(const npugraph_session* session,
                                       npugraph_run_times* times) noexcept {
  return guarded([&]() -> Status {
    NPU_TRY(check_not_null(session, "session"));
    const RunTimes found = session->session.times();
    const npugraph_run_times own = {sizeof(own), found.wall_ns, found.virtual_ns};
    return write_struct(own, times, "times");
  });
}

npugraph_status npugraph_session_busy_ns(const npugraph_session* session, const char* name,
                                         int64_t* busy_ns) noexcept {
  return guarded([&]() -> Status {
    NPU_TRY(check_not_null(session, "session"));
    NPU_TRY(check_not_null(name, "name"));
    NPU_TRY(check_not_null(busy_ns, "busy_ns"));
    *busy_ns = 0;
    for (const auto& [device, busy] : session->session.times().busy_ns)
      if (device == name) *busy_ns = busy;
    return ok();
  });
}

}  // extern "C"
