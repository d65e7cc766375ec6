// SPDX-License-Identifier: Apache-2.0
#include "npugraph/engine/engine.h"

#include <gtest/gtest.h>

#include <cstring>

namespace npugraph {
namespace {

/// One launch that reads an input and two weights, the second equal to the first.
EngineParts small_parts() {
  EngineParts parts;
  TaskPlan& plan = parts.plan;
  plan.devices = {{"cpu", "x86-64 avx2", ""}};
  plan.slots = {{"x", {DType::kF32, Shape{Dim::symbol("b"), 2}}, SlotKind::kInput, 0, 0},
                {"h", {DType::kF32, Shape{Dim::symbol("b"), 2}}, SlotKind::kArena, 0, 0},
                {"y", {DType::kF32, Shape{Dim::symbol("b"), 2}}, SlotKind::kOutput, 0, 0}};
  plan.buffers = {{0, {Dim::symbol("b") * Dim(8)}, 64, 1, 2, -1}};
  Task first;
  first.name = "first";
  first.program = 0;
  first.inputs = {0, -1};
  first.outputs = {1};
  first.step = 1;
  Task second = first;
  second.name = "second";
  second.inputs = {1};
  second.outputs = {2};
  second.step = 2;
  plan.blocks = {{{first, second}}};
  plan.programs = {{0, 0, 4, {0, 1}, "kernel", {"first"}, {"a", "b"}}};
  plan.inputs = {0};
  plan.outputs = {2};
  plan.facts = {{"b", 1, 64, 2}};
  plan.placements = {{"first", "Add", "cpu", "kernel", "", "", ""}};
  plan.passes = {{"fold", 2, 5, 3}};
  plan.metadata = {{"producer", "test"}};
  plan.arena_bytes = {-1};
  plan.peak_live_bytes = {-1};
  parts.graph = "graph";
  parts.code = "code";
  parts.weights = {Tensor::of_floats({1, 2, 3}, {3}), Tensor::of_floats({1, 2, 3}, {3})};
  return parts;
}

/// Opens an engine and touches all that a session would.
Status open_all(std::string bytes) {
  NPU_LET(const auto engine, EngineFile::from_bytes(std::move(bytes)));
  for (int64_t i = 0; i < static_cast<int64_t>(engine->plan().weights.size()); ++i)
    NPU_TRY(EngineFile::weight(engine, i));
  return ok();
}

TEST(engine, what_is_written_is_read_back) {
  const auto bytes = engine_bytes(small_parts());
  ASSERT_TRUE(bytes);
  const auto engine = EngineFile::from_bytes(*bytes);
  ASSERT_TRUE(engine) << engine.error().message();
  const TaskPlan& plan = (*engine)->plan();
  EXPECT_EQ(plan.slots[1].type.str(), "float32[b, 2]");
  EXPECT_EQ(plan.buffers[0].bytes[0], Dim::symbol("b") * Dim(8));
  EXPECT_EQ(plan.blocks[0].tasks[0].inputs, (std::vector<int32_t>{0, -1}));
  EXPECT_EQ(plan.programs[0].origins, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(plan.facts[0].multiple_of, 2);
  EXPECT_EQ(plan.metadata.at("producer"), "test");
  const auto weight = EngineFile::weight(*engine, 0);
  ASSERT_TRUE(weight);
  EXPECT_EQ(weight->as<float>()[2], 3.0f);
}

TEST(engine, equal_weights_are_stored_once) {
  const auto engine = EngineFile::from_bytes(*engine_bytes(small_parts()));
  ASSERT_TRUE(engine);
  EXPECT_EQ((*engine)->plan().weights.size(), 1u);
  EXPECT_EQ((*engine)->plan().programs[0].weights, (std::vector<int32_t>{0, 0}));
}

TEST(engine, equal_parts_give_equal_bytes) {
  EXPECT_EQ(*engine_bytes(small_parts()), *engine_bytes(small_parts()));
}

TEST(engine, every_flipped_byte_is_a_typed_error) {
  const std::string bytes = *engine_bytes(small_parts());
  ASSERT_TRUE(open_all(bytes));
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      const Status status = open_all(std::move(damaged));
      ASSERT_FALSE(status) << "byte " << i;
      ASSERT_TRUE(status.error().id == ErrorId::kEngineCorrupt ||
                  status.error().id == ErrorId::kEngineVersion)
          << status.error().message();
      ASSERT_FALSE(status.error().found.empty()) << status.error().message();
      ASSERT_FALSE(status.error().expected.empty()) << status.error().message();
    }
  }
}

TEST(engine, every_truncation_and_extension_is_a_typed_error) {
  const std::string bytes = *engine_bytes(small_parts());
  for (size_t length = 0; length < bytes.size(); ++length) {
    const Status status = open_all(bytes.substr(0, length));
    ASSERT_FALSE(status) << length;
    ASSERT_EQ(status.error().id, ErrorId::kEngineCorrupt) << status.error().message();
    ASSERT_FALSE(status.error().found.empty()) << status.error().message();
    ASSERT_FALSE(status.error().expected.empty()) << status.error().message();
  }
  EXPECT_FALSE(open_all(bytes + std::string(64, '\0')));
}

TEST(engine, another_format_is_refused_naming_both_versions) {
  std::string bytes = *engine_bytes(small_parts());
  const uint32_t newer = kEngineFormat + 1;
  std::memcpy(bytes.data() + 8, &newer, sizeof(newer));
  std::memcpy(bytes.data() + 12, &newer, sizeof(newer));
  const auto engine = EngineFile::from_bytes(bytes);
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().id, ErrorId::kEngineVersion);
  EXPECT_NE(engine.error().found.find("format 2"), std::string::npos);
  EXPECT_NE(engine.error().expected.find("1..1"), std::string::npos);
}

