// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tools/io/npy.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "npugraph/base/text.h"

namespace npugraph::tools {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxHeader_bytes = 65536;
constexpr size_t kMaxRank = 64;  // numpy's own limit

Error bad(std::string what, std::string found = {}, std::string expected = {},
          std::string fix = {}) {
  return fail(ErrorId::kBadArray, std::move(what), std::move(found), std::move(expected),
              std::move(fix));
}

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  Dims dims;
};

/// Reads the one Python dictionary that a header may hold.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  Result<NpyHeader> parse() {
    NPU_TRY(expect('{'));
    bool seen_descr = false, seen_order = false, seen_shape = false;
    while (!take('}')) {
      NPU_LET(const std::string key, string());
      NPU_TRY(expect(':'));
      if (key == "descr" && !seen_descr) {
        NPU_LET(header_.descr, string());
        seen_descr = true;
      } else if (key == "fortran_order" && !seen_order) {
        NPU_LET(header_.fortran_order, boolean());
        seen_order = true;
      } else if (key == "shape" && !seen_shape) {
        NPU_TRY(tuple());
        seen_shape = true;
      } else {
        return bad("the header has a key that does not belong there", key,
                   "descr, fortran_order and shape, each once");
      }
      if (!take(',')) {
        NPU_TRY(expect('}'));
        break;
      }
    }
    skip_space();
    if (!rest_.empty()) return bad("the header goes on after its dictionary");
    if (!seen_descr || !seen_order || !seen_shape)
      return bad("the header lacks a key", {}, "descr, fortran_order and shape");
    return header_;
  }

 private:
  void skip_space() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n'))
      rest_.remove_prefix(1);
  }
  bool take(char wanted) {
    skip_space();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  Status expect(char wanted) {
    if (take(wanted)) return ok();
    const std::string found = rest_.empty() ? "its end" : text("'", rest_.front(), "'");
    return bad("the header is malformed", found, text("'", wanted, "'"));
  }
  Result<std::string> string() {
    skip_space();
    if (!rest_.empty() && rest_.front() == '[')
      return bad("structured arrays are not supported", "a record dtype", "one number an element");
    const char quote = !rest_.empty() && rest_.front() == '"' ? '"' : '\'';
    NPU_TRY(expect(quote));
    const size_t end = rest_.find(quote);
    if (end == std::string_view::npos) return bad("a string of the header has no end");
    std::string out(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return out;
  }
  Result<bool> boolean() {
    skip_space();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    return bad("fortran_order is neither True nor False");
  }
  Status tuple() {
    NPU_TRY(expect('('));
    while (!take(')')) {
      skip_space();
      int64_t dim = -1;
      const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), dim);
      if (code != std::errc{} || dim < 0)
        return bad("a dim of the header is not a number from 0 to 2^63 - 1");
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      if (header_.dims.size() == kMaxRank)
        return bad("the array has too many dims", {}, text("at most ", kMaxRank));
      header_.dims.push_back(dim);
      if (!take(',')) {
        NPU_TRY(expect(')'));
        break;
      }
    }
    return ok();
  }

  std::string_view rest_;
  NpyHeader header_;
};

struct DescrRow {
  std::string_view descr;  // without the byte order
  DType dtype;
};
constexpr std::array kDescrs = {
    DescrRow{"b1", DType::kBool}, DescrRow{"u1", DType::kU8},  DescrRow{"i1", DType::kI8},
    DescrRow{"u2", DType::kU16},  DescrRow{"i2", DType::kI16}, DescrRow{"u4", DType::kU32},
    DescrRow{"i4", DType::kI32},  DescrRow{"u8", DType::kU64}, DescrRow{"i8", DType::kI64},
    DescrRow{"f2", DType::kF16},  DescrRow{"f4", DType::kF32}, DescrRow{"f8", DType::kF64},
};

Result<DType> dtype_of(std::string_view descr) {
  const std::string found = text("dtype '", descr, "'");
  const std::string expected = "bool, (u)int8..64 or float16..64";
  if (descr.size() < 2) return bad("the dtype is malformed", found, expected);
  const char order = descr.front();
  for (const DescrRow& row : kDescrs) {
    if (descr.substr(1) != row.descr) continue;
    if (order == '<' || order == '|' || order == '=') return row.dtype;
    return bad("the byte order is not supported", found, "little-endian",
               "convert it with x.astype(x.dtype.newbyteorder('<'))");
  }
  if (descr.substr(1) == "V2")
    return bad("the dtype is not supported", found, expected,
               "save bfloat16 as its bits: numpy.save(path, x.view(numpy.uint16))");
  return bad("the dtype is not supported", found, expected);
}

