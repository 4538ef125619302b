// SPDX-License-Identifier: Apache-2.0
// rdmaready-reader: reads what takes root's rights, for the agent, which has none.
#include "agent/helper/program.h"
#include "agent/helper/reader/questions.h"

int main(int argc, char** argv) {
  return rdmaready::helper::RunProgram({.name = "rdmaready-reader",
                                        .description = "Reads what takes root's rights, for rdmaready-agent",
                                        .verbs = [] { return rdmaready::helper::ReaderVerbs(); }},
                                       argc, argv);
}
