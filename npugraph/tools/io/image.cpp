// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tools/io/image.h"

#include <stb_image.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string_view>

#include "npugraph/base/file.h"
#include "npugraph/base/text.h"

namespace npugraph::tools {
namespace {

constexpr int64_t kMaxPixels = int64_t{1} << 26;

Error bad(std::string what, std::string found = {}, std::string expected = {}) {
  return fail(ErrorId::kBadImage, std::move(what), std::move(found), std::move(expected));
}

struct StbFree {
  void operator()(stbi_uc* pixels) const noexcept { stbi_image_free(pixels); }
};

/// Only the two formats that are promised: the decoder knows more, and none of them is needed.
bool is_png_or_jpeg(std::span<const std::byte> bytes) {
  const std::string_view content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return content.starts_with("\x89PNG\r\n\x1a\n") || content.starts_with("\xff\xd8\xff");
}

Result<Image> decode(std::span<const std::byte> bytes, int64_t channels) {
  if (!is_png_or_jpeg(bytes)) return bad("neither a PNG nor a JPEG file");
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()))
    return bad("the file is too large", text(bytes.size(), " bytes"));
  const auto* data = reinterpret_cast<const stbi_uc*>(bytes.data());
  const auto length = static_cast<int>(bytes.size());
  int width = 0, height = 0, stored = 0;
  if (stbi_info_from_memory(data, length, &width, &height, &stored) == 0 || width <= 0 ||
      height <= 0)
    return bad("the image's header is damaged");
  if (int64_t{width} * height > kMaxPixels)
    return bad("the image is too large", text(width, " x ", height),
               text("at most ", kMaxPixels, " pixels"));
  const std::unique_ptr<stbi_uc, StbFree> pixels(
      stbi_load_from_memory(data, length, &width, &height, &stored, static_cast<int>(channels)));
  if (pixels == nullptr) return bad("the image is damaged", stbi_failure_reason());
  const int64_t count = int64_t{width} * height * channels;
  return Image{height, width, channels, {pixels.get(), pixels.get() + count}};
}

/// Where an output pixel lies between two input pixels.
struct Tap {
  int64_t low = 0;
  int64_t high = 0;
  double share = 0;  // of `high`
};

std::vector<Tap> taps(int64_t from, int64_t to) {
  std::vector<Tap> out;
  for (int64_t i = 0; i < to; ++i) {
    const double ratio = static_cast<double>(from) / static_cast<double>(to);
    const double position = (static_cast<double>(i) + 0.5) * ratio - 0.5;
    const double low = std::floor(position);
    const auto index = static_cast<int64_t>(low);
    out.push_back({std::clamp<int64_t>(index, 0, from - 1),
                   std::clamp<int64_t>(index + 1, 0, from - 1), position - low});
  }
  return out;
}

Result<int64_t> channels_for(const TensorType& type) {
  const std::string expected = "[1, 3, h, w] or [1, 1, h, w]";
  if (type.shape.rank() != 4)
    return fail(ErrorId::kBadTensor, "an image does not fit this input", type.str(), expected,
                "prepare the array yourself and pass it as .npy");
  const std::optional<int64_t> channels = type.shape[1].known();
  const bool one = !type.shape[0].is_static() || type.shape[0].value() == 1;
  if (!one || !channels || (*channels != 1 && *channels != 3))
    return fail(ErrorId::kBadTensor, "an image does not fit this input", type.str(), expected,
                "prepare the array yourself and pass it as .npy");
  if (!is_float(type.dtype) && type.dtype != DType::kU8)
    return fail(ErrorId::kBadTensor, "an image does not fit this input", type.str(),
                "a float dtype, or uint8 for the pixels as they are",
                "prepare the array yourself and pass it as .npy");
  return *channels;
}

}  // namespace

Result<Image> read_image(const std::filesystem::path& path, int64_t channels) {
  NPU_LET(const MappedFile file, MappedFile::open(path));
  auto image = decode(file.bytes(), channels);
  if (!image) return at(text("file '", path.string(), "'"), std::move(image).error());
  return image;
}

std::vector<double> resize_channel(const Image& image, int64_t channel, int64_t height,
                                   int64_t width) {
  const std::vector<Tap> rows = taps(image.height, height);
  const std::vector<Tap> columns = taps(image.width, width);
  const auto pixel = [&](int64_t y, int64_t x) {
    const int64_t index = (y * image.width + x) * image.channels + channel;
    return static_cast<double>(image.pixels[static_cast<size_t>(index)]);
  };
  std::vector<double> out;
  out.reserve(static_cast<size_t>(height * width));
  for (const Tap& y : rows) {
    for (const Tap& x : columns) {
      const double top = pixel(y.low, x.low) * (1 - x.share) + pixel(y.low, x.high) * x.share;
      const double below = pixel(y.high, x.low) * (1 - x.share) + pixel(y.high, x.high) * x.share;
      out.push_back(top * (1 - y.share) + below * y.share);
    }
  }
  return out;
}

Result<Tensor> load_image(const std::filesystem::path& path, const TensorType& type,
                          const ImageScaling& scaling) {
  NPU_LET(const int64_t channels, channels_for(type));
  NPU_LET(const Image image, read_image(path, channels));
  const int64_t height = type.shape[2].known().value_or(image.height);
  const int64_t width = type.shape[3].known().value_or(image.width);
  NPU_LET(Tensor tensor, Tensor::zeros(type.dtype, {1, channels, height, width}));
  const TensorView view = tensor.mutable_view();
  int64_t index = 0;
  for (int64_t c = 0; c < channels; ++c) {
    const int64_t source = scaling.bgr ? channels - 1 - c : c;
    for (const double pixel : resize_channel(image, source, height, width)) {
      const bool raw = type.dtype == DType::kU8;
      view.store(index++, raw ? std::round(pixel) : (pixel - scaling.mean) * scaling.scale);
    }
  }
  return tensor;
}

}  // namespace npugraph::tools
