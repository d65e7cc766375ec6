// SPDX-License-Identifier: Apache-2.0
// Attention on float32 without the matrix of all scores: a block of keys is packed, then tiles of
// queries are multiplied with it, turned into weights and multiplied with the values; peak, sum and
// output of a query are corrected when a later block raises its peak (online softmax).
#include "npugraph/ops/nn/attention.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "npugraph/base/checked.h"
#include "npugraph/kernels/tools.h"
#include "npugraph/micro/gemm.h"
#include "npugraph/micro/parallel.h"

namespace npugraph::kernels {
namespace {

using ops::AttentionSizes;
using ops::HeadLayout;
using ops::KeyRange;

constexpr float kMasked = -std::numeric_limits<float>::infinity();
// Most keys of a block, and queries of a task (all heads of a group together).
constexpr int64_t kKeyBlock = 256;
constexpr int64_t kMostRows = 256;
// Fewer of either where heads are large: packed, they should fit in a second-level cache.
constexpr int64_t kBlockFloats = 64 * 1024;
// A depth block of a tile of queries, tile_m x 256 floats, stays in the first-level cache.
constexpr int64_t kDepthBlock = 256;
constexpr int64_t kFloatAlign = 16;

// What is fixed when the sizes are known.
struct Shape4 {
  AttentionSizes sizes;
  const micro::MicroKernels* kernels = nullptr;
  ops::KeyBounds bounds;
  float softcap = 0;
  bool has_mask = false;
  bool mask_is_bool = false;
  bool joins = false;         // past and new keys are joined in the outputs, and read there
  bool packs_values = false;  // else the tile reads V's rows where they are
  int64_t mask_keys = 0;      // of the mask's last dimension
  int64_t mask_strides[3] = {};
  int64_t block_keys = 0;
  int64_t block_rows = 0;
  int64_t blocks = 0;  // of rows, for each key head
  int64_t wide_v = 0;  // v_d rounded up to whole tiles
  HeadLayout k = {}, v = {};

  int64_t rows() const { return sizes.group() * sizes.q_len; }
  int64_t tasks() const { return sizes.batch * sizes.kv_heads * blocks; }
  double flops() const {
    return 2.0 * static_cast<double>(sizes.batch * sizes.q_heads) *
           static_cast<double>(sizes.q_len) * static_cast<double>(sizes.total_len) *
           static_cast<double>(sizes.d + sizes.v_d);
  }
};

// Scratch of one slot, in floats.
struct Slot {
  int64_t queries, keys, values, scores, weights, output, peaks, sums, total;
  explicit Slot(const Shape4& shape) {
    int64_t at = 0;
    const auto take = [&at](int64_t floats) {
      const int64_t place = at;
      at += round_up(floats, kFloatAlign);
      return place;
    };
    const int64_t tile_m = shape.kernels->tile_m;
    queries = take(shape.block_rows * shape.sizes.d);
    keys = take(shape.block_keys * shape.sizes.d);
    values = take(shape.packs_values ? shape.block_keys * shape.wide_v : 0);
    scores = take(tile_m * shape.block_keys);
    weights = take(tile_m * shape.block_keys);
    output = take(shape.block_rows * shape.wide_v);
    peaks = take(shape.block_rows);
    sums = take(shape.block_rows);
    total = at;
  }
};

// Where the data is in this run.
struct Data {
  const float* q;
  const float* k;
  const float* v;
  const std::byte* mask;
  const int64_t* nonpad;
  float* y;
};

// One task: rows [row0, row1) of one key head of one batch. Row r is query r % q_len of the group's
// head r / q_len. Tiles begin at multiples of tile_m whatever the tasks are, so that bits do not
// depend on the number of threads.
class Task {
 public:
  Task(const Shape4& shape, const Slot& slot, const Data& data, int64_t task, float* scratch)
      : shape_(shape), sizes_(shape.sizes), kernels_(*shape.kernels), data_(data) {
    const int64_t block = task % shape.blocks;
    kv_head_ = task / shape.blocks % sizes_.kv_heads;
    batch_ = task / shape.blocks / sizes_.kv_heads;
    row0_ = block * shape.block_rows;
    row1_ = std::min(shape.rows(), row0_ + shape.block_rows);
    count_ = ops::key_count(
        sizes_, data.nonpad == nullptr ? -1 : std::max<int64_t>(data.nonpad[batch_], 0));
    queries_ = scratch + slot.queries;
    keys_ = scratch + slot.keys;
    values_ = scratch + slot.values;
    scores_ = scratch + slot.scores;
    weights_ = scratch + slot.weights;
    output_ = scratch + slot.output;
    peaks_ = scratch + slot.peaks;
    sums_ = scratch + slot.sums;
  }

