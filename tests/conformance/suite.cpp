// SPDX-License-Identifier: Apache-2.0
// What every device promises, checked on all of them through the two interfaces alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "npugraph/base/file.h"
#include "npugraph/interp/interp.h"
#include "tests/conformance/bench_device.h"

// Lets the out-of-memory check see a null pointer instead of the sanitizer's own report.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char* __tsan_default_options() { return "allocator_may_return_null=1"; }

namespace npugraph::conformance {
namespace {

using testing::HasSubstr;

class Conformance : public testing::TestWithParam<DeviceCase> {
 protected:
  void SetUp() override {
    auto made = GetParam().make();
    ASSERT_TRUE(made.has_value()) << made.error().message();
    halves_ = *std::move(made);
  }

  const Target& target() { return *halves_.target; }
  Driver& driver() { return *halves_.driver; }

  std::unique_ptr<Queue> queue(int64_t threads = 1) {
    auto made = driver().create_queue({.threads = threads});
    EXPECT_TRUE(made.has_value());
    return made ? *std::move(made) : nullptr;
  }

  static const std::string* unsupported(const std::string& check) {
    const auto found = GetParam().unsupported.find(check);
    return found == GetParam().unsupported.end() ? nullptr : &found->second;
  }

  /// Whether the outcome of a check is what the device's lists say.
  static void expect_outcome(const std::string& check, bool passed, const std::string& found) {
    const auto expected = GetParam().expected_failures.find(check);
    if (expected == GetParam().expected_failures.end()) {
      EXPECT_TRUE(passed) << found;
    } else {
      EXPECT_FALSE(passed) << "passes now; it was expected to fail because " << expected->second;
    }
  }

  /// A case that this device runs.
  const OpCase& runnable_case() {
    static const std::vector<OpCase> cases = all_op_cases();
    const auto found = std::find_if(cases.begin(), cases.end(),
                                    [](const OpCase& op) { return op.name == "matmul_tall"; });
    return *found;
  }

  Halves halves_;
};

#define SKIP_IF_UNSUPPORTED(check)                                   \
  if (const std::string* why = unsupported(check); why != nullptr) { \
    GTEST_SKIP() << GetParam().name << ": " << *why;                 \
  }

TEST_P(Conformance, both_halves_tell_of_the_same_device) {
  const PlanDevice& compiled = target().info().device;
  const DriverInfo& info = driver().info();
  EXPECT_EQ(compiled.name, info.name);
  EXPECT_EQ(compiled.fingerprint, info.fingerprint);
  EXPECT_EQ(target().info().host_memory, info.host_memory);
  EXPECT_FALSE(info.description.empty());
  const Status accepted = driver().accepts(compiled);
  EXPECT_TRUE(accepted.has_value()) << accepted.error().message();
}

TEST_P(Conformance, programs_of_another_device_are_refused_naming_both) {
  PlanDevice other = target().info().device;
  other.fingerprint = "another 0123";
  const Status status = driver().accepts(other);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().id, ErrorId::kDeviceMismatch);
  EXPECT_THAT(status.error().message(), HasSubstr("another 0123"));
  EXPECT_THAT(status.error().message(), HasSubstr(driver().info().fingerprint));
}

TEST_P(Conformance, programs_for_newer_firmware_are_refused_naming_both) {
  SKIP_IF_UNSUPPORTED("firmware");
  PlanDevice newer = target().info().device;
  newer.min_firmware = "99.0.1";
  const Status status = driver().accepts(newer);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().id, ErrorId::kFirmware);
  EXPECT_THAT(status.error().message(), HasSubstr("99.0.1"));
  EXPECT_THAT(status.error().message(), HasSubstr(driver().info().firmware));
}

