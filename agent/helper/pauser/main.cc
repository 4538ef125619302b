// SPDX-License-Identifier: Apache-2.0
// rdmaready-pauser: sends pauses of one priority, on interfaces that root's file names, for a bounded time.
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "agent/helper/pauser/pauses_file.h"
#include "agent/helper/pauser/verbs.h"
#include "agent/helper/program.h"
#include "api/base/small_file.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr std::string_view kPauserState = "/var/lib/rdmaready-pauser";

absl::StatusOr<std::string> BootIdNow() {
  constexpr std::size_t kMostBytes = 64;
  RR_ASSIGN_OR_RETURN(std::string text, ReadSmallFile("/proc/sys/kernel/random/boot_id", kMostBytes));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

int Main(int argc, char** argv) {
  std::string pauses_file(helper::kPausesFile);
  std::string state_dir(kPauserState);
  return helper::RunProgram(
      {.name = "rdmaready-pauser",
       .description =
           "Pauses one priority of a link partner for a bounded time, on interfaces that root's file "
           "names, to prove to the agent that it obeys.",
       .options = {{"pauses", "the file that names the interfaces", &pauses_file},
                   {"state", "the directory of what the last hour used up", &state_dir}},
       .verbs = [&]() -> absl::StatusOr<std::vector<helper::Verb>> {
         RR_ASSIGN_OR_RETURN(std::string boot_id, BootIdNow());
         return helper::PauserVerbs({.pauses_file = pauses_file,
                                     .owner = ::geteuid(),
                                     .budget_file = state_dir + "/budget",
                                     .boot = {.boot_id = std::move(boot_id)},
                                     .read_port = &helper::ReadPausePort,
                                     .open = &helper::OpenSender,
                                     .log = [](const std::string& line) {
                                       std::fprintf(stderr, "rdmaready-pauser: %s\n", line.c_str());
                                     }});
       }},
      argc, argv);
}

}  // namespace
}  // namespace rdmaready

int main(int argc, char** argv) { return rdmaready::Main(argc, argv); }