  void run() {
    pack_queries();
    std::fill_n(peaks_, row1_ - row0_, kMasked);
    std::fill_n(sums_, row1_ - row0_, 0.0f);
    std::fill_n(output_, shape_.block_rows * shape_.wide_v, 0.0f);
    for (int64_t key = 0; key < count_.count; key += shape_.block_keys) {
      first_key_ = key;
      last_key_ = std::min(count_.count, key + shape_.block_keys);
      if (!any_key(row0_, row1_)) continue;
      pack_block();
      for (int64_t row = row0_; row < row1_; row += kernels_.tile_m) {
        const int64_t end = std::min(row + kernels_.tile_m, row1_);
        if (any_key(row, end)) run_tile(row, end - row);
      }
    }
    for (int64_t row = row0_; row < row1_; ++row) finish(row);
  }

 private:
  int64_t head(int64_t row) const { return kv_head_ * sizes_.group() + row / sizes_.q_len; }
  int64_t query(int64_t row) const { return row % sizes_.q_len; }

  // Keys of the block that a row may read, relative to the block; none when first >= last.
  KeyRange range(int64_t row) const {
    const KeyRange all = shape_.bounds.of(query(row), count_.offset, count_.count);
    return {std::max<int64_t>(all.first, first_key_) - first_key_,
            std::min(all.last, last_key_) - first_key_};
  }
  bool any_key(int64_t row, int64_t end) const {
    for (; row < end; ++row) {
      const KeyRange keys = range(row);
      if (keys.first < keys.last) return true;
    }
    return false;
  }

  // Panels of tile_m rows, scaled; rows past the end are zeros.
  void pack_queries() {
    const int64_t tile = kernels_.tile_m;
    const auto scale = static_cast<float>(sizes_.scale);
    for (int64_t row = row0_; row < round_up(row1_, tile); ++row) {
      const int64_t place = row - row0_;
      float* out = queries_ + place / tile * tile * sizes_.d + place % tile;
      if (row >= row1_) {
        for (int64_t p = 0; p < sizes_.d; ++p) out[p * tile] = 0;
        continue;
      }
      const float* q = data_.q + sizes_.q.at(batch_, head(row), query(row));
      for (int64_t p = 0; p < sizes_.d; ++p) out[p * tile] = q[p] * scale;
    }
  }

  void pack_block() {
    const int64_t count = last_key_ - first_key_;
    micro::pack_columns(kernels_, data_.k + shape_.k.at(batch_, kv_head_, first_key_), 1,
                        shape_.k.row_stride, sizes_.d, count, keys_);
    if (shape_.packs_values) {
      micro::pack_columns(kernels_, data_.v + shape_.v.at(batch_, kv_head_, first_key_),
                          shape_.v.row_stride, 1, count, sizes_.v_d, values_);
    }
  }

  // rows x keys of the block: scores, weights, and the values they stand for.
  void run_tile(int64_t row, int64_t rows) {
    const int64_t place = row - row0_;
    const int64_t count = last_key_ - first_key_;
    // A product of depth zero is one block, so that the scores are written.
    for (int64_t p = 0; p < std::max<int64_t>(sizes_.d, 1); p += kDepthBlock) {
      for (int64_t key = 0; key < count; key += kernels_.tile_n) {
        kernels_.gemm_tile(rows, vectors(count - key),
                           {.k = std::min(kDepthBlock, sizes_.d - p),
                            .a = queries_ + place * sizes_.d + p * kernels_.tile_m,
                            .b = keys_ + key * sizes_.d + p * kernels_.tile_n,
                            .b_stride = kernels_.tile_n,
                            .c = scores_ + key,
                            .c_stride = shape_.block_keys,
                            .accumulate = p != 0});
      }
    }
    for (int64_t i = 0; i < rows; ++i) weigh(row + i, scores_ + i * shape_.block_keys, count);
    micro::pack_rows(kernels_, scores_, shape_.block_keys, 1, rows, count, weights_);
    for (int64_t col = 0; col < sizes_.v_d; col += kernels_.tile_n) {
      const float* values = shape_.packs_values
                                ? values_ + col * count
                                : data_.v + shape_.v.at(batch_, kv_head_, first_key_) + col;
      kernels_.gemm_tile(rows, vectors(sizes_.v_d - col),
                         {.k = count,
                          .a = weights_,
                          .b = values,
                          .b_stride = shape_.packs_values ? kernels_.tile_n : shape_.v.row_stride,
                          .c = output_ + place * shape_.wide_v + col,
                          .c_stride = shape_.wide_v,
                          .accumulate = true});
    }
  }

