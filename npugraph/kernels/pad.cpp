// SPDX-License-Identifier: Apache-2.0
// Pad with a constant, of any dtype of 1, 2, 4 or 8 bytes, with pads known at compile time: the
// output is filled, then what is kept of the input is copied row by row.
#include <cstring>

#include "npugraph/kernels/strided_copy.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph::kernels {
namespace {

bool supports(const KernelNode& node) {
  return is_movable(node.type(0).dtype) && rank_of(node, 0) >= 1 &&
         node.attrs.str("mode") == "constant" && node.constant(1) != nullptr &&
         (!node.has(3) || node.constant(3) != nullptr);
}

void fill(std::byte* out, int64_t count, const std::byte* value, int64_t element) {
  const auto step = static_cast<size_t>(element);
  for (int64_t i = 0; i < count; ++i) std::memcpy(out + i * element, value, step);
}

PlanResult prepare(const KernelNode& node, std::span<const Tensor>) {
  const Dims x = in_dims(node, 0);
  const Dims y = out_dims(node);
  const auto rank = static_cast<int64_t>(x.size());
  const Ints pads = ints_of(node.constant(1)->view());
  Ints axes;
  if (node.has(3)) {
    axes = ints_of(node.constant(3)->view());
  } else {
    for (int64_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
  }
  if (pads.size() != 2 * axes.size()) {
    return fail(ErrorId::kShapeMismatch, "number of pads of Pad");
  }
  // The box of elements that stay, in both tensors; negative pads cut the input.
  Dims box = x;
  const Dims in_steps = strides_of(x);
  const Dims out_steps = strides_of(y);
  int64_t in_offset = 0;
  int64_t out_offset = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    NPU_LET(const int64_t axis, wrap_axis(axes[i], rank));
    const int64_t before = pads[i];
    const int64_t after = pads[i + axes.size()];
    box[static_cast<size_t>(axis)] += std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0);
    in_offset += std::max<int64_t>(-before, 0) * dim(in_steps, axis);
    out_offset += std::max<int64_t>(before, 0) * dim(out_steps, axis);
  }
  const bool is_empty = std::any_of(box.begin(), box.end(), [](int64_t d) { return d <= 0; });
  const int64_t element = *element_bytes(node.type(0).dtype);
  auto loop = RowLoop<2>::strided(box, {in_steps, out_steps});
  const int64_t count = product_of(y);
  const bool has_value = node.has(2);
  return make_plan([=, loop = std::move(loop)](const KernelRun& run) noexcept -> Status {
    const uint64_t zero = 0;
    const std::byte* value = has_value ? run.in[2].data : reinterpret_cast<const std::byte*>(&zero);
    fill(run.out[0].data, count, value, element);
    if (is_empty) return ok();
    const std::byte* in = run.in[0].data + in_offset * element;
    std::byte* out = run.out[0].data + out_offset * element;
    const auto bytes = static_cast<size_t>(loop.inner() * element);
    const bool is_row = loop.inner_step(0) == 1 && loop.inner_step(1) == 1;
    for (int64_t row = 0; row < loop.rows(); ++row) {
      const auto at = loop.offsets(row);
      if (is_row) {
        std::memcpy(out + at[1] * element, in + at[0] * element, bytes);
        continue;
      }
      for (int64_t i = 0; i < loop.inner(); ++i) {
        std::memcpy(out + (at[1] + i * loop.inner_step(1)) * element,
                    in + (at[0] + i * loop.inner_step(0)) * element, static_cast<size_t>(element));
      }
    }
    return ok();
  });
}

}  // namespace

std::vector<Kernel> pad() {
  return {{.name = "pad_constant", .op = "Pad", .supports = supports, .prepare = prepare}};
}

}  // namespace npugraph::kernels
