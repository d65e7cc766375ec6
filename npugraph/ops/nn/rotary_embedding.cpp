// SPDX-License-Identifier: Apache-2.0
// Rotary position: pairs of elements of each head are turned by the angle of their token. A pair is
// (i, i + half), or with `interleaved` (2 i, 2 i + 1). Source: ONNX RotaryEmbedding-23.
#include "npugraph/ops/nn/rotary_embedding.h"

#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

/// The size of a head, as an expression.
Result<Dim> head_size(const Shape& x, const Attrs& attrs) {
  if (x.rank() == 4) return x[3];
  if (x.rank() != 3)
    return fail(ErrorId::kShapeMismatch, "rank of X of RotaryEmbedding", x.str(),
                "three or four dimensions");
  const int64_t heads = attrs.i64("num_heads");
  if (heads <= 0)
    return fail(ErrorId::kBadAttribute, "attribute 'num_heads'", text(heads),
                "a number of heads, as X has three dimensions");
  const std::optional<Dim> d = Dim::exact_div(x[2], Dim(heads));
  if (!d && x[2].is_static())
    return fail(ErrorId::kShapeMismatch, "last dimension of X of RotaryEmbedding", x[2].str(),
                text("a multiple of num_heads, ", heads));
  return d ? *d : Dim::floor_div(x[2], Dim(heads));
}

/// Half of what is turned. Errors: kBadAttribute, kShapeMismatch for a number that is odd or larger
/// than the head.
Result<Dim> half_size(const Dim& d, const Attrs& attrs) {
  const int64_t wanted = attrs.i64("rotary_embedding_dim");
  const Dim turned = wanted > 0 ? Dim(wanted) : d;
  if (dim_less(d, turned).value_or(false))
    return fail(ErrorId::kBadAttribute, "attribute 'rotary_embedding_dim'", text(wanted),
                text("at most the size of a head, ", d));
  if (turned.known().value_or(0) % 2 != 0)
    return fail(ErrorId::kShapeMismatch, "elements that RotaryEmbedding turns", turned.str(),
                "an even number");
  return Dim::floor_div(turned, Dim(2));
}

Status check_cache(const InferContext& context, int64_t index, const Dim& batch, const Dim& length,
                   const Dim& half) {
  const Shape& cache = context.shape(index);
  const bool by_position = context.has(kRotaryPositions);
  const Shape wanted =
      by_position ? Shape{cache.rank() == 2 ? cache[0] : length, half} : Shape{batch, length, half};
  bool fits = cache.rank() == wanted.rank();
  for (int64_t axis = 0; fits && axis < wanted.rank(); ++axis)
    fits = dims_equal(cache[axis], wanted[axis]).value_or(true);
  if (fits) return ok();
  return fail(ErrorId::kShapeMismatch,
              text(index == kRotaryCos ? "cos" : "sin", "_cache of RotaryEmbedding"), cache.str(),
              wanted.str());
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const Shape& x = context.shape(kRotaryX);
  NPU_LET(const Dim d, head_size(x, context.attrs));
  NPU_LET(const Dim half, half_size(d, context.attrs));
  const Dim& length = x[x.rank() == 4 ? 2 : 1];
  NPU_TRY(check_cache(context, kRotaryCos, x[0], length, half));
  NPU_TRY(check_cache(context, kRotarySin, x[0], length, half));
  if (context.has(kRotaryPositions)) {
    const Shape& ids = context.shape(kRotaryPositions);
    const bool fits = ids.rank() == 2 && dims_equal(ids[0], x[0]).value_or(true) &&
                      dims_equal(ids[1], length).value_or(true);
    if (!fits)
      return fail(ErrorId::kShapeMismatch, "position_ids of RotaryEmbedding", ids.str(),
                  Shape({x[0], length}).str());
  }
  return one_output(context.type(kRotaryX).dtype, x);
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[kRotaryX];
  const TensorView& cos = context.in[kRotaryCos];
  const TensorView& sin = context.in[kRotarySin];
  const TensorView& y = context.out[0];
  const RotarySizes sizes = rotary_sizes(x.dims, context.attrs);
  const int64_t step = sizes.interleaved ? 2 : 1;
  const int64_t apart = sizes.interleaved ? 1 : sizes.half;
  for (int64_t b = 0; b < sizes.batch; ++b)
    for (int64_t s = 0; s < sizes.length; ++s) {
      int64_t angle = b * sizes.length + s;
      if (context.has(kRotaryPositions)) {
        const int64_t position = context.in[kRotaryPositions].load_int(angle);
        NPU_LET(angle, wrap_index(position, cos.dims[0]));
        NPU_TRY(wrap_index(position, sin.dims[0]));
      }
      for (int64_t h = 0; h < sizes.heads; ++h) {
        const int64_t row = b * sizes.batch_stride + h * sizes.head_stride + s * sizes.row_stride;
        for (int64_t i = 0; i < sizes.half; ++i) {
          const int64_t first = row + i * step;
          const double c = cos.load(angle * sizes.half + i);
          const double t = sin.load(angle * sizes.half + i);
          const double u = x.load(first);
          const double v = x.load(first + apart);
          y.store(first, c * u - t * v);
          y.store(first + apart, t * u + c * v);
        }
        for (int64_t i = 2 * sizes.half; i < sizes.d; ++i) y.store(row + i, x.load(row + i));
      }
    }
  return ok();
}

