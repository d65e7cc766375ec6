// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace npugraph::tools {

/// Statistics of latencies, in their own unit. Percentiles are nearest-rank: the smallest sample
/// that at least that share of the samples does not exceed. The median of an even count is the mean
/// of the two in the middle.
struct Latency {
  double mean = 0;
  double median = 0;
  double p90 = 0;
  double p99 = 0;
  double min = 0;
  double max = 0;
};

/// All zero for no samples.
Latency latency(std::span<const double> samples);

/// The nearest-rank percentile of ascending samples: element ceil(percent / 100 * n), from 1.
double nearest_rank(std::span<const double> sorted, int percent);

}  // namespace npugraph::tools
