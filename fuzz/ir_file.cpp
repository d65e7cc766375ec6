// SPDX-License-Identifier: Apache-2.0
// Saved graphs: any bytes give a typed error, or a graph that is saved and read alike. Mutations
// put the file's checksum right again, so that they get past it.
#include <cstdlib>
#include <string>

#include "fuzz/driver.h"
#include "npugraph/ir/container.h"
#include "npugraph/ir/print.h"
#include "npugraph/ir/proto.h"

namespace npugraph::fuzz {
namespace {

void assign(Bytes& bytes, const std::string& content) {
  const auto* data = reinterpret_cast<const std::byte*>(content.data());
  bytes.assign(data, data + content.size());
}

/// The seeds are the texts of fuzz_ir_text: saved graphs would grow old with the format.
void save_text(Bytes& bytes) {
  const auto graph = parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!graph) return;
  const auto saved = save_graph(**graph);
  if (saved) assign(bytes, *saved);
}

}  // namespace

void fuzz_one(std::span<const std::byte> bytes) {
  const auto graph = load_graph(bytes);
  if (!graph) {
    if (graph.error().message().empty() || graph.error().id == ErrorId::kInternal) std::abort();
    return;
  }
  const auto saved = save_graph(**graph);
  if (!saved) return;
  const auto again = load_graph(std::as_bytes(std::span(*saved)));
  if (!again) std::abort();
  const auto saved_again = save_graph(**again);
  if (!saved_again || *saved_again != *saved) std::abort();
}

void mutate_format(Bytes& bytes, const Bytes& other, Random& random) {
  save_text(bytes);
  const auto parts = unpack_container(bytes);
  if (!parts) return;
  Bytes message(parts->message.begin(), parts->message.end());
  Bytes donor = other;
  save_text(donor);
  const auto others = unpack_container(donor);
  const Bytes source = others ? Bytes(others->message.begin(), others->message.end()) : message;
  mutate_protobuf(message, source, random);
  assign(bytes,
         pack_container({reinterpret_cast<const char*>(message.data()), message.size()},
                        {reinterpret_cast<const char*>(parts->data.data()), parts->data.size()}));
}

}  // namespace npugraph::fuzz
