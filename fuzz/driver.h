// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <random>
#include <span>
#include <string_view>
#include <vector>

namespace npugraph::fuzz {

using Bytes = std::vector<std::byte>;
using Random = std::mt19937_64;

/// One execution of the target with one input: must return, whatever the bytes are. Defined by each
/// target.
void fuzz_one(std::span<const std::byte> bytes);

/// Changes to an input that know its format; defined by each target. `other` is another input of
/// the corpus. May leave the input alone: the driver's own mutations follow in half of the runs.
void mutate_format(Bytes& bytes, const Bytes& other, Random& random);

/// Changes the fields of a protobuf message at some depth: numbers, lengths, deleted, doubled and
/// moved fields; the lengths around them stay right. For targets whose format is protobuf.
void mutate_protobuf(Bytes& bytes, const Bytes& other, Random& random);

}  // namespace npugraph::fuzz
