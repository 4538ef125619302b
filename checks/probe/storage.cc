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

constexpr std::string_view kFixProbeSetup =
    "dmesg | tail -n 30; ulimit -l  # on this host: its own side could not be set up (RDMA device, memory that "
    "may be locked: LimitMEMLOCK of the agent's unit), and the server is not to blame";
constexpr std::string_view kFixNotAllowed =
    "systemctl enable --now rdmaready-prover.socket  # on the probing host, by its root, who names the target "
    "in "
    "/etc/rdmaready/proofs.yaml before";
constexpr std::string_view kFixSilentRdma =
    "rdma link show  # on the server: an RDMA device must stand on the interface that has {address}; if one "
    "does, let ";
constexpr std::string_view kLetRoceThrough =
    "UDP port 4791 (RoCE; InfiniBand has no such port) through every firewall on the way";
constexpr std::string_view kLetIwarpThrough =
    "TCP port {port} (iWARP) through every firewall on the way, and see that its listener is an RDMA one";
constexpr std::string_view kFixSilentServer =
    "ping -c 3 {address}  # nobody is there by RDMA nor by TCP: the server, its interface or the way to it is "
    "down";
constexpr std::string_view kFixRefusingServer =
    "dmesg | tail -n 30  # on the server: it listens on {port}, and refused this connection by itself";

std::string ProofFigures(const TransferResult& transfer, bool verified) {
  const std::string moved = fmt::format("{} in {} operations", BytesText(transfer.bytes), transfer.messages);
  return verified ? fmt::format("{}, {} compared", moved, BytesText(transfer.bytes_verified)) : moved;
}

}  // namespace

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
    verdict.fix = kFixSilentServer;
  } else if (refusal.kind == RdmaRefusal::Kind::kConsumer) {
    verdict.fix = kFixRefusingServer;
  }
  return verdict;
}

std::string FixOfSilentRdma(const ProbeView& view) {
  return fmt::format("{}{}", kFixSilentRdma,
                     view.answers.rdma.local_iwarp == true ? kLetIwarpThrough : kLetRoceThrough);
}

Verdict JudgeLocalStep(const ProbeView& view, std::string_view step, std::string observed, std::string expected,
                       std::string_view source, std::string_view local_fix, Fix fix) {
  Verdict verdict = JudgeStep(view, step, std::move(observed), std::move(expected), source, std::move(fix));
  const ProbeStep* made = view.Step(step);
  if (verdict.outcome != Outcome::kFail || made->failure.kind != FailureKind::kSetup) return verdict;
  verdict.outcome = Outcome::kUnknown;
  verdict.fix = made->failure.detail.starts_with(kNotAllowed) ? kFixNotAllowed : local_fix;
  return verdict;
}

Verdict JudgeServerStep(const ProbeView& view, std::string_view step, std::string observed,
                        std::string expected, std::string_view source, Fix fix) {
  return JudgeLocalStep(view, step, std::move(observed), std::move(expected), source, kFixProbeSetup,
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
