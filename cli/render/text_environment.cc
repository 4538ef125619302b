// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "checks/words/words.h"
#include "cli/render/environment_run.h"

namespace rdmaready {
namespace {

// Beside letters and digits.
constexpr std::string_view kPlain = " _.:,;/=+-()%";

// Someone may hand the lines to `eval` without quotes, so a comment has no character that a shell looks at.
std::string Comment(std::string_view text) {
  const auto strange = [](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return !letter && kPlain.find(c) == std::string_view::npos;
  };
  std::string line(text);
  std::ranges::replace_if(line, strange, '?');
  return Cat("# ", line, "\n");
}

}  // namespace

std::string EnvironmentText(const EnvironmentRun& run) {
  const std::string profiles = NamesOf(run.profiles);
  std::string text = Comment(Cat(Name(run.consumer), " on ", run.host, ", profile ", profiles));
  for (const EnvVariable& one : run.environment.variables)
    text += Comment(one.why) + Cat("export ", one.name, "='", one.value, "'\n");
  for (const std::string& note : run.environment.notes) text += Comment(Cat("note: ", note));
  for (const PortLeftOut& one : run.environment.left_out)
    text += Comment(Cat("left out: ", one.port, ": ", one.why));
  return text;
}

}  // namespace rdmaready
