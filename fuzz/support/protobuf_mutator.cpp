// SPDX-License-Identifier: Apache-2.0
// Mutations on protobuf's wire form without its schema: bytes that parse as fields are taken for a
// message, so that damage goes deep into a model and the lengths around it stay right.
#include <algorithm>
#include <iterator>
#include <optional>

#include "fuzz/driver.h"

namespace npugraph::fuzz {
namespace {

constexpr uint64_t kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5;

struct Field {
  uint64_t tag = 0;  // number and wire type
  uint64_t value = 0;
  Bytes content;  // of a length-delimited or fixed field
};

size_t below(Random& random, size_t limit) { return limit == 0 ? 0 : random() % limit; }

std::optional<uint64_t> read_varint(std::span<const std::byte>& rest) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest.empty()) return std::nullopt;
    const auto byte = static_cast<uint64_t>(rest.front());
    rest = rest.subspan(1);
    value |= (byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return std::nullopt;
}

void write_varint(Bytes& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::byte>((value & 0x7f) | 0x80));
  out.push_back(static_cast<std::byte>(value));
}

std::optional<std::vector<Field>> split(std::span<const std::byte> rest) {
  std::vector<Field> fields;
  while (!rest.empty()) {
    const auto tag = read_varint(rest);
    if (!tag || *tag >> 3 == 0 || *tag >> 3 > 100) return std::nullopt;
    Field field{.tag = *tag, .value = 0, .content = {}};
    uint64_t length = (*tag & 7) == kFixed64 ? 8 : 4;
    if ((*tag & 7) == kVarint) {
      const auto value = read_varint(rest);
      if (!value) return std::nullopt;
      field.value = *value;
      fields.push_back(std::move(field));
      continue;
    }
    if ((*tag & 7) == kLength) {
      const auto given = read_varint(rest);
      if (!given) return std::nullopt;
      length = *given;
    } else if ((*tag & 7) != kFixed64 && (*tag & 7) != kFixed32) {
      return std::nullopt;
    }
    if (length > rest.size()) return std::nullopt;
    const auto content = rest.first(static_cast<size_t>(length));
    field.content.assign(content.begin(), content.end());
    rest = rest.subspan(static_cast<size_t>(length));
    fields.push_back(std::move(field));
  }
  return fields;
}

Bytes merge(const std::vector<Field>& fields) {
  Bytes out;
  for (const Field& field : fields) {
    write_varint(out, field.tag);
    if ((field.tag & 7) == kVarint) {
      write_varint(out, field.value);
      continue;
    }
    if ((field.tag & 7) == kLength) write_varint(out, field.content.size());
    out.insert(out.end(), field.content.begin(), field.content.end());
  }
  return out;
}

uint64_t odd_number(uint64_t old, Random& random) {
  constexpr uint64_t kNumbers[] = {0,     1,          2,          7,          16,
                                   127,   255,        65536,      1ull << 31, (1ull << 31) - 1,
                                   ~0ull, 1ull << 63, ~0ull >> 1, 1ull << 40, ~0ull - 1};
  switch (below(random, 4)) {
    case 0:
      return old + 1;
    case 1:
      return old - 1;
    case 2:
      return random() >> below(random, 64);
    default:
      return kNumbers[below(random, std::size(kNumbers))];
  }
}

void change_content(Field& field, const std::vector<Field>& others, Random& random) {
  Bytes& content = field.content;
  switch (below(random, 4)) {
    case 0:
      if (!content.empty())
        content[below(random, content.size())] = static_cast<std::byte>(random());
      break;
    case 1:
      content.resize(below(random, content.size() + 2));
      break;
    case 2:  // a name that another field has: wires nodes to other values
      content = others[below(random, others.size())].content;
      break;
    default:
      content.insert(content.end(), content.begin(), content.end());
      break;
  }
}

/// Changes one field of the message, or of a message inside it.
Bytes mutate_message(const Bytes& bytes, const std::vector<Field>& donors, Random& random,
                     int depth) {
  constexpr int kMaxDepth = 12;
  auto parsed = split(bytes);
  if (!parsed || parsed->empty()) return bytes;
  std::vector<Field>& fields = *parsed;
  const size_t index = below(random, fields.size());
  Field& field = fields[index];
  const auto at = fields.begin() + static_cast<std::ptrdiff_t>(index);
  const bool nested =
      (field.tag & 7) == kLength && field.content.size() > 1 && split(field.content).has_value();
  if (nested && depth < kMaxDepth && below(random, 8) != 0) {
    field.content = mutate_message(field.content, donors, random, depth + 1);
    return merge(fields);
  }
  switch (below(random, 6)) {
    case 0:
      fields.erase(at);
      break;
    case 1: {
      Field copy = field;
      fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(below(random, fields.size() + 1)),
                    std::move(copy));
      break;
    }
    case 2:
      std::swap(field, fields[below(random, fields.size())]);
      break;
    case 3:
      if (!donors.empty()) fields.insert(at, donors[below(random, donors.size())]);
      break;
    default:
      if ((field.tag & 7) == kVarint) {
        field.value = odd_number(field.value, random);
      } else {
        change_content(field, fields, random);
      }
      break;
  }
  return merge(fields);
}

}  // namespace

void mutate_protobuf(Bytes& bytes, const Bytes& other, Random& random) {
  // Donors come from one random depth of the other input.
  std::vector<Field> donors = split(other).value_or(std::vector<Field>());
  for (size_t depth = below(random, 6); depth > 0 && !donors.empty(); --depth) {
    auto inner = split(donors[below(random, donors.size())].content);
    if (!inner || inner->empty()) break;
    donors = std::move(*inner);
  }
  bytes = mutate_message(bytes, donors, random, 0);
}

}  // namespace npugraph::fuzz