TEST_P(Conformance, memory_is_aligned_and_counted) {
  const DriverCounters& counters = driver().counters();
  const int64_t before = counters.allocations;
  const int64_t in_use = counters.bytes_in_use;
  {
    const auto one = driver().allocate(1000, 256);
    const auto two = driver().allocate(1, 64);
    const auto none = driver().allocate(0, 64);
    ASSERT_TRUE(one && two && none);
    EXPECT_EQ(reinterpret_cast<uintptr_t>((*one)->address()) % 256, 0u);
    EXPECT_EQ((*one)->size_bytes(), 1000);
    EXPECT_NE((*one)->address(), (*two)->address());
    EXPECT_EQ(counters.allocations, before + 3);
    EXPECT_EQ(counters.bytes_in_use, in_use + 1001);
  }
  EXPECT_EQ(counters.bytes_in_use, in_use);
  EXPECT_EQ(counters.allocations, before + 3);
}

TEST_P(Conformance, too_much_memory_is_an_error_and_leaves_the_device_usable) {
  const int64_t in_use = driver().counters().bytes_in_use;
  for (const int64_t bytes : {int64_t{1} << 55, std::numeric_limits<int64_t>::max()}) {
    const auto memory = driver().allocate(bytes, 64);
    ASSERT_FALSE(memory.has_value());
    EXPECT_EQ(memory.error().id, ErrorId::kOutOfMemory);
    EXPECT_THAT(memory.error().message(), HasSubstr(std::to_string(bytes)));
  }
  EXPECT_EQ(driver().counters().bytes_in_use, in_use);
  EXPECT_TRUE(driver().allocate(64, 64).has_value());
}

TEST_P(Conformance, copies_come_back_unchanged_and_are_counted) {
  const auto q = queue();
  for (const int64_t count : {1, 7, 1000}) {
    std::vector<float> data(static_cast<size_t>(count));
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i) - 0.5f;
    const Tensor sent = Tensor::of_floats(data, {count});
    // Two tensors in one allocation, as an arena has them.
    const auto memory = driver().allocate(2 * 4096, 64);
    ASSERT_TRUE(memory.has_value());
    const TensorView first = {DType::kF32, {count}, (*memory)->address()};
    const TensorView second = {DType::kF32, {count}, (*memory)->address() + 4096};
    const Tensor zeros = *Tensor::zeros(DType::kF32, {count});
    const int64_t copies = driver().counters().copies;
    const int64_t bytes = driver().counters().copied_bytes;
    ASSERT_TRUE(q->copy_in(first, sent.view()).has_value());
    ASSERT_TRUE(q->copy_in(second, zeros.view()).has_value());
    Tensor received = *Tensor::zeros(DType::kF32, {count});
    ASSERT_TRUE(q->copy_out(received.mutable_view(), first).has_value());
    ASSERT_TRUE(q->synchronize().has_value());
    EXPECT_TRUE(std::ranges::equal(received.bytes(), sent.bytes()));
    EXPECT_EQ(driver().counters().copies, copies + 3);
    EXPECT_EQ(driver().counters().copied_bytes, bytes + 3 * 4 * count);
  }
}

TEST_P(Conformance, a_copy_between_different_types_is_refused) {
  const auto q = queue();
  const auto memory = driver().allocate(64, 64);
  const Tensor four = *Tensor::zeros(DType::kF32, {4});
  const Status dims = q->copy_in({DType::kF32, {2, 2}, (*memory)->address()}, four.view());
  const Status dtype = q->copy_in({DType::kI32, {4}, (*memory)->address()}, four.view());
  expect_outcome("copy_type", !dims && !dtype, "the copies were done");
}

TEST_P(Conformance, a_program_that_is_damaged_is_refused_without_a_crash) {
  EXPECT_FALSE(driver().load({}, {}).has_value());
  const std::string garbage(333, '\x5a');
  const auto loaded = driver().load(bytes_of(garbage), {});
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().id, ErrorId::kProgramInvalid);
  SKIP_IF_UNSUPPORTED("execute");

  const auto graph = graph_of(runnable_case());
  const auto program = target().compile(*graph, {});
  ASSERT_TRUE(program.has_value()) << program.error().message();
  const std::string& code = program->code;
  EXPECT_TRUE(driver().load(bytes_of(code), program->weights).has_value());
  std::string loaded_lengths;
  for (size_t length = 0; length < code.size(); ++length) {
    const auto cut =
        driver().load(bytes_of(std::string_view(code).substr(0, length)), program->weights);
    if (cut) loaded_lengths += " " + std::to_string(length);
  }
  expect_outcome("program_cut", loaded_lengths.empty(),
                 "cut programs were loaded, of lengths" + loaded_lengths);
  for (size_t i = 0; i < code.size(); ++i) {
    std::string flipped = code;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x80);
    const auto result = driver().load(bytes_of(flipped), program->weights);
    EXPECT_TRUE(result.has_value() || !result.error().message().empty());
  }
  EXPECT_FALSE(driver().load(bytes_of(code), {}).has_value()) << "weights missing";
}

