// SPDX-License-Identifier: Apache-2.0
// The runtime alone: hand-built plans on a mock device.
#include "npugraph/runtime/session.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/runtime/mock_driver.h"

namespace {
std::atomic<int64_t> allocation_count{0};
}

// Counts every allocation of the process, to show that executing makes none. The pair below is
// matched, but g++ sees malloc and operator delete once it has inlined them.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(size_t size) {
  allocation_count.fetch_add(1, std::memory_order_relaxed);
  if (void* data = std::malloc(size == 0 ? 1 : size)) return data;
  throw std::bad_alloc();
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  allocation_count.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* data) noexcept { std::free(data); }
void operator delete(void* data, size_t) noexcept { std::free(data); }

namespace npugraph {
namespace {

const Dim n = Dim::symbol("n");

struct Builder {
  EngineParts parts;

  Builder() {
    parts.plan.devices = {{"cpu", "mock", ""}};
    parts.plan.arena_bytes = {-1};
    parts.plan.peak_live_bytes = {-1};
    parts.plan.blocks.resize(1);
  }

  int32_t slot(std::string name, DType dtype, Shape shape, SlotKind kind, int64_t index = 0,
               int32_t device = 0) {
    parts.plan.slots.push_back({std::move(name), {dtype, std::move(shape)}, kind, index, device});
    return static_cast<int32_t>(parts.plan.slots.size()) - 1;
  }
  int32_t arena(std::string name, DType dtype, Shape shape, int64_t first, int64_t last,
                int32_t device = 0) {
    const TensorType type{dtype, shape};
    parts.plan.buffers.push_back({device, {type.bytes()}, 64, first, last, -1});
    return slot(std::move(name), dtype, std::move(shape), SlotKind::kArena,
                static_cast<int64_t>(parts.plan.buffers.size()) - 1, device);
  }
  Task launch(const std::string& code, std::vector<int32_t> in, std::vector<int32_t> out,
              int64_t step, int32_t device = 0) {
    parts.plan.programs.push_back({device,
                                   static_cast<int64_t>(parts.code.size()),
                                   static_cast<int64_t>(code.size()),
                                   {},
                                   code,
                                   {code},
                                   {}});
    parts.code += code;
    Task task;
    task.name = code;
    task.device = device;
    task.program = static_cast<int32_t>(parts.plan.programs.size()) - 1;
    task.inputs = std::move(in);
    task.outputs = std::move(out);
    task.step = step;
    return task;
  }
  std::shared_ptr<const EngineFile> engine() {
    auto file = EngineFile::from_bytes(*engine_bytes(std::move(parts)));
    EXPECT_TRUE(file) << file.error().message();
    return *file;
  }
};

/// y = (x + x) + x over float32[n].
Builder adds() {
  Builder b;
  const auto x = b.slot("x", DType::kF32, Shape{n}, SlotKind::kInput);
  const auto h = b.arena("h", DType::kF32, Shape{n}, 1, 2);
  const auto y = b.slot("y", DType::kF32, Shape{n}, SlotKind::kOutput);
  b.parts.plan.inputs = {x};
  b.parts.plan.outputs = {y};
  b.parts.plan.blocks[0].tasks = {b.launch("add", {x, x}, {h}, 1), b.launch("add", {h, x}, {y}, 2)};
  return b;
}

std::unique_ptr<RuntimeSession> open(MockDriver& driver, std::shared_ptr<const EngineFile> engine,
                                     RunOptions options = {}) {
  Driver* drivers[] = {&driver};
  auto session = RuntimeSession::create(std::move(engine), drivers, options);
  EXPECT_TRUE(session) << session.error().message();
  return *std::move(session);
}

TEST(session, one_engine_takes_several_sizes) {
  MockDriver driver("cpu", true);
  const auto session = open(driver, adds().engine());
  for (const int64_t size : {3, 1, 100, 3}) {
    const Tensor x = Tensor::of_floats(std::vector<float>(static_cast<size_t>(size), 2.0f), {size});
    const TensorView in[] = {x.view()};
    ASSERT_TRUE(session->run(in, {}));
    ASSERT_EQ(session->output(0).dims, Dims{size});
    EXPECT_EQ(session->output(0).load(size - 1), 6.0);
  }
  EXPECT_EQ(session->prepared_count(), 3);  // the second 3 was a hit
}

TEST(session, executing_allocates_nothing) {
  MockDriver driver("cpu", true);
  const auto session = open(driver, adds().engine());
  const Tensor x = Tensor::of_floats({1, 2}, {2});
  const TensorView in[] = {x.view()};
  ASSERT_TRUE(session->run(in, {}));
  const int64_t before = allocation_count.load();
  const int64_t device_before = driver.counters().allocations.load();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(session->execute(in, {}));
  EXPECT_EQ(allocation_count.load(), before);
  EXPECT_EQ(driver.counters().allocations.load(), device_before);
}

TEST(session, unplanned_memory_gives_the_same_results_with_many_allocations) {
  MockDriver driver("cpu", true);
  const auto session = open(driver, adds().engine(), {.threads = 1, .planned_memory = false});
  const Tensor x = Tensor::of_floats({1, 2}, {2});
  const TensorView in[] = {x.view()};
  ASSERT_TRUE(session->run(in, {}));
  EXPECT_EQ(session->output(0).load(1), 6.0);
  const int64_t before = driver.counters().allocations.load();
  ASSERT_TRUE(session->execute(in, {}));
  EXPECT_EQ(driver.counters().allocations.load() - before, 1);  // h
}

TEST(session, tensors_that_do_not_fit_are_refused_with_both_sides) {
  MockDriver driver("cpu", true);
  const auto session = open(driver, adds().engine());
  const Tensor x = Tensor::of_floats({1, 2}, {2});
  const Tensor ints = Tensor::of_ints({1, 2});
  const TensorView good[] = {x.view()};
  const TensorView wrong_dtype[] = {ints.view()};
  const Tensor matrix = *x.reshaped({1, 2});
  const TensorView wrong_rank[] = {matrix.view()};
  TensorView shifted = x.view();
  shifted.dims = {1};
  shifted.data += 2;
  const TensorView misaligned[] = {shifted};
  ASSERT_TRUE(session->run(good, {}));
  const auto dtype_error = session->run(wrong_dtype, {});
  ASSERT_FALSE(dtype_error);
  EXPECT_EQ(dtype_error.error().id, ErrorId::kBadTensor);
  EXPECT_EQ(dtype_error.error().found, "int64 2");
  EXPECT_EQ(dtype_error.error().expected, "float32 2");
  EXPECT_EQ(session->run(wrong_rank, {}).error().id, ErrorId::kShapeMismatch);
  EXPECT_EQ(session->run(misaligned, {}).error().id, ErrorId::kMisaligned);
  EXPECT_EQ(session->run({}, {}).error().id, ErrorId::kBadInputCount);
  Tensor small = *Tensor::zeros(DType::kF32, {1});
  const TensorView out[] = {small.mutable_view()};
  EXPECT_EQ(session->run(good, out).error().id, ErrorId::kBadTensor);
  EXPECT_TRUE(session->run(good, {}));  // and works afterwards
}

TEST(session, output_of_the_caller_is_written_in_place) {
  MockDriver driver("cpu", true);
  const auto session = open(driver, adds().engine());
  const Tensor x = Tensor::of_floats({1, 2}, {2});
  Tensor y = *Tensor::zeros(DType::kF32, {2});
  const TensorView in[] = {x.view()};
  const TensorView out[] = {y.mutable_view()};
  ASSERT_TRUE(session->run(in, out));
  EXPECT_EQ(y.as<float>()[1], 6.0f);
}

TEST(session, output_memory_that_is_an_inputs_is_refused) {
  MockDriver driver("cpu", true);
  const auto session = open(driver, adds().engine());
  Tensor both = *Tensor::zeros(DType::kF32, {3});
  TensorView first = both.mutable_view(), last = first;
  first.dims = last.dims = {2};
  last.data += 4;
  const TensorView in[] = {first};
  const TensorView out[] = {last};
  const Status status = session->run(in, out);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().id, ErrorId::kBadTensor);
  EXPECT_EQ(status.error().found, "memory of input 'x'");
}

TEST(session, a_failing_task_is_named_and_the_next_run_works) {
  Builder b = adds();
  const auto y = b.parts.plan.outputs[0];
  b.parts.plan.blocks[0].tasks.push_back(b.launch("fail", {0}, {y}, 3));
  MockDriver driver("cpu", true);
  const auto session = open(driver, b.engine());
  const Tensor x = Tensor::of_floats({1}, {1});
  const TensorView in[] = {x.view()};
  const Status status = session->run(in, {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().id, ErrorId::kIndexOutOfRange);
  EXPECT_EQ(status.error().place, "node 'fail'");
}

TEST(session, facts_bound_the_sizes) {
  Builder b = adds();
  b.parts.plan.facts = {{"n", 2, 8, 2}};
  MockDriver driver("cpu", true);
  const auto session = open(driver, b.engine());
  EXPECT_TRUE(session->prepare(std::vector<Dims>{{4}}));
  for (const int64_t bad : {0, 3, 10}) {
    const Status status = session->prepare(std::vector<Dims>{{bad}});
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().expected, "2..8, a multiple of 2");
  }
}

TEST(session, an_engine_for_another_device_is_refused) {
  MockDriver driver("cpu", true);
  Builder b = adds();
  b.parts.plan.devices[0].fingerprint = "other";
  Driver* drivers[] = {&driver};
  const auto session = RuntimeSession::create(b.engine(), drivers, {});
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().id, ErrorId::kDeviceMismatch);
}

