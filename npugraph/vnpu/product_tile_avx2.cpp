// SPDX-License-Identifier: Apache-2.0
#include "npugraph/vnpu/product_tile.h"

namespace npugraph::vnpu {

const ProductTile& product_tile_avx2() noexcept { return kTile<4, 6, 2>; }

}  // namespace npugraph::vnpu
