// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "npugraph/base/result.h"
#include "npugraph/ops/attrs.h"
#include "npugraph/tensor/tensor.h"

namespace npugraph {

/// A set of dtypes as a bit mask.
struct DTypeSet {
  uint32_t bits = 0;
  constexpr bool has(DType dtype) const { return (bits >> static_cast<int>(dtype)) & 1u; }
  constexpr DTypeSet operator|(DTypeSet other) const { return {bits | other.bits}; }
  constexpr bool operator==(const DTypeSet&) const = default;
  /// "float16, float32, float64"
  std::string str() const;
};
constexpr DTypeSet types(std::initializer_list<DType> list) {
  DTypeSet set;
  for (const DType dtype : list) set.bits |= 1u << static_cast<int>(dtype);
  return set;
}
inline constexpr DTypeSet kFloatTypes =
    types({DType::kF16, DType::kBF16, DType::kF32, DType::kF64});
inline constexpr DTypeSet kIntTypes = types({DType::kU8, DType::kI8, DType::kU16, DType::kI16,
                                             DType::kU32, DType::kI32, DType::kU64, DType::kI64});
inline constexpr DTypeSet kNumberTypes = kFloatTypes | kIntTypes;
inline constexpr DTypeSet kBoolType = types({DType::kBool});
inline constexpr DTypeSet kI64Type = types({DType::kI64});
inline constexpr DTypeSet kIndexTypes = types({DType::kI32, DType::kI64});
inline constexpr DTypeSet kDataTypes = kNumberTypes | kBoolType;  // whatever can be moved
inline constexpr DTypeSet kAllTypes = {0xffffffffu};              // 4-bit and 8-bit floats as well

enum class Arity : uint8_t { kOne, kOptional, kVariadic };

/// One input of an operator. Inputs of one `group` ("T") share their dtype. A variadic input comes
/// last and stands for any number (at least one unless `min_count` says otherwise).
struct InputSchema {
  std::string_view name;
  DTypeSet dtypes = kAllTypes;
  Arity arity = Arity::kOne;
  std::string_view group = {};
  int64_t min_count = 1;
};

/// One output; a trailing `optional` one may be left out by a node.
struct OutputSchema {
  std::string_view name;
  Arity arity = Arity::kOne;
};

/// One attribute. `fallback` absent and not required: the attribute may be missing.
struct AttrSchema {
  std::string_view name;
  AttrKind kind = AttrKind::kInt;
  std::optional<AttrValue> fallback = std::nullopt;
  bool required = false;
  int64_t min = std::numeric_limits<int64_t>::min();  // of an int, and of each of ints
  int64_t max = std::numeric_limits<int64_t>::max();
  std::vector<std::string_view> choices = {};  // of a string; empty: anything
};

/// What is known of an input when types are inferred.
struct InferInput {
  const TensorType* type = nullptr;           // null: an optional input that is absent
  const std::vector<Dim>* content = nullptr;  // the elements of a small integer tensor, if known
  const Tensor* constant = nullptr;           // the data, if known

  bool present() const { return type != nullptr; }
  /// The elements as integers, from `content` or `constant`; nothing when unknown.
  std::optional<std::vector<Dim>> ints() const;
};

/// The type of an output, and for a small integer tensor its elements where they are known: shape
/// arithmetic (Shape, Gather, Concat, Mul, …) is carried through as expressions.
struct InferOutput {
  TensorType type;
  std::optional<std::vector<Dim>> content = std::nullopt;
};

/// Longest tensor whose content is tracked.
inline constexpr int64_t kMaxContent = 1024;

struct InferContext {
  std::span<const InferInput> in;
  const Attrs& attrs;
  int64_t output_count = 1;
  std::string_view node_name = {};

