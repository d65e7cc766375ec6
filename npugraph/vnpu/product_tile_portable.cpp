// SPDX-License-Identifier: Apache-2.0
#include "npugraph/vnpu/product_tile.h"

namespace npugraph::vnpu {

const ProductTile& product_tile_portable() noexcept { return kTile<2, 4, 2>; }

}  // namespace npugraph::vnpu
