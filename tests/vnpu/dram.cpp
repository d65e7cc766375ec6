// SPDX-License-Identifier: Apache-2.0
#include "npugraph/vnpu/dram.h"

#include <gtest/gtest.h>

namespace npugraph::vnpu {
namespace {

TEST(Dram, addresses_are_tagged_offsets_that_no_host_pointer_can_be) {
  Dram dram(1 << 20);
  const auto address = dram.allocate(100, 256);
  ASSERT_TRUE(address.has_value());
  EXPECT_EQ(*address >> 48, kAddressTag >> 48);
  EXPECT_EQ(*address % 256, 0u);
  EXPECT_NE(*address & 0xffff'ffff'ffff, 0u);
}

TEST(Dram, resolves_only_what_is_allocated) {
  Dram dram(1 << 20);
  const DeviceAddress one = *dram.allocate(100, 64);
  const DeviceAddress two = *dram.allocate(100, 64);
  EXPECT_NE(dram.resolve(one, 100), nullptr);
  EXPECT_NE(dram.resolve(one + 40, 60), nullptr);
  EXPECT_EQ(dram.resolve(one + 40, 61), nullptr);
  EXPECT_EQ(dram.resolve(one, -1), nullptr);
  EXPECT_EQ(dram.resolve(one & 0xffff, 1), nullptr) << "an address without the tag";
  EXPECT_EQ(dram.resolve(kAddressTag, 1), nullptr);
  dram.release(one);
  EXPECT_EQ(dram.resolve(one, 1), nullptr);
  EXPECT_NE(dram.resolve(two, 100), nullptr);
  EXPECT_EQ(*dram.allocate(128, 64), one) << "the first gap that fits is used again";
}

TEST(Dram, says_how_much_there_is_when_it_is_full) {
  Dram dram(1 << 20);
  const DeviceAddress first = *dram.allocate(1 << 19, 64);
  const auto second = dram.allocate(1 << 19, 64);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().id, ErrorId::kOutOfMemory);
  EXPECT_NE(second.error().expected.find("1048576"), std::string::npos);
  EXPECT_NE(second.error().expected.find("524288"), std::string::npos);
  EXPECT_FALSE(dram.allocate(INT64_MAX, 64).has_value());
  dram.release(first);
  EXPECT_TRUE(dram.allocate(1 << 19, 64).has_value());
}

}  // namespace
}  // namespace npugraph::vnpu
