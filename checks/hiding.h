// SPDX-License-Identifier: Apache-2.0
// Hiding: one wrong thing gives one red line.
//
// A finding is hidden behind an earlier one that explains it. It then is kNotApplicable, names the other in
// `hidden_by` and says "not judged: ..." in `observed`. The rules:
//  - behind a dependency that fails: always, whatever the answer would have been; it could not be trusted.
//  - behind a dependency that is unknown: only if it is unknown too. What can be judged is judged; what cannot
//    be, for the same reason, is not said twice.
//  - behind a dependency that warns: only a warning. Across a pair always, as the host's findings already said
//    it; the same for chain.*, which names a broken link once more. On a host only where neither blocks.
//  - a dependency that is itself hidden stands for the one that hides it; one that passed or does not apply
//    hides nothing.
//  - what is found about an RDMA port is found about each Ethernet port it stands on, and the other way round.
// A dependency is a cause: its repair repairs this finding too, or this one cannot be judged before. A check
// that is only read by the same answer, and has another repair, is named by `read_with`: an advice never hides
// another repair.
// A blocking finding is hidden behind a blocking one only: whatever hides it keeps the host from being ready by
// itself. Fail makes it not ready, unknown leaves it undetermined. Where the cause of a failure that blocks is
// an advice, the failure takes the advice over: one red line with the repair of the cause.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "api/model/report.h"

namespace rdmaready {

// Where to look for the findings a check depends on: those about the place of `subject`
// (checks/words/ethernet.h), and those about the whole host.
struct Evidence {
  std::span<const Finding> findings{};
  std::string_view subject{};
  std::string_view host{};  // named in the text when it is another host's finding; empty: this host
};

// The findings that can explain another one: few among many, and a copy of all of them costs memory.
std::vector<Finding> Explaining(std::span<const Finding> findings);

// Null when nothing in the evidence explains `finding`, of which only id, outcome, scope and blocking are
// looked at.
const Finding* HidingFinding(const std::vector<std::string_view>& depends_on, const Finding& finding,
                             const Evidence& evidence);

// An earlier finding of `read_with` that is unknown too, and that may hide `finding`, which is unknown.
const Finding* UnknownWith(const std::vector<std::string_view>& read_with, const Finding& finding,
                           const Evidence& evidence);

// An advice that explains `finding`, a failure that blocks; the first of the failure's dependencies. Null
// without one.
const Finding* AdvisingCause(const std::vector<std::string_view>& depends_on, const Finding& finding,
                             const Evidence& evidence);

// Puts the advice behind the failure that follows from it. The failure takes over what was seen and the repair,
// which its own repair follows.
void TakeOver(Finding& failure, Finding& advice);

// Turns the finding into a hidden one.
void Hide(Finding& finding, const Finding& behind, std::string_view host);

}  // namespace rdmaready
