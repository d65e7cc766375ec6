// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "npugraph/base/result.h"

namespace npugraph::onnx {

/// Memory that reading may take beyond four times the file's size.
inline constexpr int64_t kMemoryAllowance_bytes = int64_t{256} << 20;

/// Walks the bytes of a serialised ModelProto without allocating, before the real parser may: a few
/// bytes of protobuf can stand for an object a hundred times their size. Checks that fields lie
/// inside their messages, bounds the nesting, and estimates the parsed size.
/// Errors: kOnnxParse (not protobuf, cut off, too deep), kOnnxStructure (more small parts than its
/// size allows).
Status scan_model(std::span<const std::byte> bytes);

}  // namespace npugraph::onnx
