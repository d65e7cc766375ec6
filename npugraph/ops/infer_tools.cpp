// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ops/infer_tools.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "npugraph/base/text.h"

namespace npugraph {
namespace {

bool holds_ints(DType dtype) { return is_integer(dtype) || dtype == DType::kBool; }

/// Places of an input's elements, or its numbers, as a tensor for move_contents().
std::optional<Tensor> stand_in(const InferInput& input, DType dtype, const std::vector<Dim>& values,
                               int64_t first_place) {
  const auto dims = input.type->shape.known();
  if (!dims) return std::nullopt;
  const auto count = element_count(*dims);
  if (!count || *count != static_cast<int64_t>(values.size())) return std::nullopt;
  auto tensor = Tensor::zeros(dtype, *dims);
  if (!tensor) return std::nullopt;
  const TensorView view = tensor->mutable_view();
  for (int64_t i = 0; i < *count; ++i) {
    if (first_place > 0)
      view.store_int(i, first_place + i);
    else if (const auto number = values[at_index(i)].known())
      view.store_int(i, *number);
    else
      return std::nullopt;
  }
  return *std::move(tensor);
}

/// An output whose content could be known.
bool wants_content(const InferOutput& output) {
  const auto dims = output.type.shape.known();
  if (!dims || !holds_ints(output.type.dtype)) return false;
  const auto count = element_count(*dims);
  return count && *count <= kMaxContent;
}

template <class T>
void copy_rows(const TensorView& from, int64_t offset, const Dims& dims, const Dims& strides,
               const TensorView& to) {
  const int64_t length = dims.empty() ? 1 : dims.back();
  const int64_t step = dims.empty() ? 1 : strides.back();
  Dims outer = dims, outer_strides = strides;
  if (!outer.empty()) outer.pop_back(), outer_strides.pop_back();
  const std::byte* source = from.data;
  std::byte* target = to.data;
  constexpr auto kWidth = static_cast<int64_t>(sizeof(T));
  for (Odometer row(outer, {outer_strides}); !row.done() && length > 0; row.next()) {
    const std::byte* first = source + (offset + row.offset(0)) * kWidth;
    if (step == 1) {
      std::memcpy(target, first, static_cast<size_t>(length * kWidth));
    } else {
      for (int64_t i = 0; i < length; ++i)
        std::memcpy(target + i * kWidth, first + i * step * kWidth, sizeof(T));
    }
    target += length * kWidth;
  }
}

}  // namespace

std::optional<std::vector<Dim>> ints_of(const InferContext& context, int64_t index) {
  if (!context.has(index)) return std::nullopt;
  return context.in[at_index(index)].ints();
}

std::optional<Ints> numbers_of(const InferContext& context, int64_t index) {
  const auto dims = ints_of(context, index);
  if (!dims) return std::nullopt;
  Ints out;
  out.reserve(dims->size());
  for (const Dim& dim : *dims) {
    const auto number = dim.known();
    if (!number) return std::nullopt;
    out.push_back(*number);
  }
  return out;
}

Status check_type(const TensorType& type) {
  for (const Dim& dim : type.shape.dims())
    if (dim.known().value_or(0) < 0)
      return fail(ErrorId::kShapeMismatch, "an output dimension would be negative",
                  type.shape.str(), "dimensions of 0 or more");
  auto dims = type.shape.known();
  if (!dims) return ok();
  // Without its zeros: no product of some of an empty tensor's dims may overflow either.
  std::erase(*dims, 0);
  NPU_LET(const int64_t length_bytes, dense_bytes(type.dtype, *dims));
  if (length_bytes > kMaxTensor_bytes)
    return fail(ErrorId::kSizeOverflow, "a tensor is too large",
                text(type.str(), ", ", length_bytes, " bytes"),
                text("at most ", kMaxTensor_bytes, " bytes"));
  return ok();
}

InferOutput with_content(TensorType type, std::optional<std::vector<Dim>> content) {
  InferOutput output{std::move(type), std::nullopt};
  if (!content || !wants_content(output)) return output;
  const auto count = element_count(*output.type.shape.known());
  if (count && *count == static_cast<int64_t>(content->size())) output.content = std::move(content);
  return output;
}

Result<std::vector<InferOutput>> one_output(DType dtype, Shape shape,
                                            std::optional<std::vector<Dim>> content) {
  TensorType type{dtype, std::move(shape)};
  NPU_TRY(check_type(type));
  return std::vector<InferOutput>{with_content(std::move(type), std::move(content))};
}

Result<Shape> late_shape(const InferContext& context, const Dim& rank) {
  const auto number = rank.known();
  if (!number) return Shape::unranked();
  if (*number > kMaxRank)
    return fail(ErrorId::kShapeMismatch, "an output has too many dimensions", text(*number),
                text("at most ", kMaxRank));
  std::vector<Dim> dims;
  for (int64_t axis = 0; axis < *number; ++axis) dims.push_back(context.late_dim(axis));
  return Shape(std::move(dims));
}

std::optional<bool> dims_equal(const Dim& a, const Dim& b) {
  if (a == b) return true;
  const Dim gap = a - b;
  if ((gap - Dim(1)).is_nonnegative() || (b - a - Dim(1)).is_nonnegative()) return false;
  return std::nullopt;
}

std::optional<bool> dim_less(const Dim& a, const Dim& b) {
  if ((b - a - Dim(1)).is_nonnegative()) return true;
  if ((a - b).is_nonnegative()) return false;
  return std::nullopt;
}

Status match_dims(const Dim& a, const Dim& b, std::string_view what) {
  if (a.is_static() && b.is_static() && a != b)
    return fail(ErrorId::kShapeMismatch, text(what, " differ"), text(a, " and ", b),
                "equal dimensions");
  return ok();
}

Status check_scalar(const Shape& shape, std::string_view what) {
  for (const Dim& dim : shape.dims())
    if (dim.known().value_or(1) != 1)
      return fail(ErrorId::kShapeMismatch, text(what, " is not one number"), shape.str(),
                  "one element");
  return ok();
}

Status check_list(const Shape& shape, std::string_view what) {
  if (shape.rank() <= 1) return ok();
  return fail(ErrorId::kShapeMismatch, text("rank of ", what), shape.str(), "one dimension");
}

void move_contents(const InferContext& context, Status (*reference)(const RunContext&) noexcept,
                   bool (*is_moved)(int64_t input), std::vector<InferOutput>& outputs) {
  if (!std::all_of(outputs.begin(), outputs.end(), wants_content)) return;
  std::vector<Dim> places = {Dim(0)};  // place 0: a zero that the reference makes up
  std::vector<Tensor> tensors(context.in.size());
  std::vector<TensorView> in(context.in.size(), no_tensor());
  for (size_t i = 0; i < in.size(); ++i) {
    if (!context.in[i].present()) continue;
    const auto values = context.in[i].ints();
    if (!values) return;
    const bool moved = is_moved(static_cast<int64_t>(i));
    auto tensor = stand_in(context.in[i], moved ? DType::kI64 : context.in[i].type->dtype, *values,
                           moved ? static_cast<int64_t>(places.size()) : 0);
    if (!tensor) return;
    if (moved) places.insert(places.end(), values->begin(), values->end());
    tensors[i] = *std::move(tensor);
    in[i] = tensors[i].view();
  }
  std::vector<Tensor> results;
  std::vector<TensorView> out;
  for (const InferOutput& output : outputs) {
    auto tensor = Tensor::zeros(DType::kI64, *output.type.shape.known());
    if (!tensor) return;
    results.push_back(*std::move(tensor));
    out.push_back(results.back().view());
  }
  if (!reference({in, out, context.attrs})) return;  // the error comes where the node runs
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].content.emplace();
    for (const int64_t place : results[i].as<int64_t>())
      outputs[i].content->push_back(places[at_index(place)]);
  }
}

