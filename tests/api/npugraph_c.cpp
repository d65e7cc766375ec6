// SPDX-License-Identifier: Apache-2.0
// What of the C interface a test in C++ alone can see: allocations that are made, and that fail.
#include "npugraph/api/npugraph_c.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

namespace {
// Of this thread, so that those of a pool's threads and of the test framework do not count.
thread_local int64_t allocation_count = 0;
thread_local int64_t failing_allocation = -1;  // the count at which one fails; -1: none

void* allocate(size_t size) noexcept {
  if (allocation_count++ == failing_allocation) return nullptr;
  return std::malloc(size == 0 ? 1 : size);
}
}  // namespace

// The pairs below are matched, but g++ sees malloc and operator delete once it has inlined them.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(size_t size) {
  if (void* data = allocate(size)) return data;
  throw std::bad_alloc();
}
void* operator new(size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete(void* data) noexcept { std::free(data); }
void operator delete(void* data, size_t) noexcept { std::free(data); }

namespace npugraph {
namespace {

constexpr const char* kGraph = R"(graph "two" {
  input %x: float32[b, 3]
  const %w = float32[3, 2] [1, -1, 0.5, 2, -2, 0.25]
  %h = MatMul(%x, %w)
  %y = Relu(%h)
  return %y
})";

struct Destroy {
  void operator()(npugraph_library* handle) const { npugraph_library_destroy(handle); }
  void operator()(npugraph_engine* handle) const { npugraph_engine_destroy(handle); }
  void operator()(npugraph_session* handle) const { npugraph_session_destroy(handle); }
};
template <class T>
using Handle = std::unique_ptr<T, Destroy>;

struct Handles {
  Handle<npugraph_engine> engine;
  Handle<npugraph_session> session;
};

Handle<npugraph_library> open_library() {
  npugraph_library* library = nullptr;
  EXPECT_EQ(npugraph_library_create(nullptr, &library), 0) << npugraph_last_error();
  return Handle<npugraph_library>(library);
}

/// Makes the rest of what a run needs; stops at the first failure.
npugraph_status open_session(npugraph_library* library, Handles& handles) {
  npugraph_engine* engine = nullptr;
  npugraph_session* session = nullptr;
  npugraph_status status = npugraph_compile_text(library, kGraph, nullptr, &engine);
  handles.engine.reset(engine);
  if (status != 0) return status;
  const npugraph_session_options options = {sizeof(options), 1, 0, 0, 0};
  status = npugraph_session_create(library, engine, &options, &session);
  handles.session.reset(session);
  return status;
}

constexpr std::array<int64_t, 2> kInDims = {2, 3}, kOutDims = {2, 2};
std::array<float, 6> x_data = {1, 2, 3, 4, 5, 6};

npugraph_tensor tensor(float* data, const std::array<int64_t, 2>& dims) {
  return {sizeof(npugraph_tensor), data, dims.data(), nullptr, NPUGRAPH_DTYPE_FLOAT32, 2};
}

TEST(CApi, a_warm_run_allocates_nothing) {
  const auto library = open_library();
  Handles handles;
  ASSERT_EQ(open_session(library.get(), handles), 0) << npugraph_last_error();
  std::array<float, 4> y = {};
  const npugraph_tensor input = tensor(x_data.data(), kInDims);
  const npugraph_tensor output = tensor(y.data(), kOutDims);
  npugraph_session* const session = handles.session.get();
  ASSERT_EQ(npugraph_session_run(session, &input, 1, &output, 1), 0) << npugraph_last_error();
  ASSERT_EQ(npugraph_session_run(session, &input, 1, nullptr, 0), 0) << npugraph_last_error();
  const int64_t before = allocation_count;
  npugraph_status status = 0;
  for (int i = 0; i < 10; ++i) {
    status |= npugraph_session_run(session, &input, 1, &output, 1);
    status |= npugraph_session_run(session, &input, 1, nullptr, 0);
  }
  EXPECT_EQ(allocation_count, before);
  EXPECT_EQ(status, 0);
  // By hand: relu([[1, 2, 3], [4, 5, 6]] @ [[1, -1], [0.5, 2], [-2, 0.25]]).
  EXPECT_EQ(y, (std::array<float, 4>{0, 3.75F, 0, 7.5F}));
}

TEST(CApi, an_exception_of_the_allocator_becomes_a_status) {
  npugraph_compile_options* options = nullptr;
  failing_allocation = allocation_count;
  EXPECT_EQ(npugraph_compile_options_create(&options), NPUGRAPH_ERROR_OutOfMemory);
  failing_allocation = -1;
  EXPECT_EQ(options, nullptr);
  EXPECT_EQ(npugraph_last_error_id(), NPUGRAPH_ERROR_OutOfMemory);
  EXPECT_NE(std::string(npugraph_last_error()).find("memory ran out"), std::string::npos);

  ASSERT_EQ(npugraph_compile_options_create(&options), 0);
  const std::string name(100, 'n');  // too long to be kept without an allocation
  failing_allocation = allocation_count;
  EXPECT_EQ(npugraph_compile_options_set_pass(options, name.c_str(), 0),
            NPUGRAPH_ERROR_OutOfMemory);
  failing_allocation = -1;
  EXPECT_EQ(npugraph_compile_options_set_pass(options, name.c_str(), 0), 0);
  npugraph_compile_options_destroy(options);
}

TEST(CApi, shapes_larger_than_memory_are_a_status) {
  const auto library = open_library();
  Handles handles;
  ASSERT_EQ(open_session(library.get(), handles), 0) << npugraph_last_error();
  const std::array<int64_t, 2> huge = {int64_t{1} << 40, 3};
  const npugraph_tensor input = tensor(nullptr, huge);
  EXPECT_EQ(npugraph_session_prepare(handles.session.get(), &input, 1), NPUGRAPH_ERROR_OutOfMemory);
  const std::array<int64_t, 2> small = {1, 3};
  const npugraph_tensor one = tensor(x_data.data(), small);
  EXPECT_EQ(npugraph_session_run(handles.session.get(), &one, 1, nullptr, 0), 0);
}

TEST(CApi, a_reserved_field_stays_zero) {
  const auto library = open_library();
  Handles handles;
  ASSERT_EQ(open_session(library.get(), handles), 0) << npugraph_last_error();
  const npugraph_session_options options = {sizeof(options), 1, 0, 0, 7};
  npugraph_session* session = nullptr;
  EXPECT_EQ(npugraph_session_create(library.get(), handles.engine.get(), &options, &session),
            NPUGRAPH_ERROR_BadOption);
  EXPECT_EQ(session, nullptr);
  EXPECT_NE(std::string(npugraph_last_error()).find("reserved"), std::string::npos);
}

TEST(CApi, an_engine_needs_a_name_to_be_saved) {
  const auto library = open_library();
  Handles handles;
  ASSERT_EQ(open_session(library.get(), handles), 0) << npugraph_last_error();
  for (const char* const path : {"", "build/"}) {
    EXPECT_EQ(npugraph_engine_save(handles.engine.get(), path), NPUGRAPH_ERROR_FileWrite) << path;
    EXPECT_NE(std::string(npugraph_last_error()).find("no name of a file"), std::string::npos);
  }
}

TEST(CApi, an_error_in_a_text_says_how_to_correct_it) {
  const auto library = open_library();
  npugraph_engine* engine = nullptr;
  EXPECT_EQ(npugraph_compile_text(library.get(), "graph {", nullptr, &engine),
            NPUGRAPH_ERROR_IrParse);
  EXPECT_NE(std::string(npugraph_last_error()).find("correct the text"), std::string::npos)
      << npugraph_last_error();
}

}  // namespace
}  // namespace npugraph
