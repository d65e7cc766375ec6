// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "npugraph/ir/graph.h"

// Permutations of axes as Transpose has them: y.shape[i] = x.shape[perm[i]].
namespace npugraph {

/// The permutation of a Transpose; without the attribute, the axes reversed. Nothing when that
/// depends on a rank that is not known.
std::optional<Ints> permutation_of(const Node& transpose);

/// The permutation of the Transpose that makes `value`; nothing when none does.
std::optional<Ints> permutation_of(const Value* value);

/// Swaps the middle axes: [b, s, h, d] to [b, h, s, d], and back.
inline const Ints kSwapHeads = {0, 2, 1, 3};

/// The one Transpose that does what `first` and then `second` do; both of the same rank.
Ints compose(const Ints& first, const Ints& second);
Ints inverse(const Ints& perm);
bool is_identity(const Ints& perm);

/// Dims of a tensor of `shape` that are not 1 keep their order: no element moves.
bool keeps_order(const Shape& shape, const Ints& perm);

}  // namespace npugraph
