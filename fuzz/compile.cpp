// SPDX-License-Identifier: Apache-2.0
// The whole compiler: any bytes give an engine or a typed error, for a device that takes everything
// and for one that takes little.
#include <cstdlib>

#include "fuzz/driver.h"
#include "npugraph/api/npugraph.h"

namespace npugraph::fuzz {

void fuzz_one(std::span<const std::byte> bytes) {
  static const Library library = *Library::create();
  for (const char* device : {"cpu", "vnpu"}) {
    CompileOptions options;
    options.device = device;
    const auto engine = compile(library, bytes, options);
    if (engine) {
      if (engine->describe_json().empty()) std::abort();
    } else if (engine.error().id == ErrorId::kInternal || engine.error().message().empty()) {
      std::abort();
    }
  }
}

void mutate_format(Bytes& bytes, const Bytes& other, Random& random) {
  mutate_protobuf(bytes, other, random);
}

}  // namespace npugraph::fuzz
