// SPDX-License-Identifier: Apache-2.0
// Source: the protobuf wire format; field numbers from onnx.proto.
#include "npugraph/frontends/onnx/wire.h"

#include <array>
#include <cstdint>
#include <optional>

#include "npugraph/base/text.h"

namespace npugraph::onnx {
namespace {

enum class Kind : uint8_t {
  kModel,
  kGraph,
  kNode,
  kAttribute,
  kTensor,
  kSparse,
  kFunction,
  kTraining,
  kValueInfo,
  kType,
  kTypeTensor,
  kWrapped,  // sequence, optional and map types: a type in field 1 or 2
  kShape,
  kPair,   // a message of strings and numbers
  kBytes,  // a string, bytes, or packed numbers
};

struct Field {
  Kind parent;
  uint64_t number;
  Kind child;
};

/// Fields that hold messages. A message field that is not listed is counted as bytes, which the
/// allowance for its length covers.
constexpr std::array kFields = {
    Field{Kind::kModel, 7, Kind::kGraph},         Field{Kind::kModel, 8, Kind::kPair},
    Field{Kind::kModel, 14, Kind::kPair},         Field{Kind::kModel, 20, Kind::kTraining},
    Field{Kind::kModel, 25, Kind::kFunction},     Field{Kind::kModel, 26, Kind::kPair},
    Field{Kind::kGraph, 1, Kind::kNode},          Field{Kind::kGraph, 5, Kind::kTensor},
    Field{Kind::kGraph, 11, Kind::kValueInfo},    Field{Kind::kGraph, 12, Kind::kValueInfo},
    Field{Kind::kGraph, 13, Kind::kValueInfo},    Field{Kind::kGraph, 14, Kind::kPair},
    Field{Kind::kGraph, 15, Kind::kSparse},       Field{Kind::kGraph, 16, Kind::kPair},
    Field{Kind::kNode, 5, Kind::kAttribute},      Field{Kind::kNode, 9, Kind::kPair},
    Field{Kind::kNode, 10, Kind::kPair},          Field{Kind::kAttribute, 5, Kind::kTensor},
    Field{Kind::kAttribute, 6, Kind::kGraph},     Field{Kind::kAttribute, 10, Kind::kTensor},
    Field{Kind::kAttribute, 11, Kind::kGraph},    Field{Kind::kAttribute, 14, Kind::kType},
    Field{Kind::kAttribute, 15, Kind::kType},     Field{Kind::kAttribute, 22, Kind::kSparse},
    Field{Kind::kAttribute, 23, Kind::kSparse},   Field{Kind::kTensor, 3, Kind::kPair},
    Field{Kind::kTensor, 13, Kind::kPair},        Field{Kind::kTensor, 16, Kind::kPair},
    Field{Kind::kSparse, 1, Kind::kTensor},       Field{Kind::kSparse, 2, Kind::kTensor},
    Field{Kind::kFunction, 7, Kind::kNode},       Field{Kind::kFunction, 9, Kind::kPair},
    Field{Kind::kFunction, 11, Kind::kAttribute}, Field{Kind::kFunction, 12, Kind::kValueInfo},
    Field{Kind::kFunction, 14, Kind::kPair},      Field{Kind::kTraining, 1, Kind::kGraph},
    Field{Kind::kTraining, 2, Kind::kGraph},      Field{Kind::kTraining, 3, Kind::kPair},
    Field{Kind::kTraining, 4, Kind::kPair},       Field{Kind::kValueInfo, 2, Kind::kType},
    Field{Kind::kValueInfo, 4, Kind::kPair},      Field{Kind::kType, 1, Kind::kTypeTensor},
    Field{Kind::kType, 4, Kind::kWrapped},        Field{Kind::kType, 5, Kind::kWrapped},
    Field{Kind::kType, 7, Kind::kPair},           Field{Kind::kType, 8, Kind::kTypeTensor},
    Field{Kind::kType, 9, Kind::kWrapped},        Field{Kind::kWrapped, 1, Kind::kType},
    Field{Kind::kWrapped, 2, Kind::kType},        Field{Kind::kTypeTensor, 2, Kind::kShape},
    Field{Kind::kShape, 1, Kind::kPair},
};

Kind child_kind(Kind parent, uint64_t number) noexcept {
  for (const Field& field : kFields)
    if (field.parent == parent && field.number == number) return field.child;
  return Kind::kBytes;
}

/// Numbers that may be packed: the parsed form has up to 8 bytes where the file has 1.
bool packed_numbers(Kind parent, uint64_t number) noexcept {
  switch (parent) {
    case Kind::kTensor:
      return number == 1 || number == 5 || number == 7 || number == 11;
    case Kind::kAttribute:
      return number == 8;
    case Kind::kSparse:
      return number == 3;
    default:
      return false;
  }
}

class Scanner {
 public:
  explicit Scanner(std::span<const std::byte> bytes) : bytes_(bytes) {}

