// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tools/measure/latency.h"

#include <gtest/gtest.h>

#include <vector>

namespace npugraph::tools {
namespace {

TEST(Latency, percentiles_are_nearest_rank) {
  // The textbook example: 15, 20, 35, 40, 50; P30 is rank ceil(1.5) = 2, P40 rank 2, P50 rank 3.
  const std::vector<double> sorted = {15, 20, 35, 40, 50};
  EXPECT_EQ(nearest_rank(sorted, 5), 15);
  EXPECT_EQ(nearest_rank(sorted, 30), 20);
  EXPECT_EQ(nearest_rank(sorted, 40), 20);
  EXPECT_EQ(nearest_rank(sorted, 50), 35);
  EXPECT_EQ(nearest_rank(sorted, 100), 50);
}

TEST(Latency, of_a_hundred_samples_takes_the_90th_and_the_99th) {
  std::vector<double> samples;
  for (int i = 100; i >= 1; --i) samples.push_back(i);
  const Latency row = latency(samples);
  EXPECT_EQ(row.p90, 90);
  EXPECT_EQ(row.p99, 99);
  EXPECT_EQ(row.median, 50.5);
  EXPECT_EQ(row.mean, 50.5);
  EXPECT_EQ(row.min, 1);
  EXPECT_EQ(row.max, 100);
}

TEST(Latency, of_one_sample_is_that_sample) {
  const Latency row = latency(std::vector<double>{7});
  EXPECT_EQ(row.p99, 7);
  EXPECT_EQ(row.median, 7);
}

TEST(Latency, of_nothing_is_zero) { EXPECT_EQ(latency({}).mean, 0); }

}  // namespace
}  // namespace npugraph::tools
