// SPDX-License-Identifier: Apache-2.0
#include <grpc/support/log.h>

#include <csignal>
#include <cstdio>

#include "cli/commands.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);                        // a reader who has gone away is seen where we write
  std::signal(SIGXFSZ, SIG_IGN);                        // and so is a file size limit: a full disk, not the end
  ::gpr_set_log_function([](::gpr_log_func_args*) {});  // what it has to say comes as the status of a call
  rdmaready::Interrupt interrupt;
  rdmaready::Console console(stdout, stderr);
  return rdmaready::RunCommandLine(argc, argv, console, interrupt);
}
