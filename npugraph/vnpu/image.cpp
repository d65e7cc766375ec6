// SPDX-License-Identifier: Apache-2.0
#include "npugraph/vnpu/image.h"

#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

#include "npugraph/base/text.h"

namespace npugraph::vnpu {
namespace {

static_assert(std::endian::native == std::endian::little, "images are little-endian");

constexpr uint64_t kMagic = 0x474d49'55504e56;  // "VNPUIMG" and a zero byte
constexpr uint32_t kFormatVersion = 1;

struct Header {
  uint64_t magic = kMagic;
  uint32_t format_version = kFormatVersion;
  uint32_t input_count = 0;
  uint32_t output_count = 0;
  uint32_t weight_count = 0;
  uint32_t buffer_count = 0;
  uint32_t shape_count = 0;
  uint32_t command_count = 0;
  uint32_t reserved = 0;
  uint64_t scratch_bytes = 0;
};
static_assert(sizeof(Header) == 48);

template <class T>
void append(std::string& out, std::span<const T> rows) {
  static_assert(std::has_unique_object_representations_v<T>, "padding would not be reproducible");
  out.append(reinterpret_cast<const char*>(rows.data()), rows.size_bytes());
}

template <class T>
std::vector<T> take(std::span<const std::byte>& rest, uint32_t count) {
  std::vector<T> rows(count);
  const size_t size_bytes = count * sizeof(T);
  if (size_bytes > 0) std::memcpy(rows.data(), rest.data(), size_bytes);
  rest = rest.subspan(size_bytes);
  return rows;
}

Error invalid(std::string what, std::string found, std::string expected) {
  return fail(ErrorId::kProgramInvalid, text("vnpu program: ", what), std::move(found),
              std::move(expected));
}

/// Sizes that stop at the largest number instead of wrapping: whatever is compared with them fails.
class Sat {
 public:
  Sat(uint64_t value) noexcept  // NOLINT(google-explicit-constructor): a number with other rules
      : value_(value <= kMost ? static_cast<int64_t>(value) : kMost) {}
  Sat operator*(Sat other) const noexcept {
    int64_t out = 0;
    return __builtin_mul_overflow(value_, other.value_, &out) ? Sat(kMost)
                                                              : Sat(static_cast<uint64_t>(out));
  }
  Sat operator+(Sat other) const noexcept {
    int64_t out = 0;
    return __builtin_add_overflow(value_, other.value_, &out) ? Sat(kMost)
                                                              : Sat(static_cast<uint64_t>(out));
  }
  int64_t value() const noexcept { return value_; }

 private:
  static constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  int64_t value_;
};

/// Elements from the first to the last that steps of `strides` reach in `dims`; dims are not 0.
Sat reach(std::span<const uint32_t> dims, std::span<const uint32_t> strides, Sat unit) {
  Sat last = unit;
  for (size_t i = 0; i < dims.size(); ++i) last = last + Sat(dims[i] - 1u) * Sat(strides[i]);
  return last;
}

Extents matmul_extents(const MatMulShape& s) noexcept {
  const Sat dst = Sat(s.batch[0]) * s.batch[1] * s.m * s.n;
  const Sat matrices = Sat(s.batch[0]) * s.batch[1];
  if (matrices.value() == 0) return {};
  return {reach(s.batch, s.a_stride, Sat(s.m) * s.k).value(),
          reach(s.batch, s.b_stride, Sat(s.k) * s.n).value(), 0, dst.value()};
}

Extents conv_extents(const ConvShape& s) noexcept {
  const Sat channels = Sat(s.group) * s.out_c;
  return {(Sat(s.batch) * s.group * s.in_c * s.in_h * s.in_w).value(),
          (channels * s.in_c * s.kernel_h * s.kernel_w).value(), channels.value(),
          (Sat(s.batch) * channels * s.out_h * s.out_w).value()};
}

Extents add_extents(const AddShape& s) noexcept {
  const Sat dst = Sat(s.dims[0]) * s.dims[1] * s.dims[2] * s.dims[3];
  if (dst.value() == 0) return {};
  return {reach(s.dims, s.a_stride, Sat(1)).value(), reach(s.dims, s.b_stride, Sat(1)).value(), 0,
          dst.value()};
}

/// Checks the rows of an image against each other.
class Checker {
 public:
  explicit Checker(const Image& image) : image_(image) {}

  Status run() const {
    for (size_t i = 0; i < image_.buffers.size(); ++i) NPU_TRY(check_buffer(i));
    for (size_t i = 0; i < image_.commands.size(); ++i) {
      NPU_TRY_AT(text("command ", i), check_command(image_.commands[i]));
    }
    return ok();
  }

