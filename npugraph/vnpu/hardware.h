// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "npugraph/base/result.h"

namespace npugraph::vnpu {

/// Both ends included.
struct Range {
  int64_t min = 0;
  int64_t max = 0;
  bool has(int64_t value) const noexcept { return min <= value && value <= max; }
  /// "1..16", or "4" when both ends are equal.
  std::string str() const;
};

/// What the device takes of one operator.
struct LegalOp {
  std::vector<std::string> dtypes;          // of every input and output
  Range rank;                               // of the first two inputs, and every output
  std::vector<std::string> constant;        // inputs whose data must be known at compile time
  std::map<std::string, Range> attributes;  // of an integer, or of each of several
};

/// "1.2.3".
struct Version {
  int64_t major_number = 0;
  int64_t minor_number = 0;
  int64_t patch_number = 0;
  auto operator<=>(const Version&) const = default;
  std::string str() const;
  /// Errors: kBadOption.
  static Result<Version> parse(std::string_view text);
};

/// A hardware file (configs/*.json): every constant of a simulated device.
struct Hardware {
  std::string name;
  int64_t cores = 1;
  double clock_hz = 0;
  int64_t mxu_rows = 0;  // multiply-accumulates a cycle and core: rows * cols
  int64_t mxu_cols = 0;
  int64_t vpu_lanes = 0;  // element operations a cycle and core
  int64_t dram_bytes = 0;
  double dram_Bps = 0;
  int64_t decode_cycles = 0;  // of a command
  double launch_us = 0;       // of a program
  double link_Bps = 0;        // host to device and back
  double link_latency_us = 0;
  Version firmware;
  Version min_compiler;
  std::map<std::string, LegalOp> legal;  // operators that are not listed are not taken

  /// Name and a hash of everything that compiled code depends on: all but the firmware.
  std::string fingerprint() const;
};

/// Reads a hardware file's text. Fields whose name starts with "_" are remarks.
/// Errors: kHardwareFile naming the field, what was found and what is allowed.
Result<Hardware> parse_hardware(std::string_view json);

/// Names of the files that the library holds, sorted.
std::vector<std::string_view> builtin_hardware_names();

/// The built-in file of this name, or the file at this path. Empty: "dev16".
/// Errors: kHardwareFile; kFileNotFound; kBadOption for a name that is neither.
Result<Hardware> find_hardware(std::string_view name_or_path);

}  // namespace npugraph::vnpu
