// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "npugraph/ops/infer_tools.h"
#include "npugraph/ops/op.h"

/// Sizes and masking of Attention, shared by its reference and its fast kernel.
namespace npugraph::ops {

/// Inputs of Attention.
enum AttentionInput : int64_t { kQuery, kKey, kValue, kMask, kPastKey, kPastValue, kNonpad };

/// Where head `h` of batch `b` begins, and how far its rows are apart, in elements: a 4-D operand
/// is [b, h, s, d], a 3-D one [b, s, h * d].
struct HeadLayout {
  int64_t batch_stride = 0, head_stride = 0, row_stride = 0;
  int64_t at(int64_t batch, int64_t head, int64_t row) const {
    return batch * batch_stride + head * head_stride + row * row_stride;
  }
};

/// Concrete sizes of a node whose types have passed inference.
struct AttentionSizes {
  int64_t batch = 0, q_heads = 0, kv_heads = 0;
  int64_t q_len = 0;       // queries
  int64_t new_len = 0;     // keys that K and V bring
  int64_t past_len = 0;    // keys of the past ones
  int64_t total_len = 0;   // past_len + new_len
  int64_t d = 0, v_d = 0;  // head sizes of Q and K, and of V
  double scale = 1;
  bool has_past = false;
  HeadLayout q, k, v, y;

  /// Query heads that share a key and value head.
  int64_t group() const { return kv_heads == 0 ? 0 : q_heads / kv_heads; }
};
AttentionSizes attention_sizes(const Dims& q, const Dims& k, const Dims& v, const Dims* past_key,
                               const Attrs& attrs);

/// The keys [first, last) that causality, window and padding leave for a query; none when first >=
/// last.
struct KeyRange {
  int64_t first = 0, last = 0;
};

/// What bounds the keys of a query, besides the mask.
struct KeyBounds {
  bool is_causal = false;
  int64_t left = -1, right = -1;  // window to either side; -1: no bound

  explicit KeyBounds(const Attrs& attrs)
      : is_causal(attrs.flag("is_causal")),
        left(attrs.i64("left_window_size")),
        right(attrs.i64("right_window_size")) {}
  /// row: of the query; offset: keys before the first query; count: keys that exist.
  KeyRange of(int64_t row, int64_t offset, int64_t count) const {
    KeyRange range = {0, count};
    const int64_t place = row + offset;
    if (is_causal) range.last = std::min(range.last, place + 1);
    if (right >= 0) range.last = std::min(range.last, place + right + 1);
    if (left >= 0) range.first = std::max(range.first, place - left);
    return range;
  }
};

/// Keys that exist and keys before the first query, for batch `b` with `nonpad` valid keys; nonpad
/// < 0: that input is absent.
struct KeyCount {
  int64_t count = 0, offset = 0;
};
inline KeyCount key_count(const AttentionSizes& sizes, int64_t nonpad) {
  if (nonpad < 0) return {sizes.total_len, sizes.past_len};
  return {std::min(nonpad, sizes.total_len), nonpad - sizes.q_len};
}

}  // namespace npugraph::ops
