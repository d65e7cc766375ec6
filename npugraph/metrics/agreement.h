// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "npugraph/base/result.h"
#include "npugraph/tensor/tensor.h"

namespace npugraph {

/// How far tensor a is from its reference b, by five measures over all elements.
///
/// Two elements that are both NaN, or the same infinity, agree; they take part in no sum and no
/// maximum. An element that is NaN or infinite on one side only, or infinite with opposite signs,
/// is a mismatch: with one or more of them max_abs, relative_error and relative_euclid are
/// infinite, cosine is 0 and sqnr_db is minus infinity, whatever the other elements are.
struct Agreement {
  /// sum(a*b) / (sqrt(sum(a^2)) * sqrt(sum(b^2))); 1 when both are zero everywhere (or empty), 0
  /// when only one of them is.
  double cosine = 1;
  /// max|a - b|
  double max_abs = 0;
  /// max|a - b| / max|b|; infinite when b is zero everywhere and a is not.
  double relative_error = 0;
  /// sqrt(sum((a - b)^2)) / sqrt(sum(b^2)); infinite when b is zero everywhere and a is not.
  double relative_euclid = 0;
  /// Signal to quantisation noise: 10 * log10(sum(b^2) / sum((a - b)^2)) dB; infinite when a equals
  /// b, minus infinity when b is zero everywhere and a is not.
  double sqnr_db = 0;
  int64_t elements = 0;
  int64_t mismatches = 0;  // elements that are finite on one side only
};

/// All measures at once. a, b: equal dims, any dtypes; values are compared as numbers in double,
/// differences of two 64-bit integers exactly. Errors: kShapeMismatch.
Result<Agreement> agreement(const TensorView& a, const TensorView& b);

/// One measure of agreement(). Errors: kShapeMismatch.
Result<double> cosine(const TensorView& a, const TensorView& b);
Result<double> max_abs(const TensorView& a, const TensorView& b);
Result<double> relative_error(const TensorView& a, const TensorView& b);
Result<double> relative_euclid(const TensorView& a, const TensorView& b);
Result<double> sqnr_db(const TensorView& a, const TensorView& b);

}  // namespace npugraph
