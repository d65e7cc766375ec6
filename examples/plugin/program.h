// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <vector>

#include "npugraph/base/plugin_abi.h"

// What both halves of this plug-in share: the program format and how errors are told.
namespace matmulrelu {

inline constexpr const char* kName = "matmulrelu";
inline constexpr const char* kFingerprint = "matmulrelu 1";

enum class Op : int64_t { kMatMul = 0, kRelu = 1, kCopy = 2 };
enum class Kind : int64_t { kInput = 0, kOutput = 1, kWeight = 2, kTemp = 3 };

/// A float32 buffer: which input, output or weight, or where in the scratch memory.
struct Buffer {
  Kind kind = Kind::kTemp;
  int64_t index = 0;  // of a temp: its first float
  int64_t elements = 0;
};

/// dst[b] = a[b] . b[b * b_step] for b < batch, m x k times k x n; the others: m elements.
struct Step {
  Op op = Op::kCopy;
  int64_t a = 0;  // buffers
  int64_t b = 0;
  int64_t dst = 0;
  int64_t batch = 1;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t b_step = 0;  // 0: one b for all, 1: one each
};

struct Program {
  int64_t input_count = 0;
  int64_t output_count = 0;
  int64_t weight_count = 0;
  int64_t scratch_floats = 0;
  std::vector<Buffer> buffers;
  std::vector<Step> steps;
};

std::vector<int64_t> write_program(const Program& program);

/// False, with the reason in `error`, unless every number of the program is in range and no step
/// leaves its buffers.
bool read_program(const void* code, int64_t code_bytes, Program& program, NpugraphErrorText* error);

inline int32_t refuse(NpugraphErrorText* error, int32_t status, const char* what,
                      const char* found = "", const char* expected = "") {
  std::snprintf(error->what, sizeof(error->what), "%s", what);
  std::snprintf(error->found, sizeof(error->found), "%s", found);
  std::snprintf(error->expected, sizeof(error->expected), "%s", expected);
  return status;
}

/// Runs body() and lets no exception out.
template <class Body>
int32_t guarded(NpugraphErrorText* error, const Body& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return refuse(error, NPUGRAPH_OUT_OF_MEMORY, "host memory ran out");
  } catch (const std::exception& problem) {
    return refuse(error, NPUGRAPH_FAILED, problem.what());
  }
}

}  // namespace matmulrelu
