// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/prover/verbs.h"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <memory>
#include <mutex>
#include <utility>

#include "agent/helper/prover/order.h"
#include "agent/helper/prover/proofs_file.h"
#include "api/base/credentials.h"
#include "api/base/handle.h"
#include "api/base/status.h"
#include "api/model/probe_walk.h"

namespace rdmaready::helper {
namespace {

// What is wrong with the file is the reason that nothing is allowed.
absl::StatusOr<ProofTarget> Allowed(const ProverOptions& options, const ProofWish& wish) {
  const absl::StatusOr<std::vector<ProofTarget>> targets = LoadProofs(options.proofs_file, options.owner);
  if (targets.ok()) return FindTarget(*targets, wish, options.proofs_file);
  return absl::PermissionDeniedError(fmt::format("{}root names in {} what may be proven: {}", kNotAllowed,
                                                 options.proofs_file, Message(targets.status())));
}

absl::StatusOr<Json> Admit(const ProverOptions& options, const ProofWish& wish) {
  RR_ASSIGN_OR_RETURN(const ProofTarget target, Allowed(options, wish));
  // A subsystem is connected only where the caller himself names it: its disk may be another host's.
  const bool named = wish.protocol == Protocol::kNvme;
  return Json{{"volume", named ? wish.volume : target.volume}};
}

ProofWish WishOf(const KernelProof& proof) {
  return {.protocol = proof.protocol,
          .server = proof.server,
          .port_number = proof.port_number,
          .volume = proof.volume,
          .credentials = !proof.credentials.user_name.empty()};
}

absl::Status CheckAddresses(const ProverOptions& options, const ProofTarget& target, const KernelProof& proof) {
  if (!IsOfTarget(target, proof.address)) {
    return absl::PermissionDeniedError(fmt::format("{}{} does not name {} as an address of {}", kNotAllowed,
                                                   options.proofs_file, proof.address, proof.server));
  }
  if (proof.local_address.empty() || options.is_own(proof.local_address)) return absl::OkStatus();
  return absl::InvalidArgumentError(proof.local_address + " is no address of this host");
}

// The order with what the file says: nothing that is mounted or connected is the agent's word alone.
absl::StatusOr<KernelProof> Filled(const ProverOptions& options, const ProofOrder& order) {
  RR_ASSIGN_OR_RETURN(const ProofTarget target, Allowed(options, WishOf(order.proof)));
  RR_RETURN_IF_ERROR(CheckAddresses(options, target, order.proof));
  KernelProof proof = order.proof;
  proof.port_number = target.port;
  proof.volume = target.volume;
  if (proof.protocol != Protocol::kSmb || !proof.credentials.user_name.empty()) return proof;
  RR_ASSIGN_OR_RETURN(proof.credentials, ReadCredentials(target.credentials_file));
  return proof;
}

absl::StatusOr<Json> Make(const ProverOptions& options, const ProofOrder& order, const std::stop_token& stop,
                          const Progress& progress) {
  RR_ASSIGN_OR_RETURN(const KernelProof proof, Filled(options, order));
  ProofOutcome outcome{.result = {.protocol = proof.protocol}};
  for (const std::string_view step : KernelSteps(proof.protocol, proof.inquire))
    outcome.result.steps.push_back({.name = std::string(step)});
  Walk walk(outcome.result, {.deadline = options.clock->Now() + order.limit,
                             .interrupted =
                                 [&stop] {
                                   return stop.stop_requested() ? absl::CancelledError("the caller gave up")
                                                                : absl::OkStatus();
                                 },
                             .progress = progress,
                             .stop = stop,
                             .clock = options.clock,
                             .limit_bytes_per_s = order.limit_bytes_per_s});
  outcome.done = options.make(proof, walk, outcome.leftovers);
  CutTexts(outcome.result.answers);
  return ToJson(outcome);
}

struct Shared {
  ProverOptions options;
  std::mutex at_work{};  // held for a proof
};

}  // namespace

std::vector<Verb> ProverVerbs(ProverOptions options) {
  const auto shared = std::make_shared<Shared>(std::move(options));
  const auto admit = [shared](Arguments& arguments) -> absl::StatusOr<Work> {
    RR_ASSIGN_OR_RETURN(const ProofWish wish, DecodeWish(arguments));
    return Work(
        [shared, wish](const std::stop_token&, const Progress&) { return Admit(shared->options, wish); });
  };
  const auto prove = [shared](Arguments& arguments) -> absl::StatusOr<Work> {
    RR_ASSIGN_OR_RETURN(const ProofOrder order, DecodeOrder(arguments));
    return Work([shared, order](const std::stop_token& stop, const Progress& progress) -> absl::StatusOr<Json> {
      const std::unique_lock held(shared->at_work, std::try_to_lock);
      if (!held.owns_lock())
        return absl::UnavailableError("busy: another proof is being made, or its end waited for");
      return Make(shared->options, order, stop, progress);
    });
  };
  return {{kAdmitVerb, admit}, {kProveVerb, prove}};
}

bool IsOwnAddress(const std::string& address) {
  ::ifaddrs* raw = nullptr;
  if (::getifaddrs(&raw) != 0) return false;
  const Handle<::ifaddrs, ::freeifaddrs> all(raw);
  for (const ::ifaddrs* entry = all.get(); entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr) continue;
    const int family = entry->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    const auto size =
        static_cast<::socklen_t>(family == AF_INET ? sizeof(::sockaddr_in) : sizeof(::sockaddr_in6));
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(entry->ifa_addr, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0)
      continue;
    if (address == text.data()) return true;
  }
  return false;
}

}  // namespace rdmaready::helper
