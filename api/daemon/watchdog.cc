// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/watchdog.h"

#include <string>
#include <utility>

#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr int kRoundsInAPeriod = 3;

// All proofs of a round together take no longer than the pause before it, so that a period holds one round at
// least.
absl::Status ProveAll(const std::vector<ProofOfLife>& proofs, std::chrono::milliseconds pause) {
  const auto patience = pause / static_cast<int>(proofs.size());
  for (const ProofOfLife& proof : proofs) {
    if (const absl::Status proven = proof.prove(patience); !proven.ok())
      return {proven.code(), std::string(proof.what) + ": not proven: " + Message(proven)};
  }
  return absl::OkStatus();
}

}  // namespace

Watchdog::Watchdog(std::chrono::milliseconds period, Clock& clock, std::vector<ProofOfLife> proofs,
                   std::function<void()> alive, EventSink events)
    : thread_([pause = period / kRoundsInAPeriod, &clock, proofs = std::move(proofs), alive = std::move(alive),
               events = std::move(events)](const std::stop_token& stop) {
        bool failing = false;
        do {
          const absl::Status proven = ProveAll(proofs, pause);
          if (proven.ok()) alive();
          if (proven.ok() == failing) {
            Tell(events, failing ? EventLevel::kInfo : EventLevel::kError, failing ? "progress" : "no-progress",
                 {{"reason", proven.ok() ? std::string("all proofs hold again") : Message(proven)}});
          }
          failing = !proven.ok();
        } while (clock.SleepUntil(clock.Now() + pause, stop));
      }) {}

}  // namespace rdmaready
