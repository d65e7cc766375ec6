// SPDX-License-Identifier: Apache-2.0
// Where with broadcasting, of any dtype of 1, 2, 4 or 8 bytes.
#include "npugraph/kernels/strided_copy.h"

namespace npugraph::kernels {
namespace {

bool supports(const KernelNode& node) { return is_movable(node.type(1).dtype); }

template <class T>
PlanResult plan_of(const KernelNode& node) {
  RowLoop<3> loop(out_dims(node), {in_dims(node, 0), in_dims(node, 1), in_dims(node, 2)});
  return make_plan([loop = std::move(loop)](const KernelRun& run) noexcept -> Status {
    const auto* condition = reinterpret_cast<const uint8_t*>(run.in[0].data);
    const T* x = reinterpret_cast<const T*>(run.in[1].data);
    const T* y = reinterpret_cast<const T*>(run.in[2].data);
    T* out = reinterpret_cast<T*>(run.out[0].data);
    const int64_t step[3] = {loop.inner_step(0), loop.inner_step(1), loop.inner_step(2)};
    loop.run(run.pool, 6, [&](std::array<int64_t, 3> at, int64_t to, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        const T yes = x[at[1] + i * step[1]];
        const T no = y[at[2] + i * step[2]];
        out[to + i] = condition[at[0] + i * step[0]] != 0 ? yes : no;
      }
    });
    return ok();
  });
}

PlanResult prepare(const KernelNode& node, std::span<const Tensor>) {
  switch (*element_bytes(node.type(1).dtype)) {
    case 1:
      return plan_of<uint8_t>(node);
    case 2:
      return plan_of<uint16_t>(node);
    case 4:
      return plan_of<uint32_t>(node);
    default:
      return plan_of<uint64_t>(node);
  }
}

}  // namespace

std::vector<Kernel> where() {
  return {
      {.name = "where", .op = "Where", .in_place = {-1}, .supports = supports, .prepare = prepare}};
}

}  // namespace npugraph::kernels
