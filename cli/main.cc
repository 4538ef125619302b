// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdio>

#include "cli/commands.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader who has gone away is seen where we write
  rdmaready::Interrupt interrupt;
  rdmaready::Console console(stdout, stderr);
  return rdmaready::RunCommandLine(argc, argv, console, interrupt);
}