 private:
  std::optional<uint64_t> region_bytes(const BufferRow& row) const {
    const std::vector<uint64_t>* list = nullptr;
    switch (row.region) {
      case Region::kInput:
        list = &image_.input_bytes;
        break;
      case Region::kOutput:
        list = &image_.output_bytes;
        break;
      case Region::kWeight:
        list = &image_.weight_bytes;
        break;
      case Region::kScratch:
        return row.index == 0 ? std::optional(image_.scratch_bytes) : std::nullopt;
    }
    if (list == nullptr || row.index >= list->size()) return std::nullopt;
    return (*list)[row.index];
  }

  Status check_buffer(size_t index) const {
    const BufferRow& row = image_.buffers[index];
    const auto region = region_bytes(row);
    if (!region) {
      return invalid(text("region of buffer ", index),
                     text("region ", static_cast<uint32_t>(row.region), " number ", row.index),
                     "a region that the program declares");
    }
    if (row.offset_bytes % sizeof(float) != 0 || row.offset_bytes > *region ||
        row.size_bytes > *region - row.offset_bytes) {
      return invalid(text("place of buffer ", index),
                     text(row.size_bytes, " bytes at ", row.offset_bytes),
                     text("a multiple of 4 inside of ", *region, " bytes"));
    }
    return ok();
  }

  Status check_operand(std::string_view name, uint32_t row, int64_t elements) const {
    if (row >= image_.buffers.size()) {
      return invalid(text("operand ", name), text("buffer ", row),
                     text("less than ", image_.buffers.size()));
    }
    const uint64_t have = image_.buffers[row].size_bytes / sizeof(float);
    if (static_cast<uint64_t>(elements) > have) {
      return invalid(text("size of operand ", name), text(have, " elements"),
                     text("at least ", elements));
    }
    return ok();
  }

  Status check_unused(std::string_view name, uint32_t row) const {
    if (row == kNoBuffer) return ok();
    return invalid(text("operand ", name), text("buffer ", row), "none for this opcode");
  }

  bool overlap(uint32_t one, uint32_t two) const {
    const BufferRow& x = image_.buffers[one];
    const BufferRow& y = image_.buffers[two];
    return x.region == y.region && x.index == y.index &&
           x.offset_bytes < y.offset_bytes + y.size_bytes &&
           y.offset_bytes < x.offset_bytes + x.size_bytes;
  }

  Status check_shape(const Command& command) const {
    const bool has_shape = command.op != Opcode::kCopy && command.op != Opcode::kRelu;
    if (!has_shape) {
      if (command.shape == 0) return ok();
      return invalid("shape row", text(command.shape), "0 for this opcode");
    }
    if (command.count != 0) return invalid("count", text(command.count), "0 for this opcode");
    if (command.shape >= image_.shapes.size()) {
      return invalid("shape row", text(command.shape), text("less than ", image_.shapes.size()));
    }
    if (command.op != Opcode::kConv) return ok();
    const auto shape = std::bit_cast<ConvShape>(image_.shapes[command.shape]);
    for (const uint32_t step : {shape.kernel_h, shape.kernel_w, shape.stride_h, shape.stride_w,
                                shape.dilation_h, shape.dilation_w}) {
      if (step < 1) return invalid("kernel, stride or dilation", "0", "1 or more");
    }
    for (const uint32_t word : image_.shapes[command.shape].words) {
      if (word > kMostConvSize) {
        return invalid("size in a convolution", text(word), text("at most ", kMostConvSize));
      }
    }
    return ok();
  }

  Status check_command(const Command& command) const {
    if (opcode_name(command.op).empty()) {
      return invalid("opcode", text(static_cast<int>(command.op)), "1..5");
    }
    if (command.reserved0 != 0 || command.reserved1 != 0) {
      return invalid("reserved field", "not 0", "0");
    }
    NPU_TRY(check_shape(command));
    const ShapeRow none;
    const ShapeRow& shape = image_.shapes.empty() ? none : image_.shapes[command.shape];
    const Extents need = extents_of(command.op, shape, command.count);
    const bool is_matrix = command.op == Opcode::kMatMul || command.op == Opcode::kConv;
    const bool has_b = is_matrix || command.op == Opcode::kAdd;
    const bool has_c = command.op == Opcode::kConv && command.c != kNoBuffer;
    NPU_TRY(check_operand("a", command.a, need.a));
    NPU_TRY(has_b ? check_operand("b", command.b, need.b) : check_unused("b", command.b));
    NPU_TRY(has_c ? check_operand("c", command.c, need.c) : check_unused("c", command.c));
    NPU_TRY(check_operand("dst", command.dst, need.dst));
    const Region written = image_.buffers[command.dst].region;
    if (written == Region::kInput || written == Region::kWeight) {
      return invalid("operand dst", "an input or weight", "an output or scratch");
    }
    if (is_matrix && (overlap(command.a, command.dst) || overlap(command.b, command.dst) ||
                      (has_c && overlap(command.c, command.dst)))) {
      return invalid("operand dst", "overlaps an operand", "a buffer of its own");
    }
    return ok();
  }

