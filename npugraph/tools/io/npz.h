// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "npugraph/base/result.h"
#include "npugraph/tensor/tensor.h"

namespace npugraph::tools {

struct NamedArray {
  std::string name;
  Tensor tensor;
};

/// All arrays of a .npz file in file order, names without ".npy". Memory grows with the data that
/// really come out of the archive, not with the sizes that it claims, and an entry that expands
/// more than deflate can is refused. Errors: kFileNotFound, kFileRead, kBadArray (named entry).
Result<std::vector<NamedArray>> read_npz(const std::filesystem::path& path);

/// Writes a .npz file, whole or not at all; equal arrays give equal bytes. Errors: kFileWrite.
Status write_npz(const std::filesystem::path& path, std::span<const NamedArray> arrays);

}  // namespace npugraph::tools
