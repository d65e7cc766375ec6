// SPDX-License-Identifier: Apache-2.0
#include "npugraph/metrics/agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "npugraph/base/text.h"

namespace npugraph {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One pair of elements as doubles, with their difference.
struct Pair {
  double a = 0;
  double b = 0;
  double difference = 0;
};

bool both_int64(const TensorView& a, const TensorView& b) {
  return a.dtype == b.dtype && (a.dtype == DType::kI64 || a.dtype == DType::kU64);
}

Pair load_pair(const TensorView& a, const TensorView& b, int64_t index, bool exact) {
  Pair pair{a.load(index), b.load(index), 0};
  if (!exact) {
    pair.difference = pair.a - pair.b;
    return pair;
  }
  // Neighbouring large integers round to one double: subtract before rounding. Wrapping
  // subtraction of the smaller from the larger is right for signed and unsigned alike.
  const auto x = static_cast<uint64_t>(a.load_int(index));
  const auto y = static_cast<uint64_t>(b.load_int(index));
  const bool less = a.dtype == DType::kI64 ? a.load_int(index) < b.load_int(index) : x < y;
  pair.difference = less ? -static_cast<double>(y - x) : static_cast<double>(x - y);
  return pair;
}

enum class PairKind : uint8_t { kFinite, kSame, kMismatch };

PairKind kind_of(double a, double b) {
  if (std::isfinite(a) && std::isfinite(b)) return PairKind::kFinite;
  if ((std::isnan(a) && std::isnan(b)) || a == b) return PairKind::kSame;
  return PairKind::kMismatch;
}

/// Largest magnitudes; the sums are then taken of values divided by them, so that no square
/// overflows or vanishes.
struct Peaks {
  double a = 0;
  double b = 0;
  double difference = 0;
  int64_t mismatches = 0;
};

Peaks find_peaks(const TensorView& a, const TensorView& b, bool exact) {
  Peaks peaks;
  const int64_t count = a.elements();
  for (int64_t i = 0; i < count; ++i) {
    const Pair pair = load_pair(a, b, i, exact);
    const PairKind kind = kind_of(pair.a, pair.b);
    peaks.mismatches += kind == PairKind::kMismatch ? 1 : 0;
    if (kind != PairKind::kFinite) continue;
    peaks.a = std::max(peaks.a, std::abs(pair.a));
    peaks.b = std::max(peaks.b, std::abs(pair.b));
    peaks.difference = std::max(peaks.difference, std::abs(pair.difference));
  }
  return peaks;
}

/// Sums over finite pairs, of values divided by their peaks.
struct Sums {
  double aa = 0;
  double bb = 0;
  double ab = 0;
  double dd = 0;
};

Sums add_up(const TensorView& a, const TensorView& b, bool exact, const Peaks& peaks) {
  const auto unit = [](double peak) { return peak > 0 ? peak : 1.0; };
  const double unit_a = unit(peaks.a), unit_b = unit(peaks.b), unit_d = unit(peaks.difference);
  Sums sums;
  const int64_t count = a.elements();
  for (int64_t i = 0; i < count; ++i) {
    const Pair pair = load_pair(a, b, i, exact);
    if (kind_of(pair.a, pair.b) != PairKind::kFinite) continue;
    const double x = pair.a / unit_a, y = pair.b / unit_b, d = pair.difference / unit_d;
    sums.aa += x * x;
    sums.bb += y * y;
    sums.ab += x * y;
    // f64 differences may be infinite though both sides are finite.
    sums.dd += std::isfinite(d) ? d * d : 1.0;
  }
  return sums;
}

double cosine_of(const Sums& sums) {
  if (sums.aa == 0 && sums.bb == 0) return 1;
  if (sums.aa == 0 || sums.bb == 0) return 0;
  return std::clamp(sums.ab / (std::sqrt(sums.aa) * std::sqrt(sums.bb)), -1.0, 1.0);
}

double euclid_of(const Peaks& peaks, const Sums& sums) {
  if (peaks.difference == 0) return 0;
  if (peaks.b == 0) return kInfinity;
  return peaks.difference / peaks.b * std::sqrt(sums.dd / sums.bb);
}

double sqnr_of(const Peaks& peaks, const Sums& sums) {
  if (peaks.difference == 0) return kInfinity;
  if (peaks.b == 0) return -kInfinity;
  return 20 * (std::log10(peaks.b) - std::log10(peaks.difference)) +
         10 * (std::log10(sums.bb) - std::log10(sums.dd));
}

}  // namespace

Result<Agreement> agreement(const TensorView& a, const TensorView& b) {
  if (a.dims != b.dims)
    return fail(ErrorId::kShapeMismatch, "tensors of unequal shapes cannot be compared",
                dims_str(a.dims), text(dims_str(b.dims), ", the shape of the reference"));
  const bool exact = both_int64(a, b);
  const Peaks peaks = find_peaks(a, b, exact);
  Agreement out{.elements = a.elements(), .mismatches = peaks.mismatches};
  if (peaks.mismatches > 0) {
    out.cosine = 0;
    out.max_abs = out.relative_error = out.relative_euclid = kInfinity;
    out.sqnr_db = -kInfinity;
    return out;
  }
  const Sums sums = add_up(a, b, exact, peaks);
  out.cosine = cosine_of(sums);
  out.max_abs = peaks.difference;
  out.relative_error = peaks.difference == 0 ? 0
                       : peaks.b == 0        ? kInfinity
                                             : peaks.difference / peaks.b;
  out.relative_euclid = euclid_of(peaks, sums);
  out.sqnr_db = sqnr_of(peaks, sums);
  return out;
}

Result<double> cosine(const TensorView& a, const TensorView& b) {
  NPU_LET(const Agreement all, agreement(a, b));
  return all.cosine;
}

Result<double> max_abs(const TensorView& a, const TensorView& b) {
  NPU_LET(const Agreement all, agreement(a, b));
  return all.max_abs;
}

Result<double> relative_error(const TensorView& a, const TensorView& b) {
  NPU_LET(const Agreement all, agreement(a, b));
  return all.relative_error;
}

Result<double> relative_euclid(const TensorView& a, const TensorView& b) {
  NPU_LET(const Agreement all, agreement(a, b));
  return all.relative_euclid;
}

Result<double> sqnr_db(const TensorView& a, const TensorView& b) {
  NPU_LET(const Agreement all, agreement(a, b));
  return all.sqnr_db;
}

}  // namespace npugraph
