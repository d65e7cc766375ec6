// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "npugraph/drivers/plugin/plugin_driver.h"
#include "npugraph/lower/plugin/plugin_target.h"
#include "npugraph/target/plugin_abi.h"
#include "tests/conformance/bench_device.h"

namespace npugraph::conformance {
namespace {

using testing::HasSubstr;

/// Both halves refuse the library in the same way.
void expect_refused(const std::string& path, ErrorId id, const std::vector<std::string>& parts) {
  const auto target = load_plugin_target(path);
  const auto driver = load_plugin_driver(path);
  ASSERT_FALSE(target.has_value());
  ASSERT_FALSE(driver.has_value());
  for (const Error& error : {target.error(), driver.error()}) {
    EXPECT_EQ(error.id, id);
    EXPECT_THAT(error.message(), HasSubstr(path));
    for (const std::string& part : parts) EXPECT_THAT(error.message(), HasSubstr(part));
  }
}

TEST(PluginLoading, a_missing_file_is_named) {
  expect_refused("/nowhere/at/all.so", ErrorId::kFileNotFound, {"no such shared library"});
}

TEST(PluginLoading, a_file_that_is_no_library_is_refused) {
  expect_refused("README.md", ErrorId::kPluginLoad, {"cannot be loaded"});
}

TEST(PluginLoading, a_library_without_the_symbol_is_refused) {
  expect_refused(plugin_path("no_symbol"), ErrorId::kPluginLoad, {"npugraph_device_plugin"});
}

TEST(PluginLoading, another_interface_version_is_refused_naming_both) {
  expect_refused(plugin_path("old_abi"), ErrorId::kPluginLoad,
                 {"version " + std::to_string(NPUGRAPH_PLUGIN_ABI_VERSION + 41),
                  "version " + std::to_string(NPUGRAPH_PLUGIN_ABI_VERSION)});
}

TEST(PluginLoading, incomplete_tables_are_refused) {
  expect_refused(plugin_path("half_filled"), ErrorId::kPluginLoad, {"not complete"});
  expect_refused(plugin_path("small_tables"), ErrorId::kPluginLoad, {"missing or too small"});
}

TEST(PluginLoading, a_device_that_does_not_open_tells_why) {
  const auto driver = load_plugin_driver(plugin_path("failing"));
  ASSERT_FALSE(driver.has_value());
  EXPECT_EQ(driver.error().id, ErrorId::kPluginFailed);
  EXPECT_THAT(driver.error().message(), HasSubstr("plug-in 'failing': no card in the slot"));
}

TEST(PluginLoading, a_failing_compiler_is_reported_with_its_words) {
  const auto target = load_plugin_target(plugin_path("failing"));
  ASSERT_TRUE(target.has_value()) << target.error().message();
  const OpCase op = all_op_cases()[0];
  const auto graph = graph_of(op);
  const auto program = (*target)->compile(*graph, {});
  ASSERT_FALSE(program.has_value());
  EXPECT_EQ(program.error().id, ErrorId::kPluginFailed);
  EXPECT_THAT(program.error().what, HasSubstr(std::string(256, 'x')));
  EXPECT_EQ(program.error().found, "a saved graph") << "the protobuf form travels along";
}

}  // namespace
}  // namespace npugraph::conformance
