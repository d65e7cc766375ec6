// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ops/tensor/scatter.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace npugraph::ops {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"none", "add", "mul", "max", "min"};

double combine(Reduction reduction, double a, double b) {
  switch (reduction) {
    case Reduction::kNone:
      return b;
    case Reduction::kAdd:
      return a + b;
    case Reduction::kMul:
      return a * b;
    case Reduction::kMax:
      return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
    case Reduction::kMin:
      return std::isnan(a) || std::isnan(b) ? a + b : std::min(a, b);
  }
  return b;
}

/// In unsigned arithmetic, which wraps.
int64_t combine_ints(Reduction reduction, int64_t a, int64_t b, bool is_unsigned) {
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  const bool a_less = is_unsigned ? ua < ub : a < b;
  switch (reduction) {
    case Reduction::kNone:
      return b;
    case Reduction::kAdd:
      return static_cast<int64_t>(ua + ub);
    case Reduction::kMul:
      return static_cast<int64_t>(ua * ub);
    case Reduction::kMax:
      return a_less ? b : a;
    case Reduction::kMin:
      return a_less ? a : b;
  }
  return b;
}

}  // namespace

Result<Reduction> parse_reduction(std::string_view name) {
  const auto hit = std::find(kNames.begin(), kNames.end(), name);
  if (hit == kNames.end())
    return fail(ErrorId::kBadAttribute, "attribute 'reduction'", std::string(name),
                "none | add | mul | max | min");
  return static_cast<Reduction>(hit - kNames.begin());
}

AttrSchema reduction_attr() {
  return {.name = "reduction",
          .kind = AttrKind::kString,
          .fallback = std::string("none"),
          .choices = {kNames.begin(), kNames.end()}};
}

void scatter_element(Reduction reduction, const TensorView& from, int64_t i, const TensorView& to,
                     int64_t j) {
  if (reduction == Reduction::kNone)
    copy_elements(from, i, to, j);
  else if (is_float(to.dtype))
    to.store(j, combine(reduction, to.load(j), from.load(i)));
  else
    to.store_int(j,
                 combine_ints(reduction, to.load_int(j), from.load_int(i), !is_signed(to.dtype)));
}

}  // namespace npugraph::ops