/// Six flops a pair; each tensor read or written once.
Work work(std::span<const TensorType> in, std::span<const TensorType> out, const Attrs&) {
  Work work = {.flops = 3.0 * static_cast<double>(out[0].shape.elements().value())};
  for (const TensorType& type : in) work.bytes += static_cast<double>(type.bytes().value());
  work.bytes += static_cast<double>(out[0].bytes().value());
  return work;
}

}  // namespace

RotarySizes rotary_sizes(const Dims& x, const Attrs& attrs) {
  RotarySizes sizes;
  sizes.is_split = x.size() == 4;
  sizes.batch = x[0];
  sizes.heads = sizes.is_split ? x[1] : attrs.i64("num_heads");
  sizes.length = sizes.is_split ? x[2] : x[1];
  sizes.d = sizes.is_split ? x[3] : x[2] / sizes.heads;
  const int64_t turned = attrs.i64("rotary_embedding_dim");
  sizes.half = (turned > 0 ? turned : sizes.d) / 2;
  sizes.interleaved = attrs.flag("interleaved");
  sizes.batch_stride = sizes.heads * sizes.length * sizes.d;
  sizes.head_stride = sizes.is_split ? sizes.length * sizes.d : sizes.d;
  sizes.row_stride = sizes.is_split ? sizes.d : sizes.heads * sizes.d;
  return sizes;
}

OpSchema rotary_embedding() {
  constexpr int64_t kMost = int64_t{1} << 40;
  return {
      .name = "RotaryEmbedding",
      .op_class = OpClass::kNn,
      .doc = "Y = pairs (u, v) of X become (u cos - v sin, u sin + v cos), the angle by position",
      .onnx = {"RotaryEmbedding"},
      .inputs = {{"X", kFloatTypes, Arity::kOne, "T"},
                 {"cos_cache", kFloatTypes, Arity::kOne, "T"},
                 {"sin_cache", kFloatTypes, Arity::kOne, "T"},
                 {"position_ids", kI64Type, Arity::kOptional}},
      .attrs = {{"interleaved", AttrKind::kInt, int64_t{0}, false, 0, 1},
                {"num_heads", AttrKind::kInt, int64_t{0}, false, 0, kMost},
                {"rotary_embedding_dim", AttrKind::kInt, int64_t{0}, false, 0, kMost}},
      .infer = infer,
      .reference = reference,
      .work = work,
  };
}

}  // namespace npugraph::ops
