// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "npugraph/base/result.h"
#include "npugraph/tensor/tensor.h"

namespace npugraph::tools {

/// The array of a .npy file (format versions 1, 2 and 3; C or Fortran order, little-endian): bool,
/// (u)int8..64, float16..64. The input is checked before it is trusted and memory beyond it is
/// taken only for the array itself. Errors: kBadArray. Source: numpy.lib.format.
Result<Tensor> parse_npy(std::span<const std::byte> bytes);

/// A .npy file of `view`, version 1, C order. dtypes that numpy lacks are written as what holds
/// their bits: bfloat16 as uint16, float8 as uint8; 4-bit integers as (u)int8, one an element.
std::string npy_bytes(const TensorView& view);

}  // namespace npugraph::tools
