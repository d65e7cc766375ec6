// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "npugraph/base/text.h"
#include "tests/kernels/harness.h"

namespace npugraph::test {
namespace {

TEST(KernelRegistry, every_kernel_is_complete_and_of_a_known_operator) {
  std::set<std::string> seen;
  for (const Kernel& kernel : all_kernels()) {
    EXPECT_NE(find_op(kernel.domain, kernel.op), nullptr) << kernel.name;
    EXPECT_NE(kernel.supports, nullptr) << kernel.name;
    EXPECT_NE(kernel.prepare, nullptr) << kernel.name;
    EXPECT_EQ(kernel.packed_inputs.empty(), kernel.pack == nullptr) << kernel.name;
    EXPECT_TRUE(seen.insert(text(kernel.domain, "::", kernel.op, "/", kernel.name)).second)
        << kernel.name << " is there twice";
  }
}

TEST(KernelRegistry, finds_kernels_by_name) {
  const Kernel* conv = find_kernel_by_name("conv_f32", "", "Conv");
  ASSERT_NE(conv, nullptr);
  EXPECT_EQ(conv->name, "conv_f32");
  EXPECT_EQ(find_kernel_by_name("conv_f32", "npugraph", "Conv"), nullptr);
  EXPECT_EQ(find_kernel_by_name("conv_f32", "", "Relu"), nullptr);
  EXPECT_EQ(find_kernel_by_name("nothing", "", "Conv"), nullptr);
  const Kernel* reference = find_kernel_by_name("reference", "", "Conv");
  ASSERT_NE(reference, nullptr);
  EXPECT_EQ(reference->name, "reference");
}

TEST(KernelRegistry, what_no_kernel_takes_runs_by_reference) {
  check({.op = "Sin", .inputs = {data(floats({5}))}, .kernel = "reference", .tolerance = 0});
  check({.op = "Relu", .inputs = {data(Tensor::of_ints({-3, 4}))}, .kernel = "reference"});
}

}  // namespace
}  // namespace npugraph::test
