// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "npugraph/base/platform.h"

namespace npugraph {

/// The ISA levels with files of their own that this processor can run.
inline std::vector<Isa> available_levels() {
  std::vector<Isa> levels;
  for (const Isa isa : {Isa::kPortable, Isa::kAvx2, Isa::kAvx512}) {
    if (isa <= native_isa()) levels.push_back(isa);
  }
  return levels;
}

}  // namespace npugraph