TEST_P(Conformance, shapes_that_do_not_fit_the_program_are_refused) {
  SKIP_IF_UNSUPPORTED("execute");
  const auto graph = graph_of(runnable_case());
  const auto compiled = target().compile(*graph, {});
  ASSERT_TRUE(compiled.has_value());
  const auto program = driver().load(bytes_of(compiled->code), compiled->weights);
  ASSERT_TRUE(program.has_value()) << program.error().message();
  const TensorType good_in = graph->inputs()[0]->type;
  const TensorType good_out = graph->outputs()[0]->type;
  const TensorType bad = {DType::kF32, Shape(Dims{2, 3, 5, 9})};
  const TensorType* in = &good_in;
  EXPECT_TRUE((*program)->prepare({&in, 1}, {&good_out, 1}).has_value());
  EXPECT_FALSE((*program)->prepare({&in, 1}, {&bad, 1}).has_value());
  in = &bad;
  const auto refused = (*program)->prepare({&in, 1}, {&good_out, 1});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().id, ErrorId::kShapeMismatch) << refused.error().message();
}

TEST_P(Conformance, events_are_in_order) {
  const auto one = queue();
  const auto two = queue();
  const auto memory = driver().allocate(4096, 64);
  const Tensor data = *Tensor::zeros(DType::kF32, {1000});
  const TensorView device = {DType::kF32, {1000}, (*memory)->address()};
  EventRecord last = one->record();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(one->copy_in(device, data.view()).has_value());
    const EventRecord now = one->record();
    EXPECT_GE(now.time_ns, last.time_ns);
    last = now;
  }
  ASSERT_TRUE(two->wait(last).has_value());
  EXPECT_GE(two->record().time_ns, last.time_ns);
  ASSERT_TRUE(one->synchronize().has_value());
  EXPECT_GE(one->clock_ns(), last.time_ns);
  EXPECT_EQ(one->busy_ns(), 0) << "copies are not computing";
}

TEST_P(Conformance, two_queues_run_the_same_program_apart) {
  SKIP_IF_UNSUPPORTED("execute");
  const OpCase& op = runnable_case();
  const auto graph = graph_of(op);
  const auto compiled = target().compile(*graph, {});
  ASSERT_TRUE(compiled.has_value());
  const auto one = Runnable::make(driver(), *graph, *compiled);
  const auto two = Runnable::make(driver(), *graph, *compiled);
  ASSERT_TRUE(one && two);
  const auto queue_one = queue(1);
  const auto queue_two = queue(2);
  const std::vector<Tensor> inputs = inputs_of(op, *graph);
  std::vector<Tensor> zeros = {*Tensor::zeros(DType::kF32, inputs[0].dims())};
  const int64_t launches = driver().counters().launches;
  const auto first = (*one)->run(*queue_one, inputs);
  const auto empty = (*two)->run(*queue_two, zeros);
  const auto again = (*one)->run(*queue_two, inputs);
  ASSERT_TRUE(first && empty && again);
  EXPECT_EQ(driver().counters().launches, launches + 3);
  EXPECT_TRUE(std::ranges::equal((*first)[0].bytes(), (*again)[0].bytes()))
      << "the result depends on the queue or its threads";
  for (const float x : (*empty)[0].as<float>()) EXPECT_EQ(x, 0.0f);
  EXPECT_GT(queue_one->busy_ns(), 0);
}

TEST_P(Conformance, memory_may_outlive_queues) {
  auto memory = driver().allocate(64, 64);
  auto q = queue();
  q.reset();
  memory->reset();
  EXPECT_EQ(driver().counters().bytes_in_use, 0);
}

