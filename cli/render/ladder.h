// SPDX-License-Identifier: Apache-2.0
// Ladder: the layers of a check in the order in which they are tried, a line each. It stops at the first layer
// that did not pass. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/model/report.h"

namespace rdmaready {

struct Layer {
  std::string_view name{};  // "agent", "host", "connection"
  RungOutcome outcome = RungOutcome::kNotRun;
  std::string words{};  // what passed or failed, for a line
};

// Every layer up to the level of the report, which is concluded as far as it is known. A layer of which nothing
// was tried is kNotRun.
std::vector<Layer> LayersOf(const Report& report);

// Shows each layer once, as soon as it was tried, and stops behind the first one that did not pass.
class Ladder {
 public:
  // The lines that are new: "  connection  FAIL  a -> b: ...".
  std::vector<std::string> Climbed(const Report& report);

  // At the end of the check: "  not run: transfer, smb-direct"; empty where all was tried.
  static std::string NotRun(const Report& report);

 private:
  std::size_t shown_ = 0;
  bool stopped_ = false;
};

}  // namespace rdmaready
