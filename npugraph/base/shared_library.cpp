// SPDX-License-Identifier: Apache-2.0
#include "npugraph/base/shared_library.h"

#include <dlfcn.h>

#include <cstring>
#include <system_error>

#include "npugraph/base/text.h"

namespace npugraph {
namespace {

/// The text up to its zero, or the whole array when a plug-in forgot it.
template <size_t N>
std::string text_of(const char (&array)[N]) {
  return std::string(array, strnlen(array, N));
}

ErrorId id_of(int32_t status, ErrorId otherwise) {
  switch (status) {
    case NPUGRAPH_INVALID_ARGUMENT:
      return ErrorId::kBadTensor;
    case NPUGRAPH_UNSUPPORTED:
      return ErrorId::kNodeUnplaced;
    case NPUGRAPH_OUT_OF_MEMORY:
      return ErrorId::kOutOfMemory;
    case NPUGRAPH_CORRUPT:
      return ErrorId::kProgramInvalid;
    case NPUGRAPH_WRONG_DEVICE:
      return ErrorId::kDeviceMismatch;
    case NPUGRAPH_OLD_FIRMWARE:
      return ErrorId::kFirmware;
    default:
      return otherwise;
  }
}

}  // namespace

Result<std::shared_ptr<SharedLibrary>> SharedLibrary::open(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return fail(ErrorId::kFileNotFound, "there is no such shared library", path.string(),
                "the path of a .so file");
  }
  // A bare name would be searched for in the system's folders: the file that was named is meant.
  const std::string full = std::filesystem::absolute(path, error).string();
  void* handle = dlopen(full.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* message = dlerror();
    return fail(ErrorId::kPluginLoad, "the shared library cannot be loaded",
                message == nullptr ? path.string() : message, "a shared library for this machine");
  }
  return std::shared_ptr<SharedLibrary>(new SharedLibrary(handle));
}

SharedLibrary::~SharedLibrary() { dlclose(handle_); }

void* SharedLibrary::symbol(const char* name) const noexcept { return dlsym(handle_, name); }

Result<LoadedPlugin> open_plugin(const std::filesystem::path& path) {
  auto opened = SharedLibrary::open(path);
  if (!opened) return at(text("plug-in '", path.string(), "'"), std::move(opened).error());
  LoadedPlugin plugin{*std::move(opened)};
  const auto refuse = [&](std::string what, std::string found, std::string expected) {
    return at(text("plug-in '", path.string(), "'"),
              fail(ErrorId::kPluginLoad, std::move(what), std::move(found), std::move(expected)));
  };
  void* symbol = plugin.library->symbol(NPUGRAPH_PLUGIN_SYMBOL);
  if (symbol == nullptr) {
    return refuse("the library is not a device plug-in", "no such symbol",
                  text("an exported function ", NPUGRAPH_PLUGIN_SYMBOL));
  }
  plugin.table = reinterpret_cast<NpugraphDevicePluginFunction>(symbol)();
  if (plugin.table == nullptr) {
    return refuse(text(NPUGRAPH_PLUGIN_SYMBOL, "() gave nothing"), "null", "a table");
  }
  if (plugin.table->abi_version != NPUGRAPH_PLUGIN_ABI_VERSION) {
    return refuse("the plug-in was built for another version of the interface",
                  text("version ", plugin.table->abi_version),
                  text("version ", NPUGRAPH_PLUGIN_ABI_VERSION));
  }
  if (plugin.table->struct_bytes < sizeof(NpugraphPlugin)) {
    return refuse("the plug-in's table is too small", text(plugin.table->struct_bytes, " bytes"),
                  text(sizeof(NpugraphPlugin), " bytes"));
  }
  return plugin;
}

Error plugin_error(int32_t status, const NpugraphErrorText& error, std::string_view subject,
                   ErrorId otherwise) {
  std::string what = text_of(error.what);
  if (what.empty()) what = text("status ", status, " without a message");
  return fail(id_of(status, otherwise), text(subject, ": ", what), text_of(error.found),
              text_of(error.expected));
}

}  // namespace npugraph
