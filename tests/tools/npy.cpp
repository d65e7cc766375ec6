// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tools/io/npy.h"

#include <gtest/gtest.h>

#include <string>

#include "npugraph/base/file.h"

namespace npugraph::tools {
namespace {

/// A version 1 file with this header and data.
std::string npy(const std::string& header, const std::string& data) {
  std::string out = "\x93NUMPY";
  out += {'\1', '\0', static_cast<char>(header.size() & 0xFFU),
          static_cast<char>(header.size() >> 8U)};
  return out + header + data;
}

Result<Tensor> parse(const std::string& bytes) { return parse_npy(bytes_of(bytes)); }

// What numpy 2.4 writes for numpy.array([[1, 2, 3]], "<i2"): numpy.save, dumped byte for byte.
const std::string kNumpyFile =
    npy("{'descr': '<i2', 'fortran_order': False, 'shape': (1, 3), }" + std::string(58, ' ') + "\n",
        std::string("\1\0\2\0\3\0", 6));

TEST(Npy, reads_what_numpy_writes) {
  const auto tensor = parse(kNumpyFile);
  ASSERT_TRUE(tensor) << tensor.error().message();
  EXPECT_EQ(tensor->dtype(), DType::kI16);
  EXPECT_EQ(tensor->dims(), (Dims{1, 3}));
  EXPECT_EQ(tensor->view().load_int(2), 3);
}

TEST(Npy, writes_what_it_reads) {
  for (const DType dtype :
       {DType::kBool, DType::kU8, DType::kI8, DType::kU16, DType::kI16, DType::kU32, DType::kI32,
        DType::kU64, DType::kI64, DType::kF16, DType::kF32, DType::kF64}) {
    for (const Dims& dims : {Dims{}, Dims{3}, Dims{0, 2}, Dims{2, 3, 1}}) {
      auto tensor = Tensor::zeros(dtype, dims);
      ASSERT_TRUE(tensor);
      for (int64_t i = 0; i < tensor->elements(); ++i)
        tensor->mutable_view().store(i, static_cast<double>(i % 2));
      const std::string bytes = npy_bytes(tensor->view());
      const auto back = parse(bytes);
      ASSERT_TRUE(back) << dtype_name(dtype) << " " << dims_str(dims) << back.error().message();
      EXPECT_EQ(back->dtype(), dtype);
      EXPECT_EQ(back->dims(), dims);
      for (int64_t i = 0; i < tensor->elements(); ++i)
        EXPECT_EQ(back->view().load(i), tensor->view().load(i));
      EXPECT_EQ((bytes.size() - static_cast<size_t>(tensor->view().bytes())) % 64, 0U);
    }
  }
}

TEST(Npy, writes_bits_of_dtypes_that_numpy_lacks) {
  auto tensor = Tensor::zeros(DType::kBF16, {1});
  ASSERT_TRUE(tensor);
  tensor->mutable_view().store(0, 1.0);
  const auto back = parse(npy_bytes(tensor->view()));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->dtype(), DType::kU16);
  EXPECT_EQ(back->view().load_int(0), 0x3F80);
}

TEST(Npy, puts_fortran_order_into_c_order) {
  // [[0, 1, 2], [3, 4, 5]] column by column.
  const auto tensor = parse(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n",
                                std::string("\0\3\1\4\2\5", 6)));
  ASSERT_TRUE(tensor) << tensor.error().message();
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(tensor->view().load_int(i), i);
}

TEST(Npy, makes_bools_zero_or_one) {
  const auto tensor =
      parse(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }\n", "\x7f\xff"));
  ASSERT_TRUE(tensor);
  EXPECT_EQ(tensor->as<uint8_t>()[0], 1);
}

TEST(Npy, refuses_damaged_headers) {
  const std::vector<std::string> headers = {
      "",
      "{}",
      "[]",
      "{'descr': '<f4', 'fortran_order': False}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
      "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} print(1)",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
      "{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<V2', 'fortran_order': False, 'shape': (2,)}",
      "{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}",
      "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
  };
  for (const std::string& header : headers) {
    const auto tensor = parse(npy(header, "abcd"));
    ASSERT_FALSE(tensor) << header;
    EXPECT_EQ(tensor.error().id, ErrorId::kBadArray) << header;
  }
}

TEST(Npy, refuses_too_many_dims_and_long_headers) {
  std::string dims;
  for (int i = 0; i < 65; ++i) dims += "1,";
  EXPECT_FALSE(
      parse(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (" + dims + ")}", "a")));
  std::string long_header("\x93NUMPY\2\0\xff\xff\xff\xff", 12);
  EXPECT_FALSE(parse(long_header + "{"));
}

TEST(Npy, refuses_every_truncation) {
  for (size_t length = 0; length < kNumpyFile.size(); ++length) {
    const auto tensor = parse(kNumpyFile.substr(0, length));
    ASSERT_FALSE(tensor) << length;
    EXPECT_EQ(tensor.error().id, ErrorId::kBadArray);
  }
}

TEST(Npy, survives_every_changed_byte) {
  for (size_t i = 0; i < kNumpyFile.size(); ++i) {
    for (const char value : {'\0', '\xff', '9', '('}) {
      std::string changed = kNumpyFile;
      changed[i] = value;
      const auto tensor = parse(changed);
      if (!tensor) {
        EXPECT_EQ(tensor.error().id, ErrorId::kBadArray);
      }
    }
  }
}

}  // namespace
}  // namespace npugraph::tools