Result<Ints> wrap_axes(const Ints& axes, int64_t rank) {
  Ints out;
  for (const int64_t axis : axes) {
    NPU_LET(const int64_t wrapped, wrap_axis(axis, rank));
    if (std::find(out.begin(), out.end(), wrapped) != out.end())
      return fail(ErrorId::kBadAttribute, "an axis is given twice", text("[", join(axes), "]"),
                  "each axis once");
    out.push_back(wrapped);
  }
  return out;
}

Result<std::optional<Ints>> axes_of(const InferContext& context, int64_t index, int64_t rank) {
  if (!context.has(index)) return std::optional<Ints>(Ints{});
  NPU_TRY(check_list(context.shape(index), "a list of axes"));
  const auto axes = numbers_of(context, index);
  if (!axes) return std::optional<Ints>();
  NPU_LET(Ints wrapped, wrap_axes(*axes, rank));
  return std::optional<Ints>(std::move(wrapped));
}

Result<Ints> axes_of(const RunContext& context, int64_t index, int64_t rank) {
  if (!context.has(index)) return Ints{};
  return wrap_axes(ints_of(context.in[at_index(index)]), rank);
}

Ints reduction_axes(Ints axes, int64_t rank, bool noop_with_empty_axes) {
  if (axes.empty() && !noop_with_empty_axes) {
    axes.resize(at_index(rank));
    std::iota(axes.begin(), axes.end(), int64_t{0});
  }
  std::sort(axes.begin(), axes.end());
  return axes;
}