  bool has(int64_t index) const {
    return index < static_cast<int64_t>(in.size()) && in[static_cast<size_t>(index)].present();
  }
  const TensorType& type(int64_t index) const { return *in[static_cast<size_t>(index)].type; }
  const Shape& shape(int64_t index) const { return type(index).shape; }
  /// A dimension that only running the node can tell: a symbol named "late.<node>.<index>".
  Dim late_dim(int64_t index) const;
};
/// Arguments of a reference implementation: concrete, dense tensors. `out` views have the inferred
/// types and never overlap `in`.
struct RunContext {
  Views in;
  Views out;
  const Attrs& attrs;
  bool has(int64_t index) const {
    return index < static_cast<int64_t>(in.size()) && !in[static_cast<size_t>(index)].absent();
  }
};

/// What running a node costs, for rooflines and reports.
struct Work {
  double flops = 0;
  double bytes = 0;  // read and written
};

enum class OpClass : uint8_t { kTensor, kNn, kMath, kExt };

/// One logical operator: everything the rest of the product knows about it. Names and semantics
/// are those of the newest ONNX opset; front ends normalise older ones.
struct OpSchema {
  std::string_view name;         // "Softmax"
  std::string_view domain = {};  // "" is ai.onnx; "com.microsoft"; "npugraph"
  OpClass op_class = OpClass::kNn;
  std::string_view doc;                     // one formula or sentence
  std::vector<std::string_view> onnx = {};  // ONNX operators that become this one
  std::vector<std::string_view> aten = {};  // ATen operators that become this one
  std::vector<InputSchema> inputs = {};
  std::vector<OutputSchema> outputs = {{"Y"}};
  std::vector<AttrSchema> attrs = {};
  std::vector<std::string_view> subgraphs = {};  // names of nested graphs: "then_branch", "body"
  bool is_view = false;                          // output 0 is input 0's bytes under another shape
  bool is_elementwise = false;  // out[i] needs only element i of the (broadcast) inputs
  bool is_deterministic = true;

  /// Types (and contents) of the outputs. Called with ranked inputs only, after check_inputs().
  /// With every `constant` given it must return concrete types: that is how late shapes are
  /// resolved at run time. Null for control flow, which ir/infer.h handles.
  Result<std::vector<InferOutput>> (*infer)(const InferContext&) = nullptr;

  /// Plain loops, sums in double: slow, and right for every dtype that the schema takes. Never
  /// throws; an index that points outside, and the like, is an error, not a crash.
  Status (*reference)(const RunContext&) noexcept = nullptr;

  /// Cost for concrete types; null: bytes in and out, one flop an output element.
  Work (*work)(std::span<const TensorType> in, std::span<const TensorType> out,
               const Attrs&) = nullptr;

  int64_t min_inputs() const;
  int64_t max_inputs() const;  // int64 max when variadic
  int64_t min_outputs() const;
  int64_t max_outputs() const;
  const AttrSchema* find_attr(std::string_view attr) const;
};

/// Fills in defaults and checks names, kinds, ranges and choices against the schema.
/// Errors: kBadAttribute naming the attribute, what was found and the legal range.
Status complete_attrs(const OpSchema& schema, Attrs& attrs);

/// Checks number, presence, dtype and grouping of the inputs. Errors: kBadArity, kDTypeMismatch.
Status check_inputs(const OpSchema& schema, std::span<const InferInput> in, int64_t output_count);

/// check_inputs(), then infer(); when an input is unranked, unranked outputs of the dtype that the
/// operator gives. Errors: those, and the operator's own.
Result<std::vector<InferOutput>> infer_outputs(const OpSchema& schema, const InferContext& context);

/// Concrete output types for concrete inputs. constants: the input data where it decides the
/// output's size (an empty span: none). Errors: kUnknownDim when a size depends on data not given.
Result<std::vector<TensorType>> infer_concrete(const OpSchema& schema, const Attrs& attrs,
                                               std::span<const TensorView> in,
                                               int64_t output_count);

/// Cost by the schema's work(), or its default. All types concrete.
Work work_of(const OpSchema& schema, std::span<const TensorType> in,
             std::span<const TensorType> out, const Attrs& attrs);

/// All operators, in the order of op_list.inc.
std::span<const OpSchema> all_ops();
/// Null when there is none of this name.
const OpSchema* find_op(std::string_view domain, std::string_view name);

}  // namespace npugraph
