// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/prover/helped_prover.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "agent/helper/asker.h"
#include "agent/helper/prover/order.h"
#include "agent/helper/prover/proofs_file.h"
#include "agent/link/failure.h"
#include "api/base/status.h"
#include "api/convert/message.h"
#include "api/model/probe_walk.h"
#include "rdmaready/v1/probe.pb.h"

namespace rdmaready::helper {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAdmitWithin{5'000};
constexpr milliseconds kLongerThanItself{5'000};  // the prover ends by its own limit
constexpr std::size_t kMostProofTransfers = 16;

absl::Status NoProver(const HelperAsker& asker, const absl::Status& why) {
  return absl::PermissionDeniedError(
      fmt::format("{}{}; a proof attaches a disk or mounts a file system: {} makes those that root names in {}",
                  kNotAllowed, Message(why), asker.program(), kProofsFile));
}

ProbeStep* FindStep(ProbeResult& result, std::string_view name) {
  const auto step = std::ranges::find(result.steps, name, &ProbeStep::name);
  return step == result.steps.end() ? nullptr : &*step;
}

// How the prover's walk went becomes part of ours: of its own steps only, and what it was told beside what was
// told before.
void Adopt(const ProofOutcome& outcome, const KernelProof& proof, ProbeResult& ours) {
  for (const std::string_view name : KernelSteps(proof.protocol, proof.inquire)) {
    const auto made = std::ranges::find(outcome.result.steps, name, &ProbeStep::name);
    ProbeStep* step = FindStep(ours, name);
    if (made != outcome.result.steps.end() && step != nullptr) *step = *made;
  }
  auto answers = convert::Written<v1::ProbeAnswers>(ours.answers);
  answers.MergeFrom(convert::Written<v1::ProbeAnswers>(outcome.result.answers));
  ours.answers = convert::ReadOrDefault<ProbeAnswers>(answers);
  for (const TransferResult& transfer : outcome.result.transfers) {
    if (ours.transfers.size() < kMostProofTransfers) ours.transfers.push_back(transfer);
  }
}

class Helped final : public Prover {
 public:
  Helped(const std::string& directory, std::function<void(const std::string&)> leftover)
      : asker_(directory, kProverName), leftover_(std::move(leftover)) {}

  absl::StatusOr<std::string> Admit(const ProofWish& wish) override {
    const HelperAnswer got =
        asker_.Ask(kAdmitVerb, ToJson(wish), TimedWait({.longest = kAdmitWithin, .stop = {}}));
    if (!got.reached.ok()) return NoProver(asker_, got.reached);
    const absl::Status& status = got.answer.status();
    if (absl::IsPermissionDenied(status) && !Message(status).starts_with(kNotAllowed))
      return NoProver(asker_, status);
    if (absl::IsPermissionDenied(status) || absl::IsInvalidArgument(status)) return status;
    if (!status.ok()) return NoProver(asker_, status);
    recording::Reader members(*got.answer);
    std::string volume = members.Text("volume");
    if (!members.status().ok()) return NoProver(asker_, absl::InternalError("its answer cannot be read"));
    return volume;
  }

  bool Prove(const KernelProof& proof, Walk& walk) override {
    const Walk::Watch& watch = walk.watch();
    const auto left = std::chrono::ceil<milliseconds>(watch.deadline - watch.clock->Now());
    const std::vector<std::string_view> steps = KernelSteps(proof.protocol, proof.inquire);
    if (left.count() <= 0 || watch.stop.stop_requested()) {
      // Not tried, and so it is told.
      return walk.Step(steps.front(), left, [](const Patience&) { return absl::CancelledError("not tried"); });
    }
    const milliseconds limit = std::min(left, kMostProbeTime);
    std::string at(steps.front());
    const HelperAnswer got = asker_.Ask(
        kProveVerb,
        ToJson(ProofOrder{.proof = proof, .limit = limit, .limit_bytes_per_s = watch.limit_bytes_per_s}),
        TimedWait({.longest = limit + kLongerThanItself, .stop = watch.stop}), [&](std::string_view step) {
          if (std::ranges::find(steps, step) == steps.end()) return;
          at = step;
          if (watch.progress) watch.progress(at);
        });
    const absl::StatusOr<ProofOutcome> outcome = OutcomeOf(got);
    if (!outcome.ok()) {
      Fail(at, outcome.status(), walk);
      return false;
    }
    for (const std::string& line : outcome->leftovers) {
      if (leftover_) leftover_(line);
    }
    Adopt(*outcome, proof, walk.result());
    return outcome->done;
  }

 private:
  absl::StatusOr<ProofOutcome> OutcomeOf(const HelperAnswer& got) const {
    if (!got.reached.ok()) return NoProver(asker_, got.reached);
    if (!got.answer.ok()) return got.answer.status();
    return ReadOutcome(*got.answer);
  }

  // Our own trouble tells nothing of the server.
  static void Fail(const std::string& name, const absl::Status& why, Walk& walk) {
    ProbeStep* step = FindStep(walk.result(), name);
    if (step == nullptr) return;
    step->outcome = StepOutcome::kFailed;
    const bool late = absl::IsDeadlineExceeded(why);
    step->failure = {absl::IsCancelled(why) ? FailureKind::kCancelled
                     : late                 ? FailureKind::kStalled
                                            : FailureKind::kSetup,
                     Message(why)};
    if (late && !walk.answers().time_up) walk.answers().time_up = name;
  }

  const HelperAsker asker_;
  const std::function<void(const std::string&)> leftover_;
};

}  // namespace

std::shared_ptr<Prover> HelpedProver(const std::string& directory,
                                     std::function<void(const std::string& line)> leftover) {
  return std::make_shared<Helped>(directory, std::move(leftover));
}

}  // namespace rdmaready::helper
