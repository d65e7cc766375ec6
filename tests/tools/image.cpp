// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tools/io/image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>

#include "npugraph/base/file.h"

namespace npugraph::tools {
namespace {

constexpr const char* kPhotograph = "examples/images/astronaut.jpg";

// 2 x 1 pixels, red (255, 0, 0) and blue (0, 0, 255); written by Pillow 12.3.
constexpr std::array<uint8_t, 72> kTwoPixelBytes = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
    0x52, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x7b,
    0x40, 0xe8, 0xdd, 0x00, 0x00, 0x00, 0x0f, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8,
    0xcf, 0xc0, 0xc0, 0xc0, 0xf0, 0x1f, 0x00, 0x07, 0x00, 0x01, 0xff, 0x7e, 0x08, 0xb1, 0xd0,
    0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
};
const std::string kTwoPixels(kTwoPixelBytes.begin(), kTwoPixelBytes.end());

class ImageFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::path(testing::TempDir()) /
            (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".png");
  }
  void TearDown() override { std::filesystem::remove(path_); }
  std::filesystem::path path_;
};

TensorType input(Dim channels, Dim height, Dim width) {
  return {DType::kF32, Shape{1, channels, height, width}};
}

TEST(Image, resizes_bilinearly_between_pixel_centres) {
  const Image image{1, 2, 1, {0, 100}};
  // Centres of 4 pixels over 2: -0.25 (the edge), 0.25, 0.75, 1.25 (the edge).
  EXPECT_EQ(resize_channel(image, 0, 1, 4), (std::vector<double>{0, 25, 75, 100}));
  // One pixel over two: the point half way.
  EXPECT_EQ(resize_channel(image, 0, 1, 1), (std::vector<double>{50}));
  EXPECT_EQ(resize_channel(image, 0, 2, 2), (std::vector<double>{0, 100, 0, 100}));
}

TEST_F(ImageFile, becomes_planes_in_the_channel_order_that_is_asked_for) {
  ASSERT_TRUE(write_file(path_, kTwoPixels));
  const auto rgb = load_image(path_, input(3, 1, 2), {});
  ASSERT_TRUE(rgb) << rgb.error().message();
  const std::vector<float> wanted_rgb = {1, 0, 0, 0, 0, 1};
  EXPECT_TRUE(std::equal(wanted_rgb.begin(), wanted_rgb.end(), rgb->as<float>().begin()));
  const auto bgr = load_image(path_, input(3, 1, 2), {.bgr = true});
  ASSERT_TRUE(bgr);
  const std::vector<float> wanted_bgr = {0, 1, 0, 0, 1, 0};
  EXPECT_TRUE(std::equal(wanted_bgr.begin(), wanted_bgr.end(), bgr->as<float>().begin()));
}

TEST_F(ImageFile, is_scaled_as_pixel_minus_mean_times_scale) {
  ASSERT_TRUE(write_file(path_, kTwoPixels));
  const auto tensor = load_image(path_, input(3, 1, 2), {.mean = 127, .scale = 1.0 / 128});
  ASSERT_TRUE(tensor);
  EXPECT_EQ(tensor->as<float>()[0], 1.F);
  EXPECT_EQ(tensor->as<float>()[1], -127.F / 128);
}

TEST(Image, keeps_its_size_where_the_input_leaves_it_open) {
  const auto tensor = load_image(kPhotograph, input(3, Dim::symbol("h"), Dim::symbol("w")), {});
  ASSERT_TRUE(tensor) << tensor.error().message();
  EXPECT_EQ(tensor->dims(), (Dims{1, 3, 512, 512}));
}

TEST(Image, refuses_inputs_that_are_no_image) {
  for (const TensorType& type :
       {TensorType{DType::kF32, Shape{3, 8, 8}}, input(2, 8, 8), input(Dim::symbol("c"), 8, 8),
        TensorType{DType::kI64, Shape{1, 3, 8, 8}}, TensorType{DType::kF32, Shape{2, 3, 8, 8}}}) {
    const auto tensor = load_image(kPhotograph, type, {});
    ASSERT_FALSE(tensor) << type.str();
    EXPECT_EQ(tensor.error().id, ErrorId::kBadTensor);
    EXPECT_EQ(tensor.error().found, type.str());
  }
}

TEST_F(ImageFile, refuses_other_formats_and_header_truncations) {
  for (const std::string& bytes : {std::string("GIF89a"), std::string("BM"), std::string()}) {
    ASSERT_TRUE(write_file(path_, bytes));
    const auto image = read_image(path_, 3);
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().id, ErrorId::kBadImage);
  }
  for (size_t length = 0; length < 33; ++length) {
    ASSERT_TRUE(write_file(path_, std::string_view(kTwoPixels).substr(0, length)));
    const auto image = read_image(path_, 3);
    ASSERT_FALSE(image) << length;
    EXPECT_EQ(image.error().id, ErrorId::kBadImage);
  }
}

TEST_F(ImageFile, refuses_an_image_that_claims_to_be_huge) {
  std::string bytes = kTwoPixels;
  bytes.replace(16, 8, std::string("\0\xff\xff\xff\0\xff\xff\xff", 8));
  ASSERT_TRUE(write_file(path_, bytes));
  const auto image = read_image(path_, 3);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().id, ErrorId::kBadImage);
}

}  // namespace
}  // namespace npugraph::tools
