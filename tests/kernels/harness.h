// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "npugraph/kernels/kernel.h"

namespace npugraph::test {

/// One input of a node under test.
struct Input {
  Tensor tensor;
  bool is_constant = false;
  bool is_absent = false;
};
inline Input data(Tensor tensor) { return {std::move(tensor), false, false}; }
inline Input constant(Tensor tensor) { return {std::move(tensor), true, false}; }
inline Input absent() { return {{}, false, true}; }

struct Case {
  std::string_view op;
  std::vector<Input> inputs;
  std::vector<std::pair<std::string, AttrValue>> attrs = {};
  std::string_view domain = {};
  int64_t outputs = 1;
  std::string_view kernel = {};  // the kernel that must be found
  double tolerance = 1e-5;       // of the largest finite magnitude of the output
  bool allow_fast = false;       // kernels marked fast may be found
};

/// Runs the case on every ISA level that this processor has, on 1 and 3 threads, and compares with
/// the operator's reference: floats within the tolerance (NaN and infinities exactly), the rest bit
/// by bit; the bits must not depend on the number of threads. Weights that were packed are withheld
/// from the run, scratch and outputs start as NaN, and nothing may be written around them. In-place
/// runs are tried where the kernel allows them.
void check(const Case& test);

/// The same for a run that must fail with this error on the kernel that the case names.
void check_fails(const Case& test, ErrorId id);

/// The name of the kernel that would be taken.
std::string kernel_name(const Case& test);

/// Smooth, varied values in about -2..2, other ones for each seed.
Tensor floats(Dims dims, uint32_t seed = 1);
/// The same with some NaN, infinities and -0 strewn in.
Tensor special_floats(Dims dims, uint32_t seed = 1);
Tensor ints(std::vector<int64_t> values);
Tensor of(DType dtype, const std::vector<double>& values, Dims dims);

}  // namespace npugraph::test
