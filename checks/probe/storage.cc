// SPDX-License-Identifier: Apache-2.0
#include "checks/probe/storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/base/text.h"
#include "api/model/probe_walk.h"

namespace rdmaready {
namespace {

constexpr std::string_view kProbeCm = "RDMA connection manager";

Fix ProbeSetupFix() {
  return Fix("dmesg | tail -n 30; ulimit -l")
      .Because("this host lacks an RDMA device, or the right to lock memory: the server is not to blame")
      .Do("set LimitMEMLOCK=infinity in the agent's unit, where memory cannot be locked");
}

Fix NotAllowedFix() {
  return Fix("systemctl enable --now rdmaready-prover.socket")
      .Because("the prover of this host is off, or does not allow this target")
      .Caution("root of the probing host must name the target in /etc/rdmaready/proofs.yaml before");
}

Fix SilentServerFix() {
  return Fix("ping -c 3 {address}")
      .Because("the server, its interface or the way to it is down: nothing answers, by RDMA or by TCP");
}

Fix RefusingServerFix() {
  return OnServer("dmesg | tail -n 30")
      .Because("the server listens on {port}, and refused this connection by itself", Certainty::kCertain);
}

std::string ProofFigures(const TransferResult& transfer, bool verified) {
  const std::string moved = fmt::format("{} in {} operations", BytesText(transfer.bytes), transfer.messages);
  return verified ? fmt::format("{}, {} compared", moved, BytesText(transfer.bytes_verified)) : moved;
}

}  // namespace

Fix OnServer(std::string_view command) { return Fix(command).Caution("run the command on the server"); }

Fix ProbeAddressFix() {
  return Fix("getent hosts {target}")
      .Because("neither the DNS nor /etc/hosts has the name")
      .Do("give the name an address in the DNS or in /etc/hosts")
      .CheckBy("getent hosts {target}");
}

Fix ProbeRouteFix() {
  return Fix("ip route get {address}; rdma link show")
      .Because("the interface of the route has no RDMA device")
      .Do("route to the server through an interface that has one")
      .CheckBy("ip route get {address}");
}

Verdict JudgeProbeAddress(const ProbeView& view) {
  return JudgeStep(view, kStepResolve, view.result.address, "a name that resolves", "resolver");
}

Verdict JudgeProbeRoute(const ProbeView& view) {
  return JudgeStep(view, kStepRoute, fmt::format("{} leads to {}", view.result.local_port, view.result.address),
                   "an RDMA port on the way to the server", "routing table and RDMA ports of this host");
}

bool IsSilent(const RdmaRefusal& refusal) {
  return refusal.kind == RdmaRefusal::Kind::kNoAnswer || refusal.kind == RdmaRefusal::Kind::kUnresolved;
}

Verdict JudgeProbeListener(const ProbeView& view) {
  Verdict verdict =
      JudgeServerStep(view, kStepRdmaConnect, fmt::format("answers on port {}", view.result.port_number),
                      fmt::format("a listener on port {}", view.result.port_number), kProbeCm);
  if (verdict.outcome != Outcome::kFail) return verdict;
  const RdmaRefusal& refusal = view.answers.rdma.refusal;
  if (refusal.kind == RdmaRefusal::Kind::kNoListener) {
    verdict.observed = fmt::format("no RDMA listener ({})", verdict.observed);
  } else if (view.answers.rdma.tcp_answers == true) {
    verdict.observed = fmt::format("TCP is answered there and RDMA is not ({})", verdict.observed);
    verdict.fix = FixOfSilentRdma(view);
  } else if (IsSilent(refusal)) {
    verdict.fix = SilentServerFix();
  } else if (refusal.kind == RdmaRefusal::Kind::kConsumer) {
    verdict.fix = RefusingServerFix();
  }
  return verdict;
}

Fix FixOfSilentRdma(const ProbeView& view) {
  Fix fix = OnServer("rdma link show")
                .Because("no RDMA device stands on the interface of {address}, or a firewall drops RDMA",
                         Certainty::kPossible)
                .Do("move the address to an interface that has an RDMA device");
  if (view.answers.rdma.local_iwarp == true) {
    return std::move(fix).Do(
        "let TCP port {port} (iWARP) through every firewall, and see that its listener is an RDMA one");
  }
  return std::move(fix).Do(
      "let UDP port 4791 (RoCE; InfiniBand has no such port) through every firewall on the way");
}

Verdict JudgeLocalStep(const ProbeView& view, std::string_view step, std::string observed, std::string expected,
                       std::string_view source, const Fix& local_fix, Fix fix) {
  Verdict verdict = JudgeStep(view, step, std::move(observed), std::move(expected), source, std::move(fix));
  const ProbeStep* made = view.Step(step);
  if (verdict.outcome != Outcome::kFail || made->failure.kind != FailureKind::kSetup) return verdict;
  verdict.outcome = Outcome::kUnknown;
  verdict.fix = made->failure.detail.starts_with(kNotAllowed) ? NotAllowedFix() : local_fix;
  return verdict;
}

Verdict JudgeServerStep(const ProbeView& view, std::string_view step, std::string observed,
                        std::string expected, std::string_view source, Fix fix) {
  return JudgeLocalStep(view, step, std::move(observed), std::move(expected), source, ProbeSetupFix(),
                        std::move(fix));
}

bool IsProofAsked(const ProbeView& view, std::string_view step) { return view.Step(step) != nullptr; }

Verdict NotTold(std::string_view source, std::string expected) {
  return {.observed = "not told", .expected = std::move(expected), .source = std::string(source)};
}

Verdict NoProofAsked() {
  return {.outcome = Outcome::kNotApplicable, .observed = "no proof was asked for (--prove)"};
}

Verdict JudgeProofTransfer(const ProbeView& view, std::string_view step, std::string_view case_name,
                           bool verified, std::string_view source) {
  const auto found = std::ranges::find(view.result.transfers, case_name, &TransferResult::case_name);
  const bool moved = found != view.result.transfers.end() && found->bytes > 0;
  const std::string figures = moved ? ProofFigures(*found, verified) : "no bytes";
  Verdict verdict = JudgeServerStep(view, step, figures,
                                    verified ? "every byte as it should be" : "every byte taken", source);
  if (verdict.outcome != Outcome::kPass) return verdict;
  const bool whole = moved && found->bytes_wrong == 0 && (!verified || found->bytes_verified == found->bytes);
  if (!whole) verdict.outcome = Outcome::kFail;
  if (moved && found->bytes_wrong > 0)
    verdict.observed = fmt::format("{} wrong bytes of {}", found->bytes_wrong, found->bytes);
  return verdict;
}

}  // namespace rdmaready
