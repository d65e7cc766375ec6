// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product attention with any number of query heads a key head. A key whose bias is
// -infinity (mask, causality, window, padding) has weight 0 whatever its score; a query without any
// other key gives zeros. Source: ONNX Attention-25; agrees with
// aten::scaled_dot_product_attention.
#include "npugraph/ops/nn/attention.h"

#include <cmath>
#include <limits>

#include "npugraph/base/text.h"
#include "npugraph/ops/math/reals.h"

namespace npugraph::ops {
namespace {

constexpr double kMasked = -std::numeric_limits<double>::infinity();

/// [b, h, s, d] of an operand with three or four axes.
struct Heads {
  Dim batch, heads, length, d;
};

Result<Heads> heads_of(const Shape& shape, const Attrs& attrs, std::string_view attr,
                       std::string_view what) {
  if (shape.rank() == 4) {
    if (attrs.has(attr)) {
      NPU_TRY(match_dims(shape[1], Dim(attrs.i64(attr)), text(attr, " and the heads of ", what)));
    }
    return Heads{shape[0], shape[1], shape[2], shape[3]};
  }
  if (shape.rank() != 3)
    return fail(ErrorId::kShapeMismatch, text("rank of ", what, " of Attention"), shape.str(),
                "three or four dimensions");
  if (!attrs.has(attr))
    return fail(ErrorId::kBadAttribute, text("attribute '", attr, "'"), "absent",
                "a number of heads, as the inputs have three dimensions");
  const Dim heads(attrs.i64(attr));
  const std::optional<Dim> d = Dim::exact_div(shape[2], heads);
  if (!d && shape[2].is_static())
    return fail(ErrorId::kShapeMismatch, text("last dimension of ", what, " of Attention"),
                shape[2].str(), text("a multiple of ", attr, ", ", heads));
  return Heads{shape[0], heads, shape[1], d ? *d : Dim::floor_div(shape[2], heads)};
}

Status match_shape(const Shape& found, const Shape& wanted, std::string_view what) {
  bool fits = found.rank() == wanted.rank();
  for (int64_t axis = 0; fits && axis < wanted.rank(); ++axis)
    fits = dims_equal(found[axis], wanted[axis]).value_or(true);
  if (fits) return ok();
  return fail(ErrorId::kShapeMismatch, text(what, " of Attention"), found.str(), wanted.str());
}

/// All but the last dimension broadcast to those of `scores`; the last may be shorter, and keys
/// past its end are masked: one of 1 does not broadcast.
Status check_mask(const Shape& mask, const Shape& scores) {
  const int64_t lead = scores.rank() - mask.rank();
  bool fits = lead >= 0 && mask.rank() > 0;
  for (int64_t axis = 0; fits && axis + 1 < mask.rank(); ++axis)
    fits = mask[axis] == Dim(1) || dims_equal(mask[axis], scores[lead + axis]).value_or(true);
  if (fits && !dim_less(scores[3], mask[mask.rank() - 1]).value_or(false)) return ok();
  return fail(ErrorId::kShapeMismatch, "attn_mask of Attention", mask.str(),
              text("a shape that broadcasts to ", scores.str(), ", or has fewer keys"));
}

/// The batch, heads, lengths and head sizes of Q, K and V fit.
Status check_operands(const Heads& q, const Heads& k, const Heads& v) {
  NPU_TRY(match_dims(q.batch, k.batch, "batch sizes of Q and K"));
  NPU_TRY(match_dims(q.batch, v.batch, "batch sizes of Q and V"));
  NPU_TRY(match_dims(k.heads, v.heads, "heads of K and V"));
  NPU_TRY(match_dims(k.length, v.length, "lengths of K and V"));
  NPU_TRY(match_dims(q.d, k.d, "head sizes of Q and K"));
  const auto q_heads = q.heads.known();
  const auto k_heads = k.heads.known();
  if (q_heads && k_heads && (*k_heads == 0 ? *q_heads != 0 : *q_heads % *k_heads != 0))
    return fail(ErrorId::kShapeMismatch, "heads of Q of Attention", text(*q_heads),
                text("a multiple of the heads of K, ", *k_heads));
  return ok();
}

Result<Dim> past_length(const InferContext& context, const Heads& k, const Heads& v) {
  if (context.has(kPastKey) != context.has(kPastValue))
    return fail(ErrorId::kBadArity, "past_key and past_value of Attention", "one of them", "both");
  if (!context.has(kPastKey)) return Dim(0);
  if (context.has(kNonpad))
    return fail(ErrorId::kBadArity, "nonpad_kv_seqlen of Attention", "given together with past_key",
                "one of them");
  if (context.shape(kPastKey).rank() != 4)
    return fail(ErrorId::kShapeMismatch, "past_key of Attention", context.shape(kPastKey).str(),
                "four dimensions");
  const Dim past = context.shape(kPastKey)[2];
  NPU_TRY(match_shape(context.shape(kPastKey), {k.batch, k.heads, past, k.d}, "past_key"));
  NPU_TRY(match_shape(context.shape(kPastValue), {v.batch, v.heads, past, v.d}, "past_value"));
  return past;
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const Shape& shape = context.shape(kQuery);
  for (const int64_t other : {kKey, kValue})
    if (context.shape(other).rank() != shape.rank())
      return fail(ErrorId::kShapeMismatch, "ranks of Q, K and V of Attention",
                  text(shape.str(), " and ", context.shape(other).str()), "equal ranks");
  NPU_LET(const Heads q, heads_of(shape, context.attrs, "q_num_heads", "Q"));
  NPU_LET(const Heads k, heads_of(context.shape(kKey), context.attrs, "kv_num_heads", "K"));
  NPU_LET(const Heads v, heads_of(context.shape(kValue), context.attrs, "kv_num_heads", "V"));
  NPU_TRY(check_operands(q, k, v));
  NPU_LET(const Dim past, past_length(context, k, v));
  const Dim total = past + k.length;
  const Shape scores = {q.batch, q.heads, q.length, total};
  if (context.has(kMask)) NPU_TRY(check_mask(context.shape(kMask), scores));
  if (context.has(kNonpad))
    NPU_TRY(match_shape(context.shape(kNonpad), {q.batch}, "nonpad_kv_seqlen"));

  const DType dtype = context.type(kQuery).dtype;
  const DType v_dtype = context.type(kValue).dtype;
  const Shape y = shape.rank() == 4 ? Shape{q.batch, q.heads, q.length, v.d}
                                    : Shape{q.batch, q.length, q.heads * v.d};
  const std::pair<DType, Shape> outputs[] = {{dtype, y},
                                             {dtype, {k.batch, k.heads, total, k.d}},
                                             {v_dtype, {v.batch, v.heads, total, v.d}},
                                             {dtype, scores}};
  std::vector<InferOutput> result;
  for (int64_t i = 0; i < context.output_count; ++i) {
    NPU_LET(auto output, one_output(outputs[at_index(i)].first, outputs[at_index(i)].second));
    result.push_back(std::move(output[0]));
  }
  return result;
}

/// What one run reads, with past and new keys joined as [b, h, s, d] of doubles.
struct Operands {
  AttentionSizes sizes;
  std::vector<double> q, k, v;
  bool has_mask = false;
  TensorView mask;
  Dims mask_strides;  // for [b, h, query, key]
};

std::vector<double> join_keys(const AttentionSizes& sizes, const TensorView& fresh,
                              const HeadLayout& layout, const TensorView* past, int64_t d) {
  std::vector<double> joined;
  joined.reserve(at_index(sizes.batch * sizes.kv_heads * sizes.total_len * d));
  int64_t past_at = 0;
  for (int64_t b = 0; b < sizes.batch; ++b)
    for (int64_t h = 0; h < sizes.kv_heads; ++h) {
      for (int64_t i = 0; i < sizes.past_len * d; ++i) joined.push_back(past->load(past_at++));
      for (int64_t s = 0; s < sizes.new_len; ++s)
        for (int64_t i = 0; i < d; ++i) joined.push_back(fresh.load(layout.at(b, h, s) + i));
    }
  return joined;
}

Operands operands_of(const RunContext& context) {
  Operands in;
  const bool has_past = context.has(kPastKey);
  in.sizes =
      attention_sizes(context.in[kQuery].dims, context.in[kKey].dims, context.in[kValue].dims,
                      has_past ? &context.in[kPastKey].dims : nullptr, context.attrs);
  in.q = elements_of<double>(context.in[kQuery]);
  in.k = join_keys(in.sizes, context.in[kKey], in.sizes.k,
                   has_past ? &context.in[kPastKey] : nullptr, in.sizes.d);
  in.v = join_keys(in.sizes, context.in[kValue], in.sizes.v,
                   has_past ? &context.in[kPastValue] : nullptr, in.sizes.v_d);
  in.has_mask = context.has(kMask);
  if (!in.has_mask) return in;
  in.mask = context.in[kMask];
  Dims dims = in.mask.dims;
  dims.insert(dims.begin(), 4 - dims.size(), 1);
  in.mask_strides = strides_of(dims);
  for (size_t axis = 0; axis < 3; ++axis)
    if (dims[axis] == 1) in.mask_strides[axis] = 0;
  return in;
}

double mask_bias(const Operands& in, int64_t b, int64_t h, int64_t row, int64_t key) {
  if (!in.has_mask) return 0;
  if (key >= in.mask.dims.back()) return kMasked;
  const double value = in.mask.load(b * in.mask_strides[0] + h * in.mask_strides[1] +
                                    row * in.mask_strides[2] + key);
  if (in.mask.dtype == DType::kBool) return value != 0 ? 0 : kMasked;
  return value;
}

/// One row of scores in its stages; stage k is what qk_matmul_output_mode k asks for.
struct ScoreRow {
  std::vector<double> product, capped, biased, weights;
  const std::vector<double>& stage(int64_t mode) const {
    const std::vector<double>* stages[] = {&product, &capped, &biased, &weights};
    return *stages[at_index(mode)];
  }
};

void softmax(const std::vector<double>& scores, std::vector<double>& weights) {
  double peak = kMasked, sum = 0;
  for (const double score : scores)
    if (score > peak || std::isnan(score)) peak = score;
  for (size_t j = 0; j < scores.size(); ++j)
    weights[j] = scores[j] == kMasked ? 0 : std::exp(scores[j] - peak);
  for (const double weight : weights) sum += weight;
  for (double& weight : weights)
    if (sum != 0) weight /= sum;
}

void fill_row(const Operands& in, double softcap, int64_t b, int64_t h, int64_t row, KeyRange keys,
              ScoreRow& out) {
  const AttentionSizes& sizes = in.sizes;
  const double* q = in.q.data() + sizes.q.at(b, h, row);
  const int64_t kv = b * sizes.kv_heads + h / sizes.group();
  for (int64_t key = 0; key < sizes.total_len; ++key) {
    const double* k = in.k.data() + (kv * sizes.total_len + key) * sizes.d;
    double sum = 0;
    for (int64_t i = 0; i < sizes.d; ++i) sum += q[i] * k[i];
    const double score = sum * sizes.scale;
    const double capped = softcap > 0 ? softcap * std::tanh(score / softcap) : score;
    const bool in_range = key >= keys.first && key < keys.last;
    const double bias = in_range ? mask_bias(in, b, h, row, key) : kMasked;
    out.product[at_index(key)] = score;
    out.capped[at_index(key)] = capped;
    out.biased[at_index(key)] = bias == kMasked ? kMasked : capped + bias;
  }
  softmax(out.biased, out.weights);
}

void store_joined(const RunContext& context, size_t output, const std::vector<double>& joined) {
  if (context.out.size() <= output) return;
  for (size_t i = 0; i < joined.size(); ++i)
    context.out[output].store(static_cast<int64_t>(i), joined[i]);
}

Status reference(const RunContext& context) noexcept {
  const Operands in = operands_of(context);
  const AttentionSizes& sizes = in.sizes;
  const double softcap = context.attrs.f64("softcap");
  const int64_t mode = context.attrs.i64("qk_matmul_output_mode");
  const KeyBounds bounds(context.attrs);
  const TensorView& y = context.out[0];
  store_joined(context, 1, in.k);
  store_joined(context, 2, in.v);
  const std::vector<double> empty(at_index(sizes.total_len));
  ScoreRow scores = {empty, empty, empty, empty};
  int64_t place = 0;  // of the row in [b, h, query, key]
  for (int64_t b = 0; b < sizes.batch; ++b) {
    const KeyCount count = key_count(
        sizes, context.has(kNonpad) ? std::max<int64_t>(context.in[kNonpad].load_int(b), 0) : -1);
    for (int64_t h = 0; h < sizes.q_heads; ++h)
      for (int64_t row = 0; row < sizes.q_len; ++row, place += sizes.total_len) {
        fill_row(in, softcap, b, h, row, bounds.of(row, count.offset, count.count), scores);
        const int64_t kv = b * sizes.kv_heads + h / sizes.group();
        for (int64_t i = 0; i < sizes.v_d; ++i) {
          double sum = 0;
          for (int64_t key = 0; key < sizes.total_len; ++key)
            sum += scores.weights[at_index(key)] *
                   in.v[at_index((kv * sizes.total_len + key) * sizes.v_d + i)];
          y.store(sizes.y.at(b, h, row) + i, sum);
        }
        if (context.out.size() > 3)
          for (int64_t key = 0; key < sizes.total_len; ++key)
            context.out[3].store(place + key, scores.stage(mode)[at_index(key)]);
      }
  }
  return ok();
}

/// The two products, and five flops a score for the softmax.
Work work(std::span<const TensorType> in, std::span<const TensorType> out, const Attrs& attrs) {
  std::optional<Dims> past;
  if (in.size() > kPastKey && in[kPastKey].shape.rank() == 4) past = in[kPastKey].shape.known();
  const AttentionSizes sizes =
      attention_sizes(*in[kQuery].shape.known(), *in[kKey].shape.known(), *in[kValue].shape.known(),
                      past ? &*past : nullptr, attrs);
  const double scores = static_cast<double>(sizes.batch) * static_cast<double>(sizes.q_heads) *
                        static_cast<double>(sizes.q_len) * static_cast<double>(sizes.total_len);
  Work work = {.flops = scores * (2.0 * static_cast<double>(sizes.d + sizes.v_d) + 5.0)};
  for (const TensorType& type : in) work.bytes += static_cast<double>(type.bytes().value());
  for (const TensorType& type : out) work.bytes += static_cast<double>(type.bytes().value());
  return work;
}

HeadLayout layout_of(const Dims& dims, int64_t d, int64_t length, int64_t heads) {
  if (dims.size() == 4) return {heads * length * d, length * d, d};
  return {length * heads * d, d, heads * d};
}

}  // namespace

AttentionSizes attention_sizes(const Dims& q, const Dims& k, const Dims& v, const Dims* past_key,
                               const Attrs& attrs) {
  AttentionSizes sizes;
  const bool is_split = q.size() == 4;
  sizes.batch = q[0];
  sizes.q_heads = is_split ? q[1] : attrs.i64("q_num_heads");
  sizes.kv_heads = is_split ? k[1] : attrs.i64("kv_num_heads");
  sizes.q_len = is_split ? q[2] : q[1];
  sizes.new_len = is_split ? k[2] : k[1];
  sizes.has_past = past_key != nullptr;
  sizes.past_len = past_key != nullptr ? (*past_key)[2] : 0;
  sizes.total_len = sizes.past_len + sizes.new_len;
  sizes.d = is_split ? q[3] : q[2] / sizes.q_heads;
  sizes.v_d = is_split ? v[3] : v[2] / sizes.kv_heads;
  sizes.scale = attrs.has("scale")
                    ? attrs.f64("scale")
                    : 1 / std::sqrt(static_cast<double>(std::max<int64_t>(sizes.d, 1)));
  sizes.q = layout_of(q, sizes.d, sizes.q_len, sizes.q_heads);
  sizes.k = layout_of(k, sizes.d, sizes.new_len, sizes.kv_heads);
  sizes.v = layout_of(v, sizes.v_d, sizes.new_len, sizes.kv_heads);
  sizes.y = layout_of(q, sizes.v_d, sizes.q_len, sizes.q_heads);
  return sizes;
}

OpSchema attention() {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  return {
      .name = "Attention",
      .op_class = OpClass::kNn,
      .doc =
          "Y = softmax(scale * Q K' + bias) V for each head; bias from attn_mask, is_causal, "
          "windows and nonpad_kv_seqlen",
      .onnx = {"Attention"},
      .aten = {"aten::scaled_dot_product_attention"},
      .inputs = {{"Q", kFloatTypes, Arity::kOne, "T1"},
                 {"K", kFloatTypes, Arity::kOne, "T1"},
                 {"V", kFloatTypes, Arity::kOne, "T2"},
                 {"attn_mask", kDataTypes, Arity::kOptional},
                 {"past_key", kFloatTypes, Arity::kOptional, "T1"},
                 {"past_value", kFloatTypes, Arity::kOptional, "T2"},
                 {"nonpad_kv_seqlen", kI64Type, Arity::kOptional}},
      .outputs = {{"Y"},
                  {"present_key", Arity::kOptional},
                  {"present_value", Arity::kOptional},
                  {"qk_matmul_output", Arity::kOptional}},
      .attrs = {{"is_causal", AttrKind::kInt, int64_t{0}, false, 0, 1},
                {"kv_num_heads", AttrKind::kInt, std::nullopt, false, 1, kMost},
                {"left_window_size", AttrKind::kInt, int64_t{-1}, false, -1, kMost / 4},
                {"q_num_heads", AttrKind::kInt, std::nullopt, false, 1, kMost},
                {"qk_matmul_output_mode", AttrKind::kInt, int64_t{0}, false, 0, 3},
                {"right_window_size", AttrKind::kInt, int64_t{-1}, false, -1, kMost / 4},
                {"scale", AttrKind::kFloat},
                {"softcap", AttrKind::kFloat, 0.0},
                {"softmax_precision", AttrKind::kInt, std::nullopt, false, 1, 16}},
      .infer = infer,
      .reference = reference,
      .work = work,
  };
}

}  // namespace npugraph::ops