/// A tensor equals the reference up to the rounding of float32 sums.
void expect_close(const Tensor& found, const Tensor& expected) {
  ASSERT_EQ(found.dims(), expected.dims());
  double largest = 1e-30;
  for (const float x : expected.as<float>()) {
    if (std::isfinite(x)) largest = std::max(largest, std::abs(static_cast<double>(x)));
  }
  for (size_t i = 0; i < expected.as<float>().size(); ++i) {
    const float want = expected.as<float>()[i];
    const float have = found.as<float>()[i];
    if (!std::isfinite(want)) {
      EXPECT_EQ(std::isnan(have), std::isnan(want)) << i;
      EXPECT_TRUE(std::isnan(want) || have == want) << i;
      continue;
    }
    EXPECT_NEAR(have, want, 1e-6 * largest) << "element " << i;
  }
}

TEST_P(Conformance, operators_give_what_their_references_give) {
  std::vector<std::string> ran;
  const auto q = queue(2);
  for (const OpCase& op : all_op_cases()) {
    SCOPED_TRACE(op.name);
    const auto graph = graph_of(op);
    ASSERT_NE(graph, nullptr);
    const bool taken = std::ranges::all_of(
        graph->nodes(), [&](const Node* node) { return target().supports(*node).yes; });
    const bool region = graph->node_count() > 1;
    if (unsupported(op.name) != nullptr) {
      EXPECT_TRUE(!taken || (region && !target().info().whole_regions)) << "it is taken now";
      continue;
    }
    ASSERT_TRUE(taken);
    for (const Node* node : graph->nodes()) EXPECT_GE(target().cost_ns(*node), 0);
    const auto compiled = target().compile(*graph, {});
    ASSERT_TRUE(compiled.has_value()) << compiled.error().message();
    EXPECT_FALSE(compiled->kernel.empty());
    const auto runnable = Runnable::make(driver(), *graph, *compiled);
    ASSERT_TRUE(runnable.has_value()) << runnable.error().message();
    const std::vector<Tensor> inputs = inputs_of(op, *graph);
    const auto found = (*runnable)->run(*q, inputs);
    ASSERT_TRUE(found.has_value()) << found.error().message();
    const auto expected = interpret(*graph, inputs);
    ASSERT_TRUE(expected.has_value()) << expected.error().message();
    ASSERT_EQ(found->size(), expected->size());
    for (size_t i = 0; i < found->size(); ++i) expect_close((*found)[i], (*expected)[i]);
    ran.push_back(op.name);
  }
  EXPECT_EQ(ran.empty(), unsupported("execute") != nullptr);
}

TEST_P(Conformance, a_node_that_is_not_taken_gets_a_reason) {
  const char* const graphs[] = {
      "graph { input %x: float64[2, 2] input %z: float64[2, 2] %y = MatMul(%x, %z) return %y }",
      "graph { input %x: float32[n, 3] %y = Relu(%x) return %y }",
      "graph { input %x: float32[2, 2] %y = Sigmoid(%x) return %y }",
  };
  for (const char* source : graphs) {
    auto graph = parse(source);
    ASSERT_TRUE(graph.has_value()) << graph.error().message();
    ASSERT_TRUE(infer_types(**graph).has_value());
    const Support support = target().supports(*(*graph)->nodes()[0]);
    if (support.yes) continue;
    EXPECT_FALSE(support.reason.empty()) << source;
    EXPECT_FALSE(support.found.empty()) << source;
    EXPECT_FALSE(support.allowed.empty()) << source;
  }
}

TEST_P(Conformance, the_same_graph_compiles_to_the_same_bytes) {
  SKIP_IF_UNSUPPORTED("execute");
  const auto graph = graph_of(runnable_case());
  const auto one = target().compile(*graph, {});
  const auto two = target().compile(*graph_of(runnable_case()), {});
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->code, two->code);
  ASSERT_EQ(one->weights.size(), two->weights.size());
  for (size_t i = 0; i < one->weights.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(one->weights[i].bytes(), two->weights[i].bytes()));
  }
}

INSTANTIATE_TEST_SUITE_P(, Conformance, testing::ValuesIn(all_devices()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace npugraph::conformance
