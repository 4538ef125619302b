// SPDX-License-Identifier: Apache-2.0
// Where recordings were put.
#include "checks/words/words.h"
#include "cli/render/text.h"

namespace rdmaready {

std::string SavedText(const SaveRun& run) {
  std::string text;
  for (const HostSave& host : run.hosts) {
    if (host.error.empty()) text += Printable(host.host) + ": saved in " + Printable(host.folder) + "\n";
  }
  return text;
}

}  // namespace rdmaready
