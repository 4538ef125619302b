// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "checks/words/words.h"
#include "cli/render/text.h"

namespace rdmaready {

std::string ProfileFaultsText(const std::string& named, const ProfileReading& reading) {
  std::string text;
  for (const YamlFault& fault : reading.faults) text += Printable(fault.Line()) + "\n";
  const std::size_t count = reading.faults.size();
  return fmt::format("{}{}: {}{}", text, Printable(named), count, count == 1 ? " fault\n" : " faults\n");
}

}  // namespace rdmaready
