// SPDX-License-Identifier: Apache-2.0
// Explanation: what the catalogue says of one id, be it a check or a live test.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/model/remedy.h"
#include "api/model/report.h"

namespace rdmaready {

struct Explanation {
  std::string id{};
  std::string family{};  // what stands before the dot of the id: "pfc"
  std::string title{};
  std::string why{};
  std::string example{};      // what a failure says: "PFC off, wanted on 3 only"; empty: there is none
  std::string fix{};          // in one line
  Remedy remedy{};            // the same in its parts; empty: of a live test or a probe
  bool blocking = false;      // under some profile
  std::string blocks_when{};  // "under a profile that names an MTU"; empty: always or never
  std::string scope{};
  std::string speed{};  // of a live test: what is asked of its figures, and by whom; empty: it has none
  std::vector<std::string> depends_on{};
};

// "blocking": under some profile it keeps a host from being ready. "advice": under none.
std::string_view SeverityOf(const Explanation& explanation);

// When it blocks, in words: "always", "under a profile that names an MTU", "no".
std::string_view BlocksText(const Explanation& explanation);

// Every check in the order of the report, then every live test, then the checks of probes. What a check fills
// in from a host stands there as a word in capitals: NETDEV.
std::vector<Explanation> Catalogue();

// The one of that id; of a case name ("send-1k") the live test of every rung; empty when there is none.
std::vector<Explanation> Explain(std::string_view id);

// All of that family ("pfc"), in the order of the catalogue; empty when there is no such family.
std::vector<Explanation> ExplainFamily(std::string_view family);

// The known id or case name that is most like it: it goes on where `id` ends, or one letter in six differs, and
// one more. Empty when none is that near.
std::string NearestId(std::string_view id);

// The case names of the live tests, in the order in which they are run.
std::vector<std::string> CaseNames();

// The one of `names` with the fewest edits to `word`; empty when that would be more than half of the word, or
// more than one where either has up to four letters.
std::string Nearest(std::string_view word, const std::vector<std::string>& names);

}  // namespace rdmaready