  int64_t vectors(int64_t columns) const {
    return ceil_div(std::min(kernels_.tile_n, columns), kernels_.lanes);
  }

  // One row of scores becomes weights e^(score - peak); what was summed before is corrected.
  void weigh(int64_t row, float* scores, int64_t count) {
    if (shape_.softcap > 0) cap(scores, count);
    KeyRange keys = range(row);
    if (shape_.has_mask) {
      keys.last = std::min(keys.last, shape_.mask_keys - first_key_);
      if (keys.first < keys.last) add_mask(row, keys, scores);
    }
    keys.last = std::max(keys.last, keys.first);
    std::fill_n(scores, std::min(keys.first, count), 0.0f);
    if (keys.last < count) std::fill_n(scores + keys.last, count - keys.last, 0.0f);
    if (keys.first >= std::min(keys.last, count)) return;

    const int64_t length = keys.last - keys.first;
    float* part = scores + keys.first;
    float& peak = peaks_[row - row0_];
    float& sum = sums_[row - row0_];
    float found = kernels_.max(part, length);
    if (found != found && shape_.has_mask && !shape_.mask_is_bool) {
      hide_masked(row, keys, part);
      found = kernels_.max(part, length);
    }
    const float raised = found > peak || found != found ? found : peak;
    if (raised == kMasked) {  // nothing but masked keys so far
      std::fill_n(part, length, 0.0f);
      return;
    }
    const float added = kernels_.exp_sum(part, raised, part, length);
    if (raised != peak && sum != 0) {
      const float factor = std::exp(peak - raised);
      sum *= factor;
      scale(output_ + (row - row0_) * shape_.wide_v, factor);
    }
    sum += added;
    peak = raised;
  }

  void cap(float* scores, int64_t count) const {
    const float inverse = 1 / shape_.softcap;
    const float* factor = &inverse;
    kernels_.binary(micro::Binary::kMul,
                    {.a = scores, .b = factor, .b_repeats = true, .dst = scores, .count = count});
    kernels_.unary({micro::Unary::kTanh}, scores, scores, count);
    kernels_.binary(
        micro::Binary::kMul,
        {.a = scores, .b = &shape_.softcap, .b_repeats = true, .dst = scores, .count = count});
  }

  // Element offset of the mask for key `keys.first` of the block.
  int64_t mask_at(int64_t row, const KeyRange& keys) const {
    return batch_ * shape_.mask_strides[0] + head(row) * shape_.mask_strides[1] +
           query(row) * shape_.mask_strides[2] + first_key_ + keys.first;
  }

  void add_mask(int64_t row, const KeyRange& keys, float* scores) const {
    const int64_t at = mask_at(row, keys);
    const int64_t length = keys.last - keys.first;
    float* part = scores + keys.first;
    if (shape_.mask_is_bool) {
      const std::byte* mask = data_.mask + at;
      for (int64_t i = 0; i < length; ++i) part[i] = mask[i] != std::byte{0} ? part[i] : kMasked;
      return;
    }
    kernels_.binary(micro::Binary::kAdd,
                    {.a = part, .b = float_mask() + at, .dst = part, .count = length});
  }
  const float* float_mask() const { return reinterpret_cast<const float*>(data_.mask); }

