// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "npugraph/lower/partition.h"

namespace npugraph {

/// Puts units in an order in which every value is made before it is read.
/// order: node names as the user wants them (a region runs at its first name's place); empty: the
/// graph's own order, or with `minimise_memory` the better of that and a greedy search that next
/// runs the unit which leaves the fewest bytes alive. Symbols count as 64.
/// Errors: kBadOrder (a name unknown or missing, or a value read before it is made).
Result<std::vector<Unit>> schedule_units(const Graph& graph, std::vector<Unit> units,
                                         std::span<const std::string> order, bool minimise_memory);

}  // namespace npugraph
