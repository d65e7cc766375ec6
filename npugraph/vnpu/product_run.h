// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "npugraph/base/checked.h"
#include "npugraph/micro/parallel.h"
#include "npugraph/vnpu/product.h"

namespace npugraph::vnpu {

template <class GetProduct, class GetColumns>
void Workers::run(int64_t count, const GetProduct& product, const GetColumns& columns) noexcept {
  if (count == 0) return;
  const Product first = product(0);
  if (first.m == 0 || first.n == 0) return;
  const int64_t row_blocks = ceil_div(first.m, kBlockRows);
  const int64_t column_blocks = ceil_div(first.n, kBlockColumns);
  const int64_t blocks = row_blocks * column_blocks;
  const double flops = 2.0 * static_cast<double>(count) * static_cast<double>(first.m) *
                       static_cast<double>(first.n) * static_cast<double>(first.k);
  const int64_t slots = micro::slot_count(*pool_, count * blocks, flops);
  micro::for_each_task(*pool_, count * blocks, slots, [&](int64_t task, int64_t slot) {
    const int64_t index = task / blocks;
    const int64_t block = task % blocks;
    run_block(product(index), columns(index), block / column_blocks * kBlockRows,
              block % column_blocks * kBlockColumns, spaces_[static_cast<size_t>(slot)]);
  });
}

}  // namespace npugraph::vnpu
