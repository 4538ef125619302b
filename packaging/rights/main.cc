// SPDX-License-Identifier: Apache-2.0
// rdmaready-rights: the rights table for those who enforce it. Used when packages are made and by the tests; it
// is in no package.
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "packaging/rights/write.h"

namespace rdmaready {
namespace {

constexpr char kRightsUsage[] =
    "usage: rdmaready-rights unit|apparmor|setpriv agent|reader|listener|prover|applier|pauser\n"
    "       rdmaready-rights page|tsv\n";

int Write(const std::string& text) { return std::fputs(text.c_str(), stdout) < 0 ? 3 : 0; }

int Run(std::span<char*> arguments) {
  const std::string_view what = arguments.size() > 1 ? arguments[1] : "";
  if (arguments.size() == 2 && what == "page") return Write(RightsPage());
  if (arguments.size() == 2 && what == "tsv") return Write(RightsTsv());
  const Daemon daemon = arguments.size() == 3 ? DaemonNamed(arguments[2]) : Daemon::kUnknown;
  if (daemon != Daemon::kUnknown) {
    if (what == "unit") return Write(UnitLines(daemon));
    if (what == "apparmor") return Write(AppArmorLines(daemon));
    if (what == "setpriv") return Write(SetprivArguments(daemon));
  }
  std::fputs(kRightsUsage, stderr);
  return 2;
}

}  // namespace
}  // namespace rdmaready

int main(int argc, char** argv) { return rdmaready::Run({argv, static_cast<std::size_t>(argc)}); }