/// A plan with a good hash is still not believed: every index is checked.
TEST(engine, a_plan_that_points_outside_its_tables_is_refused) {
  using Change = void (*)(TaskPlan&);
  const std::vector<Change> changes = {
      [](TaskPlan& p) { p.blocks[0].tasks[0].inputs[0] = 99; },
      [](TaskPlan& p) { p.blocks[0].tasks[0].inputs[0] = -2; },
      [](TaskPlan& p) { p.blocks[0].tasks[0].outputs[0] = 3; },
      [](TaskPlan& p) { p.blocks[0].tasks[0].program = 7; },
      [](TaskPlan& p) { p.blocks[0].tasks[0].device = 1; },
      [](TaskPlan& p) { p.blocks[0].tasks[0].blocks = {0}; },
      [](TaskPlan& p) { p.slots[1].index = 5; },
      [](TaskPlan& p) { p.slots[1].device = 4; },
      [](TaskPlan& p) { p.slots[0].index = 1; },
      [](TaskPlan& p) { p.slots[1].type.shape = Shape{Dim::symbol("b"), 4}; },
      [](TaskPlan& p) { p.buffers[0].align_bytes = 3; },
      [](TaskPlan& p) { p.buffers[0].first_step = -1; },
      [](TaskPlan& p) { p.programs[0].code_bytes = 1000; },
      [](TaskPlan& p) { p.programs[0].code_offset = -4; },
      [](TaskPlan& p) { p.inputs[0] = 9; },
      [](TaskPlan& p) { p.outputs[0] = -1; },
      [](TaskPlan& p) { p.devices.clear(); },
      [](TaskPlan& p) { p.arena_bytes = {4}; },
      [](TaskPlan& p) { p.blocks.clear(); },
      [](TaskPlan& p) { p.blocks[0].tasks[0].kind = TaskKind::kBranch; },
      [](TaskPlan& p) { p.blocks[0].tasks[0].kind = TaskKind::kLoop; },
      [](TaskPlan& p) { p.blocks[0].tasks[0].kind = TaskKind::kCopy; },
      // What the caller owns is only read, and each port is one slot.
      [](TaskPlan& p) { p.blocks[0].tasks[1].outputs[0] = 0; },
      [](TaskPlan& p) { p.slots.push_back(p.slots[0]); },
      [](TaskPlan& p) { p.slots.push_back(p.slots[2]); },
      // A size is known when preparing, or late.
      [](TaskPlan& p) { p.slots[1].kind = SlotKind::kLate; },
      [](TaskPlan& p) {
        const Shape late = {Dim::symbol("late.0")};
        p.slots.push_back({"l", {DType::kF32, late}, SlotKind::kLate, 0, 0});
        p.blocks[0].tasks[0].inputs[0] = 3;
      },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    EngineParts parts = small_parts();
    changes[i](parts.plan);
    const auto engine = EngineFile::from_bytes(*engine_bytes(std::move(parts)));
    ASSERT_FALSE(engine) << "change " << i;
    EXPECT_EQ(engine.error().id, ErrorId::kEngineCorrupt) << engine.error().message();
  }
}

}  // namespace
}  // namespace npugraph
