// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "npugraph/ops/op.h"

/// What the operators share: integers known at inference, axes, index arithmetic, moving elements.
namespace npugraph {

// ---- Inference --------------------------------------------------------------------------------

/// No tensor can be larger: the user half of a 64-bit address space.
inline constexpr int64_t kMaxTensor_bytes = int64_t{1} << 47;

/// Elements of input `index` as expressions; nothing when it is absent or not known.
std::optional<std::vector<Dim>> ints_of(const InferContext& context, int64_t index);
/// The same, when every element is a number.
std::optional<Ints> numbers_of(const InferContext& context, int64_t index);

/// Errors: kShapeMismatch for a negative dim, kSizeOverflow above kMaxTensor_bytes. Symbolic dims
/// pass.
Status check_type(const TensorType& type);

/// One checked output (see check_type). The content is kept when the dtype is an integer or bool
/// and it has as many elements as the shape says, at most kMaxContent.
Result<std::vector<InferOutput>> one_output(DType dtype, Shape shape,
                                            std::optional<std::vector<Dim>> content = std::nullopt);
/// Drops a content that breaks the rule above.
InferOutput with_content(TensorType type, std::optional<std::vector<Dim>> content);

/// A shape that running the node decides: `rank` late dims, or unranked when that is not a number.
/// Errors: kShapeMismatch above kMaxRank.
inline constexpr int64_t kMaxRank = 64;
Result<Shape> late_shape(const InferContext& context, const Dim& rank);

/// Whether a == b, or a < b, for all values of the symbols; nothing when that depends on them.
std::optional<bool> dims_equal(const Dim& a, const Dim& b);
std::optional<bool> dim_less(const Dim& a, const Dim& b);
/// Errors: kShapeMismatch when both are numbers and differ. `what` names the two.
Status match_dims(const Dim& a, const Dim& b, std::string_view what);
/// Errors: kShapeMismatch when the shape cannot be that of one number: [], [1], [1, 1], …
Status check_scalar(const Shape& shape, std::string_view what);
/// Errors: kShapeMismatch when a list of axes has more than one dimension.
Status check_list(const Shape& shape, std::string_view what);

/// Contents of the outputs of an operator that only moves elements of the inputs for which
/// `is_moved`: its reference is run on the elements' places, then places are read as expressions. A
/// zero that the reference makes up is 0. Nothing for an output whose inputs are not all known.
void move_contents(const InferContext& context, Status (*reference)(const RunContext&) noexcept,
                   bool (*is_moved)(int64_t input), std::vector<InferOutput>& outputs);

// ---- Axes -------------------------------------------------------------------------------------

/// Each axis counted from the front. Errors: kAxisOutsideRank; kBadAttribute for one given twice.
Result<Ints> wrap_axes(const Ints& axes, int64_t rank);
/// The wrapped axes of input `index`: empty when it is absent, nothing when its data is not known.
Result<std::optional<Ints>> axes_of(const InferContext& context, int64_t index, int64_t rank);
Result<Ints> axes_of(const RunContext& context, int64_t index, int64_t rank);
/// What a Reduce operator reduces, sorted: `axes` (wrapped), or when there are none, every axis (or
/// none with noop_with_empty_axes).
Ints reduction_axes(Ints axes, int64_t rank, bool noop_with_empty_axes);

// ---- Running ----------------------------------------------------------------------------------

inline size_t at_index(int64_t index) { return static_cast<size_t>(index); }

/// All elements of an integer tensor.
Ints ints_of(const TensorView& view);
/// The only element of a tensor. Errors: kShapeMismatch when it has another number of elements.
Result<int64_t> scalar_of(const TensorView& view, std::string_view what);

/// Steps between neighbours along each axis of a dense tensor, in elements.
Dims strides_of(const Dims& dims);
/// Strides to read a dense tensor of `from` as if it had the shape `to`, to which it broadcasts:
/// 0 along axes that are repeated.
Dims broadcast_strides(const Dims& from, const Dims& to);
/// Product of dims[first, last); dims have been checked.
int64_t product(const Dims& dims, int64_t first, int64_t last);
inline int64_t product(const Dims& dims) {
  return product(dims, 0, static_cast<int64_t>(dims.size()));
}

/// Counts a negative index from the end. Errors: kIndexOutOfRange unless -length <= index < length.
Result<int64_t> wrap_index(int64_t index, int64_t length);

/// Errors: kShapeMismatch when `view` has other dims: a size known late was not what it should be.
Status check_dims(const TensorView& view, const Dims& dims);

/// Walks all indices of `dims` in row-major order, and for each list of strides the element offset:
///   for (Odometer at(y.dims, {sa, sb}); !at.done(); at.next())
///     y.store(at.count(), a.load(at.offset(0)) + b.load(at.offset(1)));
class Odometer {
 public:
  explicit Odometer(const Dims& dims, std::vector<Dims> strides = {});

  bool done() const { return count_ == total_; }
  void next();
  /// How many indices came before: the offset in a dense tensor of `dims`.
  int64_t count() const { return count_; }
  const Dims& index() const { return index_; }
  int64_t offset(size_t which) const { return offsets_[which]; }

 private:
  Dims dims_, index_;
  std::vector<Dims> strides_;
  std::vector<int64_t> offsets_;
  int64_t count_ = 0, total_ = 0;
};

/// Moves elements of any dtype, 4-bit ones too; both tensors have dtypes of the same size.
void copy_elements(const TensorView& from, int64_t from_index, const TensorView& to,
                   int64_t to_index, int64_t count = 1);
/// to[i] = from[offset + index . strides] for the i-th index of `dims` in row-major order.
void copy_strided(const TensorView& from, int64_t offset, const Dims& dims, const Dims& strides,
                  const TensorView& to);
/// All bytes. Errors: kShapeMismatch when the sizes differ.
Status copy_all(const TensorView& from, const TensorView& to);

/// Cost of moving every output element once: a read and a write.
Work move_work(std::span<const TensorType> in, std::span<const TensorType> out, const Attrs&);
/// Cost of an output that is the input's bytes under another shape.
Work no_work(std::span<const TensorType> in, std::span<const TensorType> out, const Attrs&);

}  // namespace npugraph
