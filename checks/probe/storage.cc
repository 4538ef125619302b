// SPDX-License-Identifier: Apache-2.0
#include "checks/probe/storage.h"

#include <algorithm>
#include <utility>

#include "api/base/text.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kCm = "RDMA connection manager";

constexpr std::string_view kFixSetup =
    "dmesg | tail -n 30; ulimit -l  # on this host: its own side could not be set up (RDMA device, memory that "
    "may be locked: LimitMEMLOCK of the agent's unit), and the server is not to blame";
constexpr std::string_view kFixNoRdma =
    "rdma link show  # on the server: an RDMA device must stand on the interface that has {address}; if one "
    "does, let ";
constexpr std::string_view kLetRoceThrough =
    "UDP port 4791 (RoCE; InfiniBand has no such port) through every firewall on the way";
constexpr std::string_view kLetIwarpThrough =
    "TCP port {port} (iWARP) through every firewall on the way, and see that its listener is an RDMA one";
constexpr std::string_view kFixSilent =
    "ping -c 3 {address}  # nobody is there by RDMA nor by TCP: the server, its interface or the way to it is "
    "down";
constexpr std::string_view kFixRefused =
    "dmesg | tail -n 30  # on the server: it listens on {port}, and refused this connection by itself";

std::string FiguresOf(const TransferResult& transfer, bool verified) {
  std::string text = Cat(BytesText(transfer.bytes), " in ", transfer.messages, " operations");
  if (verified) text += Cat(", ", BytesText(transfer.bytes_verified), " compared");
  return text;
}

}  // namespace

Verdict JudgeProbeAddress(const ProbeView& view) {
  return JudgeStep(view, "resolve", view.result.address, "a name that resolves", "resolver");
}

Verdict JudgeProbeRoute(const ProbeView& view) {
  return JudgeStep(view, "route", Cat(view.result.local_port, " leads to ", view.result.address),
                   "an RDMA port on the way to the server", "routing table and RDMA ports of this host");
}

Verdict JudgeProbeListener(const ProbeView& view) {
  Verdict verdict = JudgeServerStep(view, "rdma-connect", Cat("answers on port ", view.result.port_number),
                                    Cat("a listener on port ", view.result.port_number), kCm);
  if (verdict.outcome != Outcome::kFail) return verdict;
  const std::string_view refusal = view.Value("rdma-refusal");
  if (refusal == "no-listener") {
    verdict.observed = Cat("no RDMA listener (", verdict.observed, ")");
  } else if (view.Value("tcp-answers") == "yes") {
    verdict.observed = Cat("TCP is answered there and RDMA is not (", verdict.observed, ")");
    verdict.fix = FixOfSilentRdma(view);
  } else if (refusal == "no-answer" || refusal == "unresolved") {
    verdict.fix = kFixSilent;
  } else if (refusal == "consumer") {
    verdict.fix = kFixRefused;
  }
  return verdict;
}

std::string FixOfSilentRdma(const ProbeView& view) {
  return Cat(kFixNoRdma, view.Value("local-iwarp") == "yes" ? kLetIwarpThrough : kLetRoceThrough);
}

Verdict JudgeLocalStep(const ProbeView& view, std::string_view step, std::string observed, std::string expected,
                       std::string_view source, std::string_view local_fix, std::string fix) {
  Verdict verdict = JudgeStep(view, step, std::move(observed), std::move(expected), source, std::move(fix));
  const ProbeStep* made = view.Step(step);
  if (verdict.outcome != Outcome::kFail || made->failure.kind != FailureKind::kSetup) return verdict;
  verdict.outcome = Outcome::kUnknown;
  verdict.fix = local_fix;
  return verdict;
}

Verdict JudgeServerStep(const ProbeView& view, std::string_view step, std::string observed,
                        std::string expected, std::string_view source, std::string fix) {
  return JudgeLocalStep(view, step, std::move(observed), std::move(expected), source, kFixSetup,
                        std::move(fix));
}

bool IsProofAsked(const ProbeView& view, std::string_view step) { return view.Step(step) != nullptr; }

Verdict NoProofAsked() {
  return {.outcome = Outcome::kNotApplicable, .observed = "no proof was asked for (--prove)"};
}

Verdict JudgeProofTransfer(const ProbeView& view, std::string_view step, std::string_view case_name,
                           bool verified, std::string_view source) {
  const auto found = std::ranges::find(view.result.transfers, case_name, &TransferResult::case_name);
  const bool moved = found != view.result.transfers.end() && found->bytes > 0;
  const std::string figures = moved ? FiguresOf(*found, verified) : "no bytes";
  Verdict verdict = JudgeServerStep(view, step, figures,
                                    verified ? "every byte as it should be" : "every byte taken", source);
  if (verdict.outcome != Outcome::kPass) return verdict;
  const bool whole = moved && found->bytes_wrong == 0 && (!verified || found->bytes_verified == found->bytes);
  if (!whole) verdict.outcome = Outcome::kFail;
  if (moved && found->bytes_wrong > 0)
    verdict.observed = Cat(found->bytes_wrong, " wrong bytes of ", found->bytes);
  return verdict;
}

}  // namespace rdmaready
