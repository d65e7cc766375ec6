// SPDX-License-Identifier: Apache-2.0
// The ONNX reader: any bytes give a graph that verifies, or a typed error.
#include <cstdlib>

#include "fuzz/driver.h"
#include "npugraph/frontends/onnx/read.h"
#include "npugraph/frontends/onnx/write.h"

namespace npugraph::fuzz {

void fuzz_one(std::span<const std::byte> bytes) {
  // Listing first: it must bear models that cannot be read.
  const auto nodes = survey_onnx(bytes);
  ReadOptions options;
  options.max_nodes = 10'000;
  const auto graph = read_onnx(bytes, options);
  if (!graph) {
    // A message is what people see of a damaged file: made here so that making it is tested.
    if (graph.error().message().empty() || graph.error().id == ErrorId::kInternal) std::abort();
    return;
  }
  if (!nodes) std::abort();  // what can be read can be listed
  const auto written = write_onnx(**graph);
  if (!written) return;
  const auto again = read_onnx(std::as_bytes(std::span(written->data(), written->size())));
  static_cast<void>(again);
}

void mutate_format(Bytes& bytes, const Bytes& other, Random& random) {
  mutate_protobuf(bytes, other, random);
}

}  // namespace npugraph::fuzz