  Status run() {
    NPU_TRY(message(bytes_.size(), Kind::kModel, 0));
    return ok();
  }

 private:
  static constexpr int kMaxDepth = 90;            // protobuf's own parser stops at 100
  static constexpr int64_t kMessage_bytes = 256;  // an object, its pointer and its heap block
  static constexpr int64_t kString_bytes = 64;

  Error bad(std::string what, std::string expected) const {
    return fail(ErrorId::kOnnxParse, std::move(what), text("byte ", position_),
                std::move(expected));
  }

  Status charge(int64_t bytes) {
    estimate_bytes_ += bytes;
    const int64_t limit = 4 * static_cast<int64_t>(bytes_.size()) + kMemoryAllowance_bytes;
    if (estimate_bytes_ <= limit) return ok();
    return fail(ErrorId::kOnnxStructure, "the model takes far more memory than its size suggests",
                text("more than ", estimate_bytes_, " bytes for a file of ", bytes_.size()),
                text("at most ", limit, " bytes"));
  }

  std::optional<uint64_t> varint(size_t end) noexcept {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (position_ >= end) return std::nullopt;
      const auto byte = static_cast<uint64_t>(bytes_[position_++]);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return std::nullopt;
  }

  Status message(size_t end, Kind kind, int depth) {
    if (depth > kMaxDepth)
      return bad("messages are nested too deeply", text("at most ", kMaxDepth, " levels"));
    NPU_TRY(charge(kMessage_bytes));
    while (position_ < end) {
      const auto tag = varint(end);
      if (!tag || *tag >> 3 == 0)
        return bad("not a readable ONNX model: no protobuf field here", "a field");
      NPU_TRY(field(end, kind, *tag >> 3, *tag & 7, depth));
    }
    return ok();
  }

  Status field(size_t end, Kind kind, uint64_t number, uint64_t wire_type, int depth) {
    constexpr uint64_t kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5;
    if (wire_type == kVarint) {
      if (!varint(end)) return bad("the file is cut off or damaged", "a number");
      return charge(8);
    }
    uint64_t length = wire_type == kFixed64 ? 8 : 4;
    if (wire_type == kLength) {
      const auto given = varint(end);
      if (!given) return bad("the file is cut off or damaged", "the length of a field");
      length = *given;
    } else if (wire_type != kFixed64 && wire_type != kFixed32) {
      return bad("not a readable ONNX model: unknown kind of protobuf field",
                 "wire type 0, 1, 2 or 5");
    }
    if (length > end - position_)
      return bad(text("the file is cut off or damaged: a field of ", length, " bytes"),
                 text("at most ", end - position_, " bytes, which are left"));
    const size_t stop = position_ + static_cast<size_t>(length);
    const Kind child = wire_type == kLength ? child_kind(kind, number) : Kind::kBytes;
    if (child != Kind::kBytes) return message(stop, child, depth + 1);
    position_ = stop;
    const int64_t factor = packed_numbers(kind, number) ? 8 : 1;
    return charge(static_cast<int64_t>(length) * factor + kString_bytes);
  }

  std::span<const std::byte> bytes_;
  size_t position_ = 0;
  int64_t estimate_bytes_ = 0;
};

}  // namespace

Status scan_model(std::span<const std::byte> bytes) { return Scanner(bytes).run(); }

}  // namespace npugraph::onnx