/// if x < limit then y = x + 1 else y = x, over one int64.
TEST(session, a_branch_runs_the_taken_side_only) {
  Builder b;
  const auto x = b.slot("x", DType::kI64, Shape{}, SlotKind::kInput, 0);
  const auto limit = b.slot("limit", DType::kI64, Shape{}, SlotKind::kInput, 1);
  const auto less = b.arena("less", DType::kBool, Shape{}, 1, 2);
  const auto more = b.arena("more", DType::kI64, Shape{}, 3, 4);
  const auto y = b.slot("y", DType::kI64, Shape{}, SlotKind::kOutput);
  b.parts.plan.inputs = {x, limit};
  b.parts.plan.outputs = {y};
  b.parts.plan.blocks.resize(3);
  Task branch;
  branch.kind = TaskKind::kBranch;
  branch.name = "if";
  branch.predicate = less;
  branch.blocks = {1, 2};
  branch.outputs = {y};
  branch.then_moves = {{more, y}};
  branch.else_moves = {{x, y}};
  branch.step = 2;
  b.parts.plan.blocks[0].tasks = {b.launch("less", {x, limit}, {less}, 1), branch};
  b.parts.plan.blocks[1].tasks = {b.launch("inc", {x}, {more}, 3)};
  MockDriver driver("cpu", true);
  const auto session = open(driver, b.engine());
  const Tensor three = Tensor::of_ints({3}, {}), five = Tensor::of_ints({5}, {});
  const TensorView taken[] = {three.view(), five.view()};
  const TensorView not_taken[] = {five.view(), three.view()};
  ASSERT_TRUE(session->run(taken, {}));
  EXPECT_EQ(session->output(0).load_int(0), 4);
  const int64_t launches = driver.counters().launches.load();
  ASSERT_TRUE(session->run(not_taken, {}));
  EXPECT_EQ(session->output(0).load_int(0), 5);
  EXPECT_EQ(driver.counters().launches.load() - launches, 1);
}

