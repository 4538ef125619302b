// SPDX-License-Identifier: Apache-2.0
// rdmaready version.
#include "api/base/version.h"

#include "cli/commands.h"
#include "cli/render/json.h"

namespace rdmaready {

Action DefineVersion(CLI::App&, const std::function<void(CLI::App&)>&) {
  return [](const Context& context) {
    context.Print(VersionJson(kVersion), std::string("rdmaready ") + kVersion + "\n");
    return ExitStatus::kOk;
  };
}

}  // namespace rdmaready
