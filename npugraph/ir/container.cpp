// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ir/container.h"

#include <cstring>

#include "npugraph/base/file.h"
#include "npugraph/base/hash.h"
#include "npugraph/base/text.h"

namespace npugraph {
namespace {

constexpr std::string_view kMagic = "NPUGRAPH";

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t reserved;
  uint64_t message_bytes;
  uint64_t total_bytes;
  uint64_t hash_low;
  uint64_t hash_high;
};
static_assert(sizeof(Header) == 48);
constexpr size_t kHashOffset = 32;

size_t padded(size_t length) {
  return (length + kDataAlign_bytes - 1) / kDataAlign_bytes * kDataAlign_bytes;
}

/// Hash of the header's fields before the hash, and of all that follows it.
Hash128 whole_hash(std::span<const std::byte> bytes) {
  const Hash128 rest = hash_bytes(bytes.subspan(sizeof(Header)));
  std::string head(reinterpret_cast<const char*>(bytes.data()), kHashOffset);
  head += rest.hex();
  return hash_bytes(bytes_of(head));
}

}  // namespace

std::string pack_container(std::string_view message, std::string_view data) {
  const size_t data_start = padded(sizeof(Header) + message.size());
  Header header{};
  std::memcpy(header.magic, kMagic.data(), kMagic.size());
  header.version = kGraphFormatVersion;
  header.message_bytes = message.size();
  header.total_bytes = data_start + data.size();
  std::string out(header.total_bytes, '\0');
  std::memcpy(out.data(), &header, sizeof(header));
  message.copy(out.data() + sizeof(Header), message.size());
  data.copy(out.data() + data_start, data.size());
  const Hash128 hash = whole_hash(bytes_of(out));
  header.hash_low = hash.low;
  header.hash_high = hash.high;
  std::memcpy(out.data(), &header, sizeof(header));
  return out;
}

Result<ContainerParts> unpack_container(std::span<const std::byte> bytes) {
  Header header{};
  if (bytes.size() < sizeof(Header))
    return fail(ErrorId::kIrParse, "not a saved graph", text(bytes.size(), " bytes"),
                text(sizeof(Header), " bytes or more"));
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (std::string_view(header.magic, sizeof(header.magic)) != kMagic)
    return fail(ErrorId::kIrParse, "not a saved graph", "other first bytes", std::string(kMagic));
  if (header.version != kGraphFormatVersion)
    return fail(ErrorId::kIrParse, "the saved graph has another format version",
                text(header.version), text(kGraphFormatVersion));
  if (header.total_bytes != bytes.size())
    return fail(ErrorId::kIrParse, "the saved graph is not whole", text(bytes.size(), " bytes"),
                text(header.total_bytes, " bytes"));
  const Hash128 hash = whole_hash(bytes);
  if (hash.low != header.hash_low || hash.high != header.hash_high)
    return fail(ErrorId::kIrParse, "the saved graph was changed or damaged", hash.hex(),
                Hash128{header.hash_low, header.hash_high}.hex());
  const size_t room = bytes.size() - sizeof(Header);
  if (header.message_bytes > room)
    return fail(ErrorId::kIrParse, "the message is longer than the file",
                text(header.message_bytes, " bytes"), text(room, " bytes or fewer"));
  const size_t data_start = padded(sizeof(Header) + header.message_bytes);
  if (data_start > bytes.size())
    return fail(ErrorId::kIrParse, "the padding after the message is missing");
  return ContainerParts{bytes.subspan(sizeof(Header), header.message_bytes),
                        bytes.subspan(data_start)};
}

}  // namespace npugraph
