// SPDX-License-Identifier: Apache-2.0
#include "agent/server/applier_trace.h"

#include <filesystem>
#include <string>
#include <system_error>

#include "agent/helper/directory.h"

namespace rdmaready {
namespace {

constexpr char kApplierState[] = "/var/lib/rdmaready-applier";  // as its unit has it

bool IsAbsent(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::symlink_status(path, error).type() == std::filesystem::file_type::not_found;
}

}  // namespace

bool ApplierTrace(const std::string& helpers_directory) {
  const std::filesystem::path helpers(helpers_directory.empty() ? std::string(helper::kHelpersDirectory)
                                                                : helpers_directory);
  return !IsAbsent(helpers / "applier.sock") || !IsAbsent(kApplierState);
}

}  // namespace rdmaready
