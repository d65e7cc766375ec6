// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tools/measure/latency.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace npugraph::tools {

double nearest_rank(std::span<const double> sorted, int percent) {
  // In integers: 0.07 * 100 rounds up in doubles.
  const size_t rank = (static_cast<size_t>(percent) * sorted.size() + 99) / 100;
  return sorted[std::clamp<size_t>(rank, 1, sorted.size()) - 1];
}

Latency latency(std::span<const double> samples) {
  if (samples.empty()) return {};
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const size_t count = sorted.size();
  const double sum = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  return {.mean = sum / static_cast<double>(count),
          .median =
              count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2,
          .p90 = nearest_rank(sorted, 90),
          .p99 = nearest_rank(sorted, 99),
          .min = sorted.front(),
          .max = sorted.back()};
}

}  // namespace npugraph::tools