  const Image& image_;
};

Result<Header> read_header(std::span<const std::byte> bytes) {
  Header header;
  if (bytes.size() < sizeof(Header)) {
    return invalid("length", text(bytes.size(), " bytes"), text("at least ", sizeof(Header)));
  }
  std::memcpy(&header, bytes.data(), sizeof(Header));
  if (header.magic != kMagic) return invalid("magic number", text(header.magic), text(kMagic));
  if (header.format_version != kFormatVersion) {
    return invalid("format version", text(header.format_version), text(kFormatVersion));
  }
  if (header.reserved != 0) return invalid("reserved field", text(header.reserved), "0");
  const uint64_t regions = uint64_t{header.input_count} + header.output_count + header.weight_count;
  const uint64_t expected =
      sizeof(Header) + regions * sizeof(uint64_t) + header.buffer_count * sizeof(BufferRow) +
      header.shape_count * sizeof(ShapeRow) + header.command_count * sizeof(Command);
  if (bytes.size() != expected) {
    return invalid("length", text(bytes.size(), " bytes"), text(expected));
  }
  return header;
}

}  // namespace

std::string_view opcode_name(Opcode op) noexcept {
  switch (op) {
    case Opcode::kCopy:
      return "COPY";
    case Opcode::kMatMul:
      return "MATMUL";
    case Opcode::kConv:
      return "CONV";
    case Opcode::kAdd:
      return "ADD";
    case Opcode::kRelu:
      return "RELU";
  }
  return {};
}

Extents extents_of(Opcode op, const ShapeRow& shape, uint64_t count) noexcept {
  switch (op) {
    case Opcode::kCopy:
    case Opcode::kRelu:
      return {Sat(count).value(), 0, 0, Sat(count).value()};
    case Opcode::kMatMul:
      return matmul_extents(std::bit_cast<MatMulShape>(shape));
    case Opcode::kConv:
      return conv_extents(std::bit_cast<ConvShape>(shape));
    case Opcode::kAdd:
      return add_extents(std::bit_cast<AddShape>(shape));
  }
  return {};
}

std::string write_image(const Image& image) {
  const Header header = {.input_count = static_cast<uint32_t>(image.input_bytes.size()),
                         .output_count = static_cast<uint32_t>(image.output_bytes.size()),
                         .weight_count = static_cast<uint32_t>(image.weight_bytes.size()),
                         .buffer_count = static_cast<uint32_t>(image.buffers.size()),
                         .shape_count = static_cast<uint32_t>(image.shapes.size()),
                         .command_count = static_cast<uint32_t>(image.commands.size()),
                         .scratch_bytes = image.scratch_bytes};
  std::string out;
  append(out, std::span(&header, 1));
  append<uint64_t>(out, image.input_bytes);
  append<uint64_t>(out, image.output_bytes);
  append<uint64_t>(out, image.weight_bytes);
  append<BufferRow>(out, image.buffers);
  append<ShapeRow>(out, image.shapes);
  append<Command>(out, image.commands);
  return out;
}

Result<Image> read_image(std::span<const std::byte> bytes) {
  NPU_LET(const Header header, read_header(bytes));
  auto rest = bytes.subspan(sizeof(Header));
  Image image;
  image.scratch_bytes = header.scratch_bytes;
  image.input_bytes = take<uint64_t>(rest, header.input_count);
  image.output_bytes = take<uint64_t>(rest, header.output_count);
  image.weight_bytes = take<uint64_t>(rest, header.weight_count);
  image.buffers = take<BufferRow>(rest, header.buffer_count);
  image.shapes = take<ShapeRow>(rest, header.shape_count);
  image.commands = take<Command>(rest, header.command_count);
  if (image.scratch_bytes > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return invalid("scratch size", text(image.scratch_bytes), "less than 2^63 bytes");
  }
  NPU_TRY(Checker(image).run());
  return image;
}

}  // namespace npugraph::vnpu
