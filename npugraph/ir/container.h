// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "npugraph/base/result.h"

/// The bytes around a saved graph (ir/proto.h has the layout); not for other folders.
namespace npugraph {

struct ContainerParts {
  std::span<const std::byte> message;
  std::span<const std::byte> data;  // starts at a multiple of kDataAlign_bytes
};
inline constexpr size_t kDataAlign_bytes = 64;
inline constexpr uint32_t kGraphFormatVersion = 1;

/// data: pieces to be laid one after the other, each already padded by the caller.
std::string pack_container(std::string_view message, std::string_view data);

/// Errors: kIrParse when the bytes are not whole, were changed, or have another version.
Result<ContainerParts> unpack_container(std::span<const std::byte> bytes);

}  // namespace npugraph
