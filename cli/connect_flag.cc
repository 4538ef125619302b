// SPDX-License-Identifier: Apache-2.0
#include "cli/connect_flag.h"

#include <CLI/CLI.hpp>

#include "cli/one_of.h"

namespace rdmaready {

void AddConnect(CLI::App& app, std::string& value) {
  app.add_option(
         "--connect", value,
         "How queue pairs connect between hosts: cm (by RDMA-CM, as storage does), verbs (a plain verbs "
         "connection over the GIDs of both ends, as NCCL does; RoCE v2 alone), or both, one after the other "
         "(default cm)")
      ->type_name("cm|verbs|both")
      ->check(OneOf({"cm", "verbs", "both"}));
}

std::vector<ConnectionKind> ConnectionsOf(std::string_view value) {
  if (value == "verbs") return {ConnectionKind::kVerbs};
  if (value == "both") return {ConnectionKind::kRdmaCm, ConnectionKind::kVerbs};
  return {ConnectionKind::kRdmaCm};
}

}  // namespace rdmaready
