// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "npugraph/hal/driver.h"
#include "npugraph/target/target.h"

namespace npugraph::conformance {

struct Halves {
  std::unique_ptr<Target> target;
  std::unique_ptr<Driver> driver;
};

/// Names of checks or operator cases -> why.
using Reasons = std::map<std::string, std::string>;

/// A device under test. A check that is listed as unsupported is skipped (an operator case: must be
/// refused by supports()); one that is listed as an expected failure must fail.
struct DeviceCase {
  std::string name;
  Result<Halves> (*make)() = nullptr;
  Reasons unsupported = {};
  Reasons expected_failures = {};
};
inline std::ostream& operator<<(std::ostream& stream, const DeviceCase& device) {
  return stream << device.name;
}

/// Every device there is.
std::vector<DeviceCase> all_devices();

/// A graph that devices are asked to run, in IR text; its inputs are filled from a seed.
struct OpCase {
  std::string name;
  std::string graph;
  std::vector<std::vector<float>> inputs = {};  // instead of random ones
};
std::vector<OpCase> all_op_cases();

/// Path of a plug-in that the build makes for these tests.
std::string plugin_path(const std::string& name);

}  // namespace npugraph::conformance
