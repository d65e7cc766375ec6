// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "npugraph/api/npugraph.h"
#include "npugraph/base/text.h"

namespace npugraph {

Result<Shape> parse_shape(std::string_view shape) {
  if (shape == "scalar") return Shape();
  const char separator = shape.find(',') != std::string_view::npos ? ',' : 'x';
  std::vector<Dim> dims;
  for (size_t begin = 0; begin <= shape.size();) {
    const size_t end = std::min(shape.find(separator, begin), shape.size());
    const std::string_view word = shape.substr(begin, end - begin);
    auto dim = Dim::parse(word);
    if (!dim || (dim->is_static() && dim->value() < 0))
      return fail(ErrorId::kBadOption, "not a dim", text("'", word, "' in '", shape, "'"),
                  "numbers of at least 0 or symbols, as in 1x3x240x320, bx128 or b,max_len");
    dims.push_back(*std::move(dim));
    begin = end + 1;
  }
  return Shape(std::move(dims));
}

}  // namespace npugraph
