// SPDX-License-Identifier: Apache-2.0
#include "npugraph/vnpu/hardware.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace npugraph::vnpu {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

Json dev16_json() {
  std::ifstream file("npugraph/vnpu/configs/dev16.json");
  return Json::parse(file);
}

struct Fault {
  std::string pointer;  // JSON pointer of what is changed
  Json value;           // null: removed
  std::string field;    // what the message must name
  std::string found;
  std::string allowed;
};

TEST(Hardware, reads_the_builtin_file) {
  const auto hardware = find_hardware("");
  ASSERT_TRUE(hardware.has_value());
  EXPECT_EQ(hardware->name, "dev16");
  EXPECT_EQ(hardware->mxu_rows, 16);
  EXPECT_EQ(hardware->dram_bytes, int64_t{4} << 30);
  EXPECT_EQ(hardware->firmware.str(), "1.0.0");
  EXPECT_EQ(hardware->legal.size(), 4u);
  EXPECT_TRUE(hardware->legal.at("Conv").attributes.at("strides").has(16));
  EXPECT_FALSE(hardware->legal.at("Conv").attributes.at("strides").has(17));
}

TEST(Hardware, refuses_a_bad_file_naming_field_found_and_allowed) {
  const Fault faults[] = {
      {"/mxu/rows", 0, "'mxu.rows'", "0", "1 to 65536"},
      {"/mxu/rows", 1.5, "'mxu.rows'", "1.5", "whole number"},
      {"/mxu/rows", nullptr, "'mxu.rows'", "nothing", "present"},
      {"/clock_hz", "fast", "'clock_hz'", "\"fast\"", "a number"},
      {"/dram/bytes", 18446744073709551615ull, "'dram.bytes'", "18446744073709551615", "4096"},
      {"/mxu/colls", 3, "'mxu.colls'", "a field of this name", "cols"},
      {"/schema", "npugraph.vnpu/9", "'schema'", "npugraph.vnpu/9", "npugraph.vnpu/1"},
      {"/firmware/version", "1.x", "'firmware.version'", "1.x", "1.0.0"},
      {"/legal/Conv/dtypes/0", "int8", "'legal.Conv.dtypes'", "int8", "float32"},
      {"/legal/Conv/attributes/pads", Json::array({3, 1}), "'legal.Conv.attributes.pads'", "[3,1]",
       "smallest"},
      {"/legal/Add/rank", Json::array({0, 5}), "'legal.Add.rank'", "0..5", "0..4"},
      {"/legal/Softmax", Json::object(), "'legal.Softmax'", "a field of this name", "MatMul"},
      {"/vpu", 7, "'vpu'", "7", "an object"},
  };
  for (const Fault& fault : faults) {
    Json json = dev16_json();
    const Json::json_pointer pointer(fault.pointer);
    if (fault.value.is_null()) {
      json[pointer.parent_pointer()].erase(pointer.back());
    } else {
      json[pointer] = fault.value;
    }
    const auto hardware = parse_hardware(json.dump());
    ASSERT_FALSE(hardware.has_value()) << fault.pointer;
    EXPECT_EQ(hardware.error().id, ErrorId::kHardwareFile);
    EXPECT_THAT(hardware.error().what, HasSubstr(fault.field));
    EXPECT_THAT(hardware.error().found, HasSubstr(fault.found)) << fault.pointer;
    EXPECT_THAT(hardware.error().expected, HasSubstr(fault.allowed)) << fault.pointer;
  }
}

TEST(Hardware, refuses_what_is_not_json_or_not_there) {
  EXPECT_EQ(parse_hardware("{").error().id, ErrorId::kHardwareFile);
  EXPECT_EQ(parse_hardware("[]").error().id, ErrorId::kHardwareFile);
  EXPECT_EQ(find_hardware("edge9").error().id, ErrorId::kBadOption);
  EXPECT_EQ(find_hardware("./none.json").error().id, ErrorId::kFileNotFound);
}

TEST(Hardware, fingerprint_depends_on_everything_but_the_firmware) {
  Json json = dev16_json();
  const std::string first = parse_hardware(json.dump())->fingerprint();
  json["firmware"]["version"] = "2.0.0";
  json["_remark"] = "anything";
  EXPECT_EQ(parse_hardware(json.dump())->fingerprint(), first);
  json["mxu"]["rows"] = 8;
  EXPECT_NE(parse_hardware(json.dump())->fingerprint(), first);
}

TEST(Version, orders_by_number) {
  EXPECT_LT(*Version::parse("1.9.0"), *Version::parse("1.10.0"));
  EXPECT_LT(*Version::parse("1.9.9"), *Version::parse("2.0.0"));
  for (const char* bad : {"", "1", "1.0", "1.0.0.0", "1.0.x", "-1.0.0", "1..0"}) {
    EXPECT_FALSE(Version::parse(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace npugraph::vnpu
