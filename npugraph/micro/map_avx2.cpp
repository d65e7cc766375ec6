// SPDX-License-Identifier: Apache-2.0
#include "npugraph/micro/map.h"

#include "npugraph/micro/tables.h"

namespace npugraph::micro {

void unary_avx2(const Activation& op, const float* x, float* y, int64_t count) noexcept {
  visit_unary(op.op, UnaryVisitor<8>{op, x, y, count});
}

void finish_row_avx2(const FinishRow& row) noexcept {
  visit_unary(row.activation.op, FinishVisitor<8>{row});
}

void binary_avx2(Binary op, const BinaryRow& row) noexcept { binary_dispatch<8>(op, row); }

}  // namespace npugraph::micro
