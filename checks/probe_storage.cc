// SPDX-License-Identifier: Apache-2.0
#include "checks/probe_storage.h"

#include <algorithm>

#include "api/base/text.h"
#include "checks/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kCm = "RDMA connection manager";

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
  Verdict verdict = JudgeStep(view, "rdma-connect", Cat("answers on port ", view.result.port_number),
                              Cat("a listener on port ", view.result.port_number), kCm);
  const std::string_view refusal = view.Value("rdma-refusal");
  if (refusal == "no-listener") verdict.observed = Cat("no RDMA listener (", verdict.observed, ")");
  if (view.Value("tcp-answers") != "yes") return verdict;
  verdict.observed = Cat("TCP is answered there and RDMA is not (", verdict.observed, ")");
  verdict.fix =
      "rdma link show  # on the server: an RDMA device must stand on the interface that has {address}; if one "
      "does, let UDP port 4791 (RoCE) through every firewall on the way";
  return verdict;
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
  Verdict verdict =
      JudgeStep(view, step, figures, verified ? "every byte as it should be" : "every byte taken", source);
  if (verdict.outcome != Outcome::kPass) return verdict;
  const bool whole = moved && found->bytes_wrong == 0 && (!verified || found->bytes_verified == found->bytes);
  if (!whole) verdict.outcome = Outcome::kFail;
  if (moved && found->bytes_wrong > 0)
    verdict.observed = Cat(found->bytes_wrong, " wrong bytes of ", found->bytes);
  return verdict;
}

}  // namespace rdmaready
