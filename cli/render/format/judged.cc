// SPDX-License-Identifier: Apache-2.0
#include "cli/render/format/judged.h"

#include "checks/words/words.h"

namespace rdmaready {

std::vector<Judged> JudgedIn(const Report& report) {
  std::vector<Judged> all;
  for (const HostReport& host : report.hosts) {
    for (const Finding& finding : host.findings)
      all.push_back({.host = Printable(host.host), .finding = &finding});
  }
  for (const PairReport& pair : report.pairs) {
    for (const Finding& finding : pair.findings) {
      all.push_back({.host = Printable(pair.from), .peer = Printable(pair.to), .finding = &finding});
    }
  }
  return all;
}

}  // namespace rdmaready
