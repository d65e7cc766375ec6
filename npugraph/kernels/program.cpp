// SPDX-License-Identifier: Apache-2.0
#include "npugraph/kernels/program.h"

#include <algorithm>
#include <limits>

#include "npugraph/base/text.h"
#include "npugraph/kernels/program.pb.h"

namespace npugraph {
namespace {

Error invalid(std::string what, std::string found = {}, std::string expected = {}) {
  return fail(ErrorId::kProgramInvalid, std::move(what), std::move(found), std::move(expected));
}

void put(pb::CpuAttribute& out, const AttrValue& value) {
  out.set_kind(static_cast<int32_t>(kind_of(value)));
  switch (kind_of(value)) {
    case AttrKind::kInt:
      out.set_i(std::get<int64_t>(value));
      return;
    case AttrKind::kFloat:
      out.set_f(std::get<double>(value));
      return;
    case AttrKind::kString:
      out.set_s(std::get<std::string>(value));
      return;
    case AttrKind::kInts:
      for (const int64_t item : std::get<Ints>(value)) out.add_ints(item);
      return;
    case AttrKind::kFloats:
      for (const double item : std::get<Floats>(value)) out.add_floats(item);
      return;
    case AttrKind::kStrings:
      for (const std::string& item : std::get<Strings>(value)) out.add_strings(item);
      return;
    case AttrKind::kTensor: {
      const Tensor& tensor = std::get<Tensor>(value);
      out.set_dtype(onnx_dtype(tensor.dtype()));
      for (const int64_t dim : tensor.dims()) out.add_ints(dim);
      out.set_s(tensor.bytes().data(), tensor.bytes().size());
      return;
    }
  }
}

Result<AttrValue> get(const pb::CpuAttribute& in) {
  if (in.kind() < 0 || in.kind() > static_cast<int32_t>(AttrKind::kTensor))
    return invalid("unknown kind of attribute", text(in.kind()));
  switch (static_cast<AttrKind>(in.kind())) {
    case AttrKind::kInt:
      return AttrValue(int64_t{in.i()});
    case AttrKind::kFloat:
      return AttrValue(in.f());
    case AttrKind::kString:
      return AttrValue(in.s());
    case AttrKind::kInts:
      return AttrValue(Ints(in.ints().begin(), in.ints().end()));
    case AttrKind::kFloats:
      return AttrValue(Floats(in.floats().begin(), in.floats().end()));
    case AttrKind::kStrings:
      return AttrValue(Strings(in.strings().begin(), in.strings().end()));
    case AttrKind::kTensor: {
      const auto dtype = dtype_from_onnx(in.dtype());
      if (!dtype) return invalid("unknown dtype of an attribute", text(in.dtype()));
      NPU_LET(Tensor tensor, Tensor::copy(*dtype, Dims(in.ints().begin(), in.ints().end()),
                                          std::as_bytes(std::span(in.s()))));
      return AttrValue(std::move(tensor));
    }
  }
  return invalid("unknown kind of attribute");
}

Result<ProgramInput> get(const pb::CpuInput& in, int64_t weight_count) {
  if (in.kind() < 0 || in.kind() > static_cast<int32_t>(ProgramInput::Kind::kPacked))
    return invalid("unknown kind of input", text(in.kind()));
  ProgramInput input{static_cast<ProgramInput::Kind>(in.kind()), in.index(), {}};
  if (input.kind == ProgramInput::Kind::kWeight && (in.index() < 0 || in.index() >= weight_count))
    return invalid("an input names a weight that is not there", text(in.index()));
  if (input.kind == ProgramInput::Kind::kRuntime && (in.index() < 0 || in.index() >= (1 << 20)))
    return invalid("an input's number is out of range", text(in.index()));
  if (input.kind != ProgramInput::Kind::kPacked) return input;
  const auto dtype = dtype_from_onnx(in.dtype());
  if (!dtype) return invalid("unknown dtype of an input", text(in.dtype()));
  const Dims dims(in.dims().begin(), in.dims().end());
  NPU_TRY(dense_bytes(*dtype, dims));
  input.type = {*dtype, Shape(dims)};
  return input;
}

}  // namespace

std::string save_program(const KernelProgram& program) {
  pb::CpuProgram out;
  out.set_domain(std::string(program.schema->domain));
  out.set_op(std::string(program.schema->name));
  out.set_kernel(std::string(program.kernel->name));
  out.set_isa(std::string(isa_name(program.isa)));
  for (const auto& [name, value] : program.attrs) {
    pb::CpuAttribute& row = *out.add_attributes();
    row.set_name(name);
    put(row, value);
  }
  for (const ProgramInput& input : program.inputs) {
    pb::CpuInput& row = *out.add_inputs();
    row.set_kind(static_cast<int32_t>(input.kind));
    row.set_index(input.index);
    if (input.kind != ProgramInput::Kind::kPacked) continue;
    row.set_dtype(onnx_dtype(input.type.dtype));
    const Dims dims = *input.type.shape.known();
    for (const int64_t dim : dims) row.add_dims(dim);
  }
  out.set_output_count(program.output_count);
  out.set_packed_first(program.packed_first);
  out.set_packed_count(program.packed_count);
  out.set_complete(true);
  return out.SerializeAsString();
}

Result<KernelProgram> load_program(std::span<const std::byte> code, int64_t weight_count) {
  pb::CpuProgram in;
  if (code.size() > static_cast<size_t>(std::numeric_limits<int>::max()) ||
      !in.ParseFromArray(code.data(), static_cast<int>(code.size())) || !in.complete())
    return invalid("a cpu program cannot be parsed", text(code.size(), " bytes"));
  KernelProgram program;
  program.schema = find_op(in.domain(), in.op());
  if (program.schema == nullptr || program.schema->reference == nullptr)
    return invalid("a cpu program names an operator that this library lacks",
                   text(in.domain(), "::", in.op()));
  program.kernel = find_kernel_by_name(in.kernel(), in.domain(), in.op());
  if (program.kernel == nullptr)
    return invalid("a cpu program names a kernel that this library lacks", in.kernel());
  NPU_LET(program.isa, parse_isa(in.isa()));
  for (const pb::CpuAttribute& row : in.attributes()) {
    NPU_LET(AttrValue value, get(row));
    program.attrs.set(row.name(), std::move(value));
  }
  NPU_TRY(complete_attrs(*program.schema, program.attrs));
  for (const pb::CpuInput& row : in.inputs()) {
    NPU_LET(ProgramInput input, get(row, weight_count));
    program.inputs.push_back(std::move(input));
  }
  program.output_count = in.output_count();
  program.packed_first = in.packed_first();
  program.packed_count = in.packed_count();
  if (program.output_count < program.schema->min_outputs() ||
      program.output_count > program.schema->max_outputs())
    return invalid("number of outputs of a cpu program", text(program.output_count));
  if (program.packed_first < 0 || program.packed_count < 0 || program.packed_first > weight_count ||
      program.packed_count > weight_count - program.packed_first)
    return invalid("packed weights of a cpu program are not there");
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const auto& packed = program.kernel->packed_inputs;
    const bool known =
        program.packed_count > 0 &&
        std::find(packed.begin(), packed.end(), static_cast<int64_t>(i)) != packed.end();
    if (program.inputs[i].kind == ProgramInput::Kind::kPacked && !known)
      return invalid("an input is packed that its kernel does not pack", text(i));
  }
  return program;
}

}  // namespace npugraph