/// while x < limit: x += 1, each x appended to a scan output whose length only running tells.
TEST(session, a_loop_carries_values_and_stacks_rows) {
  Builder b;
  const auto x = b.slot("x", DType::kI64, Shape{}, SlotKind::kInput, 0);
  const auto limit = b.slot("limit", DType::kI64, Shape{}, SlotKind::kInput, 1);
  const auto go = b.arena("go", DType::kBool, Shape{}, 1, 2);
  const auto iteration = b.arena("i", DType::kI64, Shape{}, 2, 5);
  const auto condition = b.arena("c", DType::kBool, Shape{}, 2, 5);
  const auto carried = b.arena("carried", DType::kI64, Shape{}, 2, 5);
  const auto next = b.arena("next", DType::kI64, Shape{}, 3, 5);
  const auto again = b.arena("again", DType::kBool, Shape{}, 4, 5);
  const auto y = b.slot("y", DType::kI64, Shape{}, SlotKind::kOutput, 0);
  const auto rows = b.slot("rows", DType::kI64, Shape{Dim::symbol("late.loop.0")}, SlotKind::kLate);
  b.parts.plan.inputs = {x, limit};
  b.parts.plan.outputs = {y, rows};
  b.parts.plan.blocks.resize(2);
  Task loop;
  loop.kind = TaskKind::kLoop;
  loop.name = "loop";
  loop.predicate = go;
  loop.predicate_out = again;
  loop.iteration = iteration;
  loop.condition_in = condition;
  loop.blocks = {1};
  loop.outputs = {y, rows};
  loop.enter_moves = {{x, carried}};
  loop.next_moves = {{next, carried}};
  loop.leave_moves = {{carried, y}};
  loop.scan_moves = {{next, rows}};
  loop.step = 2;
  b.parts.plan.blocks[0].tasks = {b.launch("less", {x, limit}, {go}, 1), loop};
  b.parts.plan.blocks[1].tasks = {b.launch("inc", {carried}, {next}, 3),
                                  b.launch("less", {next, limit}, {again}, 4)};
  MockDriver driver("cpu", true);
  const auto session = open(driver, b.engine());
  const Tensor limits = Tensor::of_ints({200}, {});
  for (const int64_t start : {195, 0, 300}) {
    const Tensor from = Tensor::of_ints({start}, {});
    const TensorView in[] = {from.view(), limits.view()};
    const Status status = session->run(in, {});
    ASSERT_TRUE(status) << status.error().message();
    const int64_t passes = start < 200 ? 200 - start : 0;
    EXPECT_EQ(session->output(0).load_int(0), start + passes);
    ASSERT_EQ(session->output(1).dims, Dims{passes});
    for (int64_t i = 0; i < passes; ++i) ASSERT_EQ(session->output(1).load_int(i), start + i + 1);
  }
}