/// Copies elements of `item_bytes` from Fortran to C order.
void reorder(std::span<const std::byte> from, std::byte* to, const Dims& dims, size_t item_bytes) {
  std::vector<size_t> strides(dims.size(), item_bytes);
  for (size_t axis = 1; axis < dims.size(); ++axis)
    strides[axis] = strides[axis - 1] * static_cast<size_t>(dims[axis - 1]);
  std::vector<int64_t> index(dims.size(), 0);
  size_t offset = 0;
  for (size_t done = 0; done < from.size(); done += item_bytes) {
    std::memcpy(to + done, from.data() + offset, item_bytes);
    for (size_t axis = dims.size(); axis-- > 0;) {
      offset += strides[axis];
      if (++index[axis] < dims[axis]) break;
      offset -= strides[axis] * static_cast<size_t>(dims[axis]);
      index[axis] = 0;
    }
  }
}

uint32_t little_endian(std::span<const std::byte> bytes) {
  uint32_t out = 0;
  for (size_t i = bytes.size(); i-- > 0;) out = out << 8U | std::to_integer<uint32_t>(bytes[i]);
  return out;
}

/// Splits a file into the text of its header and its data.
Result<NpyHeader> split_header(std::span<const std::byte>& bytes) {
  if (bytes.size() < kMagic.size() + 2 ||
      std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
    return bad("not a .npy file", {}, "a file that begins with \\x93NUMPY");
  const int version = std::to_integer<int>(bytes[kMagic.size()]);
  if (version < 1 || version > 3)
    return bad("the format version is not known", text(version), "1, 2 or 3");
  const size_t field_bytes = version == 1 ? 2 : 4;
  bytes = bytes.subspan(kMagic.size() + 2);
  if (bytes.size() < field_bytes) return bad("the file ends in its header");
  const size_t header_bytes = little_endian(bytes.first(field_bytes));
  bytes = bytes.subspan(field_bytes);
  if (header_bytes > kMaxHeader_bytes)
    return bad("the header is too long", text(header_bytes, " bytes"),
               text("at most ", kMaxHeader_bytes));
  if (header_bytes > bytes.size())
    return bad("the file ends in its header", text(bytes.size(), " bytes"),
               text(header_bytes, " bytes of header"));
  const std::string_view header(reinterpret_cast<const char*>(bytes.data()), header_bytes);
  bytes = bytes.subspan(header_bytes);
  return HeaderParser(header).parse();
}

std::string_view descr_for(DType dtype) {
  for (const DescrRow& row : kDescrs)
    if (row.dtype == dtype) return row.descr;
  if (dtype == DType::kI4) return "i1";
  return dtype == DType::kBF16 ? "u2" : "u1";
}

}  // namespace

Result<Tensor> parse_npy(std::span<const std::byte> bytes) {
  NPU_LET(const NpyHeader header, split_header(bytes));
  NPU_LET(const DType dtype, dtype_of(header.descr));
  const auto wanted = dense_bytes(dtype, header.dims);
  if (!wanted) return bad("the array's size does not fit in 64 bits", dims_str(header.dims));
  if (static_cast<uint64_t>(*wanted) != bytes.size())
    return bad("the array's data has the wrong length", text(bytes.size(), " bytes"),
               text(*wanted, " bytes for ", dtype_name(dtype), " ", dims_str(header.dims)));
  NPU_LET(Tensor tensor, Tensor::zeros(dtype, header.dims));
  if (bytes.empty()) return tensor;
  const TensorView view = tensor.mutable_view();
  if (header.fortran_order && header.dims.size() > 1)
    reorder(bytes, view.data, header.dims, static_cast<size_t>(dtype_bits(dtype) / 8));
  else
    std::memcpy(view.data, bytes.data(), bytes.size());
  if (dtype == DType::kBool)  // kernels may rely on 0 and 1
    for (int64_t i = 0; i < view.elements(); ++i)
      view.data[i] = static_cast<std::byte>(view.data[i] != std::byte{0});
  return tensor;
}

std::string npy_bytes(const TensorView& view) {
  const std::string_view descr = descr_for(view.dtype);
  std::string header = text("{'descr': '", descr.ends_with('1') ? "|" : "<", descr,
                            "', 'fortran_order': False, 'shape': (");
  for (const int64_t dim : view.dims) header += text(dim, view.rank() == 1 ? "," : ", ");
  if (view.rank() > 1) header.resize(header.size() - 2);
  header += "), }";
  const size_t prefix = kMagic.size() + 4;
  while ((prefix + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out(kMagic);
  out += {'\1', '\0', static_cast<char>(header.size() & 0xFFU),
          static_cast<char>(header.size() >> 8U)};
  out += header;
  if (dtype_bits(view.dtype) == 4) {
    for (int64_t i = 0; i < view.elements(); ++i)
      out += static_cast<char>(static_cast<int8_t>(view.load_int(i)));
    return out;
  }
  if (view.elements() > 0)
    out.append(reinterpret_cast<const char*>(view.data), static_cast<size_t>(view.bytes()));
  return out;
}

}  // namespace npugraph::tools
