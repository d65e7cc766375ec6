// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "npugraph/kernels/kernel.h"

namespace npugraph {

/// Where an input of the operator comes from when the program runs.
struct ProgramInput {
  enum class Kind : uint8_t {
    kAbsent,   // an optional input that is not there
    kRuntime,  // the program's input number `index`
    kWeight,   // weight number `index`
    kPacked,   // a constant that only lives on in packed form; `type` says what it was
  };
  Kind kind = Kind::kAbsent;
  int32_t index = 0;
  TensorType type;  // of kPacked; static
};

/// One operator application compiled for the cpu device: what lower/cpu writes and drivers/cpu
/// loads. Names, never numbers, so that a file outlives a re-ordered table.
struct KernelProgram {
  const OpSchema* schema = nullptr;
  const Kernel* kernel = nullptr;
  Isa isa = Isa::kPortable;
  Attrs attrs;
  std::vector<ProgramInput> inputs;
  int32_t output_count = 1;
  int32_t packed_first = 0;  // weights [packed_first, packed_first + packed_count) are pack()'s
  int32_t packed_count = 0;
};

std::string save_program(const KernelProgram& program);

/// Checks everything against the operator's schema and the number of weights.
/// Errors: kProgramInvalid.
Result<KernelProgram> load_program(std::span<const std::byte> code, int64_t weight_count);

}  // namespace npugraph