TEST(session, a_late_size_is_resolved_while_running_and_bounded) {
  Builder b;
  const auto x = b.slot("x", DType::kF32, Shape{n}, SlotKind::kInput, 0);
  const auto count = b.slot("count", DType::kI64, Shape{1}, SlotKind::kInput, 1);
  const auto y = b.slot("y", DType::kF32, Shape{Dim::symbol("late.head.0")}, SlotKind::kLate);
  b.parts.plan.inputs = {x, count};
  b.parts.plan.outputs = {y};
  Task head = b.launch("head", {x, count}, {y}, 1);
  head.late = true;
  b.parts.plan.blocks[0].tasks = {head};
  MockDriver driver("cpu", true);
  const auto session = open(driver, b.engine(), {.threads = 1, .late_limit_bytes = 256});
  std::vector<float> values(100);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const Tensor data = Tensor::of_floats(values, {100});
  for (const int64_t size : {5, 40, 0, 7}) {
    const Tensor sizes = Tensor::of_ints({size});
    const TensorView in[] = {data.view(), sizes.view()};
    ASSERT_TRUE(session->run(in, {}));
    ASSERT_EQ(session->output(0).dims, Dims{size});
    if (size > 0) {
      EXPECT_EQ(session->output(0).load(size - 1), static_cast<double>(size - 1));
    }
  }
  const Tensor many = Tensor::of_ints({90});
  const TensorView in[] = {data.view(), many.view()};
  EXPECT_EQ(session->run(in, {}).error().id, ErrorId::kLatePoolFull);
}

TEST(session, data_crosses_to_a_device_with_its_own_memory_and_back) {
  Builder b;
  b.parts.plan.devices.push_back({"far", "mock", ""});
  b.parts.plan.arena_bytes = {-1, -1};
  b.parts.plan.peak_live_bytes = {-1, -1};
  const auto x = b.slot("x", DType::kF32, Shape{n}, SlotKind::kInput, 0);
  const auto far_x = b.arena("x", DType::kF32, Shape{n}, 1, 2, 1);
  const auto far_y = b.arena("y", DType::kF32, Shape{n}, 2, 3, 1);
  const auto y = b.slot("y", DType::kF32, Shape{n}, SlotKind::kOutput, 0);
  b.parts.plan.inputs = {x};
  b.parts.plan.outputs = {y};
  Task in_copy, out_copy, event;
  in_copy.kind = out_copy.kind = TaskKind::kCopy;
  in_copy.device = 1;
  in_copy.inputs = {x};
  in_copy.outputs = {far_x};
  in_copy.step = 1;
  out_copy.other_device = 1;
  out_copy.inputs = {far_y};
  out_copy.outputs = {y};
  out_copy.step = 3;
  event.kind = TaskKind::kEvent;
  event.other_device = 1;
  event.step = 3;
  b.parts.plan.blocks[0].tasks = {in_copy, b.launch("add", {far_x, far_x}, {far_y}, 2, 1), out_copy,
                                  event};
  MockDriver cpu("cpu", true), far("far", false);
  Driver* drivers[] = {&cpu, &far};
  auto session = RuntimeSession::create(b.engine(), drivers, {});
  ASSERT_TRUE(session) << session.error().message();
  const Tensor data = Tensor::of_floats({1, 2, 3}, {3});
  const TensorView in[] = {data.view()};
  ASSERT_TRUE((*session)->run(in, {}));
  EXPECT_EQ((*session)->output(0).load(2), 6.0);
  EXPECT_EQ(far.counters().copies.load(), 2);
}

}  // namespace
}  // namespace npugraph
