// SPDX-License-Identifier: Apache-2.0
// What is fuzzed: questions to the prover, its answers, and root's file of what may be proven.
#include "tests/fuzz/target.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agent/helper/prover/order.h"
#include "agent/helper/prover/proofs_file.h"
#include "api/model/probe_walk.h"

namespace rdmaready {
namespace {

using helper::Arguments;
using helper::Json;
using helper::ProofOrder;
using helper::ProofTarget;

void Demand(bool holds) {
  if (!holds) std::abort();
}

constexpr char kProofs[] = R"(targets:
  - {protocol: nfs, server: nas1, addresses: [192.0.2.7, "fe80::1%eth0"], volume: /scratch}
  - {protocol: nvme, server: 192.0.2.9, port: 4421, volume: "nqn.2026-01.org.example:disk1"}
  - protocol: smb
    server: nas2
    addresses: ["2001:db8::7"]
    volume: scratch
    credentials: /etc/rdmaready/nas2
    callers_credentials: true
)";

const std::vector<ProofTarget>& Targets() {
  static const std::vector<ProofTarget> targets = *helper::ParseProofs(kProofs, "p.yaml");
  return targets;
}

// What may be proven is what the file names, whatever the wish says.
void DemandNamed(const ProofWish& wish) {
  const auto found = helper::FindTarget(Targets(), wish, "p.yaml");
  if (!found.ok()) return;
  Demand(found->protocol == wish.protocol);
  Demand(wish.volume.empty() || wish.volume == found->volume);
  Demand(found->server == wish.server || helper::IsOfTarget(*found, wish.server));
  Demand(!wish.credentials || found->callers_credentials);
}

// No text of an order could be taken for a path, for options or for several addresses.
void DemandPlain(const ProofOrder& order) {
  const KernelProof& proof = order.proof;
  Demand(proof.protocol != Protocol::kUnknown && order.limit <= kMostProbeTime);
  for (const std::string& address : {proof.address, proof.local_address})
    Demand(address.find_first_of(", /\n\t") == address.npos);
  Demand(!proof.address.empty());
  Demand(proof.device.find_first_of("/, \n") == proof.device.npos && !proof.device.starts_with('.'));
  Demand(proof.version.size() <= 3 && proof.version.find(',') == proof.version.npos);
  Demand(proof.credentials.password.size() <= 512);
}

void Wish(std::string_view text) {
  const auto json = recording::ParseObject(text);
  if (!json.ok()) return;
  Arguments arguments(*json);
  const auto wish = helper::DecodeWish(arguments);
  if (wish.ok()) DemandNamed(*wish);
}

void Order(std::string_view text) {
  const auto json = recording::ParseObject(text);
  if (!json.ok()) return;
  Arguments arguments(*json);
  const auto order = helper::DecodeOrder(arguments);
  if (!order.ok()) return;
  DemandPlain(*order);
  const Json again = helper::ToJson(*order);
  const auto sent = recording::ParseObject(helper::Text(again));
  Demand(sent.ok());
  Arguments twice(*sent);
  const auto same = helper::DecodeOrder(twice);
  Demand(same.ok() && helper::ToJson(*same) == again);
}

void ReadOutcome(std::string_view text) {
  const auto answer = helper::ReadAnswerBody(text);
  if (!answer.ok()) return;
  const auto outcome = helper::ReadOutcome(*answer);
  if (outcome.ok()) static_cast<void>(helper::ToJson(*outcome));
}

void File(std::string_view text) {
  const auto targets = helper::ParseProofs(text, "p.yaml");
  if (!targets.ok()) return Demand(targets.status().message().substr(0, 7) == "p.yaml:");
  Demand(targets->size() <= helper::kMostProofTargets);
  for (const ProofTarget& target : *targets) {
    Demand(target.port != 0 && !target.volume.empty() && !target.addresses.empty());
    Demand(target.addresses.size() <= helper::kMostTargetAddresses);
    Demand(std::ranges::all_of(target.addresses, &helper::IsNumericAddress));
  }
}

void Progress(std::string_view text) {
  const auto what = helper::ReadProgressBody(text);
  if (what) Demand(what->size() <= 6 * helper::kMostProgressBytes);
}

constexpr void (*kDecoders[])(std::string_view) = {Wish, Order, ReadOutcome, File, Progress};

std::vector<std::uint8_t> Seed(std::uint8_t decoder, std::string_view text) {
  std::vector<std::uint8_t> seed{decoder};
  seed.insert(seed.end(), text.begin(), text.end());
  return seed;
}

}  // namespace

std::vector<std::vector<std::uint8_t>> FuzzSeeds() {
  const ProofWish wish{.protocol = Protocol::kNfs, .server = "nas1", .volume = "/scratch"};
  const ProofOrder order{.proof = {.protocol = Protocol::kSmb,
                                   .server = "nas2",
                                   .address = "2001:db8::7",
                                   .port_number = 445,
                                   .local_address = "192.0.2.1",
                                   .device = "rxe0",
                                   .device_port = 1,
                                   .volume = "scratch",
                                   .version = "4.2",
                                   .credentials = {.user_name = "u", .password = "p\xff", .domain = "d"}},
                         .limit = std::chrono::seconds(10)};
  helper::ProofOutcome outcome{.done = true, .leftovers = {"nvme-leftover"}};
  outcome.result.steps.push_back({.name = "nfs-mount", .outcome = StepOutcome::kDone});
  outcome.result.transfers.push_back({.case_name = "nfs-write", .bytes = 7});
  return {Seed(0, helper::Text(helper::ToJson(wish))), Seed(1, helper::Text(helper::ToJson(order))),
          Seed(2, helper::AnswerBody(helper::ToJson(outcome))), Seed(3, kProofs),
          Seed(4, helper::ProgressBody("nfs-mount"))};
}

}  // namespace rdmaready

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data + 1), size - 1);
  rdmaready::kDecoders[data[0] % std::size(rdmaready::kDecoders)](rest);
  return 0;
}
