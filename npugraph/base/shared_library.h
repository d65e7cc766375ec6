// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "npugraph/base/plugin_abi.h"
#include "npugraph/base/result.h"

namespace npugraph {

/// A shared library, loaded until the last owner lets go. Immutable, thread-safe.
class SharedLibrary {
 public:
  /// Errors: kFileNotFound; kPluginLoad with the loader's own message.
  static Result<std::shared_ptr<SharedLibrary>> open(const std::filesystem::path& path);
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;
  ~SharedLibrary();

  /// Null when there is none.
  void* symbol(const char* name) const noexcept;

 private:
  explicit SharedLibrary(void* handle) noexcept : handle_(handle) {}
  void* handle_;
};

/// A plug-in's table, and what keeps it loaded.
struct LoadedPlugin {
  std::shared_ptr<SharedLibrary> library;
  const NpugraphPlugin* table = nullptr;
};

/// Loads a plug-in and checks its version.
/// Errors: kFileNotFound; kPluginLoad: not loadable, symbol missing, another ABI version (both are
/// named), a table that is too small.
Result<LoadedPlugin> open_plugin(const std::filesystem::path& path);

/// The Error for a status other than NPUGRAPH_OK. Statuses without an id of their own here become
/// `otherwise`. subject: "plug-in 'name'", put before the plug-in's own sentence.
Error plugin_error(int32_t status, const NpugraphErrorText& error, std::string_view subject,
                   ErrorId otherwise = ErrorId::kPluginFailed);

}  // namespace npugraph
