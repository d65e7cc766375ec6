// SPDX-License-Identifier: Apache-2.0
#include "npugraph/micro/map.h"

#include "npugraph/micro/tables.h"

namespace npugraph::micro {

void unary_portable(const Activation& op, const float* x, float* y, int64_t count) noexcept {
  visit_unary(op.op, UnaryVisitor<4>{op, x, y, count});
}

void finish_row_portable(const FinishRow& row) noexcept {
  visit_unary(row.activation.op, FinishVisitor<4>{row});
}

void binary_portable(Binary op, const BinaryRow& row) noexcept { binary_dispatch<4>(op, row); }

}  // namespace npugraph::micro
