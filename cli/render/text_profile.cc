// SPDX-License-Identifier: Apache-2.0
#include "checks/words/words.h"
#include "cli/render/text.h"

namespace rdmaready {

std::string ProfileFaultsText(const std::string& named, const ProfileReading& reading) {
  std::string text;
  for (const YamlFault& fault : reading.faults) text += Printable(fault.Line()) + "\n";
  const std::size_t count = reading.faults.size();
  return text + Printable(named) + ": " + std::to_string(count) + (count == 1 ? " fault\n" : " faults\n");
}

}  // namespace rdmaready