  // A score that is NaN or infinity does not come through a bias of -infinity.
  void hide_masked(int64_t row, const KeyRange& keys, float* part) const {
    const float* mask = float_mask() + mask_at(row, keys);
    for (int64_t i = 0; i < keys.last - keys.first; ++i) {
      if (mask[i] == kMasked) part[i] = kMasked;
    }
  }

  void scale(float* row, float factor) const {
    kernels_.binary(micro::Binary::kMul,
                    {.a = row, .b = &factor, .b_repeats = true, .dst = row, .count = sizes_.v_d});
  }

  void finish(int64_t row) const {
    const float sum = sums_[row - row0_];
    const float factor = sum == 0 ? 0.0f : 1 / sum;
    kernels_.binary(micro::Binary::kMul,
                    {.a = output_ + (row - row0_) * shape_.wide_v,
                     .b = &factor,
                     .b_repeats = true,
                     .dst = data_.y + sizes_.y.at(batch_, head(row), query(row)),
                     .count = sizes_.v_d});
  }

  const Shape4& shape_;
  const AttentionSizes& sizes_;
  const micro::MicroKernels& kernels_;
  const Data& data_;
  int64_t batch_ = 0, kv_head_ = 0, row0_ = 0, row1_ = 0;
  int64_t first_key_ = 0, last_key_ = 0;  // of the block
  ops::KeyCount count_;
  float *queries_, *keys_, *values_, *scores_, *weights_, *output_, *peaks_, *sums_;
};

class AttentionPlan final : public KernelPlan {
 public:
  AttentionPlan(const Shape4& shape, int64_t threads)
      : shape_(shape),
        slot_(shape_),
        slots_(std::max<int64_t>(std::min(threads, shape.tasks()), 1)) {}
  int64_t scratch_bytes() const noexcept override { return slots_ * slot_.total * 4; }

  Status run(const KernelRun& run) const noexcept override {
    Data data = {.q = floats(run.in[ops::kQuery]),
                 .k = floats(run.in[ops::kKey]),
                 .v = floats(run.in[ops::kValue]),
                 .mask = shape_.has_mask ? run.in[ops::kMask].data : nullptr,
                 .nonpad = nullptr,
                 .y = mutable_floats(run.out[0])};
    if (run.in.size() > ops::kNonpad && !run.in[ops::kNonpad].absent()) {
      data.nonpad = run.in[ops::kNonpad].as<int64_t>().data();
    }
    if (shape_.joins) {
      const AttentionSizes& sizes = shape_.sizes;
      const bool has_past = sizes.has_past;
      join(run, data.k, sizes.k, has_past ? floats(run.in[ops::kPastKey]) : nullptr, sizes.d,
           mutable_floats(run.out[1]));
      join(run, data.v, sizes.v, has_past ? floats(run.in[ops::kPastValue]) : nullptr, sizes.v_d,
           mutable_floats(run.out[2]));
      data.k = floats(run.out[1]);
      data.v = floats(run.out[2]);
    }
    float* scratch = scratch_floats(run).data();
    const int64_t slots =
        std::min(slots_, micro::slot_count(run.pool, shape_.tasks(), shape_.flops()));
    micro::for_each_task(run.pool, shape_.tasks(), slots, [&](int64_t task, int64_t slot) {
      Task(shape_, slot_, data, task, scratch + slot * slot_.total).run();
    });
    return ok();
  }

 private:
  // out[b, h, s, :] = past rows, then new ones.
  void join(const KernelRun& run, const float* fresh, const HeadLayout& layout, const float* past,
            int64_t d, float* out) const {
    const AttentionSizes& sizes = shape_.sizes;
    const int64_t heads = sizes.batch * sizes.kv_heads;
    const double head_bytes = 8.0 * static_cast<double>(sizes.total_len * d);
    parallel_items(run.pool, heads, head_bytes, [&](int64_t begin, int64_t end) {
      for (int64_t head = begin; head < end; ++head) {
        float* to = out + head * sizes.total_len * d;
        const int64_t past_floats = sizes.past_len * d;
        std::copy_n(past + head * past_floats, past_floats, to);
        to += past_floats;
        for (int64_t s = 0; s < sizes.new_len; ++s) {
          const int64_t at = layout.at(head / sizes.kv_heads, head % sizes.kv_heads, s);
          std::copy_n(fresh + at, d, to + s * d);
        }
      }
    });
  }

