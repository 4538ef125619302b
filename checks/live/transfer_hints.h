// SPDX-License-Identifier: Apache-2.0
// What a failed live test means, and what to type next, by kind of failure.
#pragma once

#include <string>
#include <string_view>

#include "api/model/report.h"
#include "api/model/transfer.h"
#include "checks/live/transfer.h"
#include "checks/words/fix.h"

namespace rdmaready {

// "not reachable", "wrong bytes": the start of a sentence that goes on with the engine's detail.
std::string_view FailurePhrase(FailureKind kind);

// Memory could not be registered.
bool IsAboutMemory(const Failure& failure);

// What it says about the host.
std::string WhyOf(FailureKind kind);

Fix HintFor(const Failure& failure, const TransferPlace& place);

// Of error counters that grew while every byte arrived.
std::string WhyErrorsCount();
Fix HintForErrors(const TransferPlace& place);

// Every byte arrived, but slower than the profile asks.
std::string WhyTooSlow();
Fix HintForThroughput(const TransferPlace& place);
Fix HintForWorst(const TransferPlace& place);  // where one interval was slow
Fix HintForLatency(const TransferPlace& place);

// "rdmaready test peer a b"; HOST-A and HOST-B where the hosts are not known.
std::string PairTest(const TransferPlace& place);

// Without a failure to look at.
Fix GeneralHint(const TransferPlace& place);

}  // namespace rdmaready