Ints ints_of(const TensorView& view) {
  Ints out(at_index(view.elements()));
  for (size_t i = 0; i < out.size(); ++i) out[i] = view.load_int(static_cast<int64_t>(i));
  return out;
}

Result<int64_t> scalar_of(const TensorView& view, std::string_view what) {
  if (view.elements() != 1)
    return fail(ErrorId::kShapeMismatch, text(what, " is not one number"), dims_str(view.dims),
                "one element");
  return view.load_int(0);
}

Dims strides_of(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}

Dims broadcast_strides(const Dims& from, const Dims& to) {
  const Dims dense = strides_of(from);
  Dims strides(to.size(), 0);
  const size_t lead = to.size() - from.size();
  for (size_t d = 0; d < from.size(); ++d) strides[lead + d] = from[d] == 1 ? 0 : dense[d];
  return strides;
}

int64_t product(const Dims& dims, int64_t first, int64_t last) {
  int64_t out = 1;
  for (int64_t d = first; d < last; ++d) out *= dims[at_index(d)];
  return out;
}

Result<int64_t> wrap_index(int64_t index, int64_t length) {
  if (index < -length || index >= length)
    return fail(ErrorId::kIndexOutOfRange, "an index points outside its axis",
                std::to_string(index),
                length == 0 ? "none: the axis has no elements" : text(-length, "..", length - 1));
  return index < 0 ? index + length : index;
}

Status check_dims(const TensorView& view, const Dims& dims) {
  if (view.dims != dims)
    return fail(ErrorId::kShapeMismatch, "a tensor has not the size that its node needs",
                dims_str(view.dims), dims_str(dims));
  return ok();
}

Odometer::Odometer(const Dims& dims, std::vector<Dims> strides)
    : dims_(dims),
      index_(dims.size(), 0),
      strides_(std::move(strides)),
      offsets_(strides_.size(), 0),
      total_(product(dims)) {}

void Odometer::next() {
  ++count_;
  for (size_t d = dims_.size(); d-- > 0;) {
    for (size_t s = 0; s < strides_.size(); ++s) offsets_[s] += strides_[s][d];
    if (++index_[d] < dims_[d]) return;
    index_[d] = 0;
    for (size_t s = 0; s < strides_.size(); ++s) offsets_[s] -= strides_[s][d] * dims_[d];
  }
}

void copy_elements(const TensorView& from, int64_t from_index, const TensorView& to,
                   int64_t to_index, int64_t count) {
  const int64_t bits = dtype_bits(from.dtype);
  if (count <= 0) return;
  if (bits >= 8) {
    const int64_t width = bits / 8;
    std::memcpy(to.data + to_index * width, from.data + from_index * width,
                static_cast<size_t>(count * width));
    return;
  }
  for (int64_t i = 0; i < count; ++i) to.store_int(to_index + i, from.load_int(from_index + i));
}

void copy_strided(const TensorView& from, int64_t offset, const Dims& dims, const Dims& strides,
                  const TensorView& to) {
  switch (dtype_bits(from.dtype)) {
    case 8:
      return copy_rows<uint8_t>(from, offset, dims, strides, to);
    case 16:
      return copy_rows<uint16_t>(from, offset, dims, strides, to);
    case 32:
      return copy_rows<uint32_t>(from, offset, dims, strides, to);
    case 64:
      return copy_rows<uint64_t>(from, offset, dims, strides, to);
    default:
      for (Odometer at(dims, {strides}); !at.done(); at.next())
        to.store_int(at.count(), from.load_int(offset + at.offset(0)));
  }
}

Status copy_all(const TensorView& from, const TensorView& to) {
  if (from.elements() != to.elements() || dtype_bits(from.dtype) != dtype_bits(to.dtype))
    return fail(ErrorId::kShapeMismatch, "the elements do not fill the output",
                text(from.elements(), " elements in ", dims_str(from.dims)),
                text(to.elements(), " elements in ", dims_str(to.dims)));
  if (from.bytes() > 0) std::memcpy(to.data, from.data, static_cast<size_t>(from.bytes()));
  return ok();
}

Work move_work(std::span<const TensorType>, std::span<const TensorType> out, const Attrs&) {
  Work work;
  for (const TensorType& type : out) work.bytes += 2.0 * static_cast<double>(type.bytes().value());
  return work;
}

Work no_work(std::span<const TensorType>, std::span<const TensorType>, const Attrs&) { return {}; }

}  // namespace npugraph
