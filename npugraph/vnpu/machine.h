// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "npugraph/base/result.h"
#include "npugraph/vnpu/dram.h"
#include "npugraph/vnpu/image.h"
#include "npugraph/vnpu/product.h"

namespace npugraph::vnpu {

/// Where the regions of a program lie for one launch.
struct Binding {
  std::span<const DeviceAddress> inputs;
  std::span<const DeviceAddress> outputs;
  std::span<const DeviceAddress> weights;
  DeviceAddress scratch = 0;
};

/// Executes an image that read_image() accepted, command after command, on the values in `dram`.
/// Allocates nothing.
/// Errors: kBadTensor when a bound region is not allocated memory of the device.
Status execute(const Image& image, const Binding& binding, const Dram& dram,
               Workers& workers) noexcept;

}  // namespace npugraph::vnpu
