// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "npugraph/base/result.h"
#include "npugraph/tensor/tensor.h"

namespace npugraph::tools {

/// 8-bit pixels, rows from the top, `channels` values a pixel: 1 grey, 3 red, green, blue.
struct Image {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
  std::vector<uint8_t> pixels;
};

/// How pixels become numbers: (pixel - mean) * scale.
struct ImageScaling {
  double mean = 0;
  double scale = 1.0 / 255;
  bool bgr = false;  // channel order blue, green, red
};

/// Reads a .png or .jpg file, known by its content, at most 2^26 pixels. Alpha is dropped; a
/// rotation noted in EXIF data is not applied. channels: 1 or 3.
/// Errors: kFileNotFound, kFileRead, kBadImage.
Result<Image> read_image(const std::filesystem::path& path, int64_t channels);

/// The image as a tensor for an input of type `type`: [n, c, h, w] with c 1 or 3 and n 1 (or a
/// symbol, then 1); h and w that are symbols become the image's own. Resized bilinearly (centres of
/// pixels at half coordinates, edges repeated, no smoothing), not cropped. An input of uint8 gets
/// the pixels as they are. Errors: kFileNotFound, kFileRead, kBadImage, kBadTensor.
Result<Tensor> load_image(const std::filesystem::path& path, const TensorType& type,
                          const ImageScaling& scaling);

/// Bilinear samples of one channel at the size height x width, row by row.
std::vector<double> resize_channel(const Image& image, int64_t channel, int64_t height,
                                   int64_t width);

}  // namespace npugraph::tools
