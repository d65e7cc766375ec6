// SPDX-License-Identifier: Apache-2.0
#include "npugraph/vnpu/hardware.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "npugraph/base/file.h"
#include "npugraph/base/hash.h"
#include "npugraph/base/text.h"

namespace npugraph::vnpu {
namespace {

struct BuiltinFile {
  std::string_view name;
  std::string_view json;
};

// One row {"name", R"(text)"} for each file of configs/, written by the build.
constexpr BuiltinFile kBuiltinFiles[] = {
#include "npugraph/vnpu/configs.inc"
};

}  // namespace

std::string Range::str() const { return min == max ? text(min) : text(min, "..", max); }

std::string Version::str() const {
  return text(major_number, ".", minor_number, ".", patch_number);
}

Result<Version> Version::parse(std::string_view given) {
  int64_t numbers[3] = {};
  const char* at = given.data();
  const char* const end = at + given.size();
  for (int part = 0; part < 3; ++part) {
    const auto [next, error] = std::from_chars(at, end, numbers[part]);
    const bool last = part == 2;
    const bool follows = last ? next == end : next != end && *next == '.';
    if (error != std::errc() || !follows || numbers[part] < 0) {
      return fail(ErrorId::kBadOption, "not a version number", text("'", given, "'"),
                  "three numbers such as 1.0.0");
    }
    at = last ? next : next + 1;
  }
  return Version{numbers[0], numbers[1], numbers[2]};
}

std::string Hardware::fingerprint() const {
  std::string all = text(name, ";", cores, ";", clock_hz, ";", mxu_rows, ";", mxu_cols, ";",
                         vpu_lanes, ";", dram_bytes, ";", dram_Bps, ";", decode_cycles, ";",
                         launch_us, ";", link_Bps, ";", link_latency_us);
  for (const auto& [op, rule] : legal) {
    all += text(";", op, ":", join(rule.dtypes), ":", rule.rank.str(), ":", join(rule.constant));
    for (const auto& [attribute, range] : rule.attributes) {
      all += text(":", attribute, "=", range.str());
    }
  }
  return text(name, " ", hash_bytes(bytes_of(all)).hex().substr(0, 16));
}

std::vector<std::string_view> builtin_hardware_names() {
  std::vector<std::string_view> names;
  for (const BuiltinFile& file : kBuiltinFiles) names.push_back(file.name);
  std::sort(names.begin(), names.end());
  return names;
}

Result<Hardware> find_hardware(std::string_view name_or_path) {
  const std::string_view wanted = name_or_path.empty() ? "dev16" : name_or_path;
  for (const BuiltinFile& file : kBuiltinFiles) {
    if (file.name == wanted) return parse_hardware(file.json);
  }
  const bool is_path = wanted.find('/') != std::string_view::npos || wanted.ends_with(".json");
  if (!is_path) {
    return fail(ErrorId::kBadOption, "there is no hardware file of this name",
                text("'", wanted, "'"),
                text(join(builtin_hardware_names()), ", or the path of a .json file"));
  }
  NPU_LET(const MappedFile file, MappedFile::open(std::filesystem::path(wanted)));
  const auto bytes = file.bytes();
  auto hardware = parse_hardware({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!hardware) return at(wanted, std::move(hardware).error());
  return hardware;
}

}  // namespace npugraph::vnpu
