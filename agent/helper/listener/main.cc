// SPDX-License-Identifier: Apache-2.0
// rdmaready-listener: hears LLDP frames and notices of DCB writes for the agent, which may not.
#include "agent/helper/listener/verbs.h"
#include "agent/helper/program.h"

int main(int argc, char** argv) {
  return rdmaready::helper::RunProgram(
      {.name = "rdmaready-listener",
       .description = "Hears LLDP and notices of DCB writes, for rdmaready-agent",
       .verbs = [] { return rdmaready::helper::ListenerVerbs(); }},
      argc, argv);
}
