// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "npugraph/base/result.h"

namespace npugraph::onnx {

/// Longest name of a node or value.
inline constexpr size_t kMaxName = 4096;

/// A name from a file as messages show it: in quotes, printable, at most 80 bytes of it.
std::string shown(std::string_view name);

bool is_utf8(std::string_view text) noexcept;

/// `text` with everything that is not UTF-8 or not printable as '?'.
std::string printable(std::string_view text);

/// `name` cut to a length at which it can still be a part of other names.
std::string_view cut(std::string_view name) noexcept;

/// "ai.onnx" and "" are the same domain; returned as "".
std::string_view plain_domain(std::string_view domain) noexcept;

/// "ai.onnx.Conv", "com.microsoft.Gelu".
std::string full_op(std::string_view domain, std::string_view op);

/// Where a graph's metadata keeps the shape that a file declares for an output, when inference
/// cannot tell the rank.
std::string declared_shape_key(std::string_view output);

/// Errors: kOnnxStructure when it is longer than kMaxName or not UTF-8.
Status check_name(std::string_view name);

}  // namespace npugraph::onnx