  Shape4 shape_;
  Slot slot_;
  int64_t slots_;
};

bool supports(const KernelNode& node) {
  for (const int64_t input : {ops::kQuery, ops::kKey, ops::kValue}) {
    if (!is_f32(node, input)) return false;
  }
  if (node.has(ops::kMask) && !is_f32(node, ops::kMask) &&
      node.type(ops::kMask).dtype != DType::kBool) {
    return false;
  }
  // Past keys are joined with the new ones in the outputs. All scores are never there to be given.
  const size_t outputs = node.out.size();
  const bool has_past = node.has(ops::kPastKey);
  return has_past ? outputs == 3 : outputs == 1 || outputs == 3;
}

void set_mask(const KernelNode& node, Shape4& shape) {
  shape.has_mask = node.has(ops::kMask);
  if (!shape.has_mask) return;
  shape.mask_is_bool = node.type(ops::kMask).dtype == DType::kBool;
  Dims dims = in_dims(node, ops::kMask);
  dims.insert(dims.begin(), 4 - dims.size(), 1);
  shape.mask_keys = dims[3];
  int64_t stride = dims[3];
  for (size_t axis = 3; axis-- > 0;) {
    shape.mask_strides[axis] = dims[axis] == 1 ? 0 : stride;
    stride *= dims[axis];
  }
}

/// Enough tasks that a thread which loses its core for a while does not hold up the others.
void split_rows(int64_t threads, Shape4& shape) {
  const int64_t tile = shape.kernels->tile_m;
  const int64_t heads = std::max<int64_t>(shape.sizes.batch * shape.sizes.kv_heads, 1);
  const int64_t tiles = std::max<int64_t>(ceil_div(shape.rows(), tile), 1);
  const int64_t wanted = threads == 1 ? 1 : ceil_div(4 * threads, heads);
  const int64_t fit = kBlockFloats / std::max<int64_t>(shape.sizes.d, 1);
  const int64_t most = std::max<int64_t>(std::min(kMostRows, fit) / tile, 1);
  shape.block_rows = std::min(most, ceil_div(tiles, std::min(wanted, tiles))) * tile;
  shape.blocks = ceil_div(shape.rows(), shape.block_rows);
}

PlanResult prepare(const KernelNode& node, std::span<const Tensor>) {
  const micro::MicroKernels& kernels = micro::micro_kernels(node.isa);
  const bool has_past = node.has(ops::kPastKey);
  const Dims past = has_past ? in_dims(node, ops::kPastKey) : Dims{};
  Shape4 shape = {.sizes = ops::attention_sizes(
                      in_dims(node, ops::kQuery), in_dims(node, ops::kKey),
                      in_dims(node, ops::kValue), has_past ? &past : nullptr, node.attrs),
                  .kernels = &kernels,
                  .bounds = ops::KeyBounds(node.attrs),
                  .softcap = static_cast<float>(node.attrs.f64("softcap"))};
  const AttentionSizes& sizes = shape.sizes;
  set_mask(node, shape);
  shape.joins = node.out.size() == 3;
  shape.k = sizes.k;
  shape.v = sizes.v;
  if (shape.joins) {
    const int64_t rows = sizes.total_len;
    shape.k = {sizes.kv_heads * rows * sizes.d, rows * sizes.d, sizes.d};
    shape.v = {sizes.kv_heads * rows * sizes.v_d, rows * sizes.v_d, sizes.v_d};
  }
  shape.packs_values = sizes.v_d % kernels.lanes != 0;
  shape.wide_v = round_up(sizes.v_d, kernels.tile_n);
  const int64_t widest = std::max<int64_t>({sizes.d, sizes.v_d, 1});
  const int64_t fit = std::clamp(kBlockFloats / widest, 2 * kernels.tile_n, kKeyBlock);
  shape.block_keys = round_up(std::clamp<int64_t>(sizes.total_len, 1, fit), kernels.tile_n);
  split_rows(node.threads, shape);
  return std::unique_ptr<KernelPlan>(std::make_unique<AttentionPlan>(shape, node.threads));
}

}  // namespace

std::vector<Kernel> attention() {
  return {{.name = "attention_f32", .op = "Attention", .supports = supports, .prepare = prepare}};
}

}  // namespace npugraph::kernels
