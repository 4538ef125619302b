// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/prover/proofs_file.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "agent/helper/prover/order.h"
#include "agent/probe/iser/iser_wire.h"
#include "agent/probe/nvme/nvme_wire.h"
#include "api/base/share_name.h"
#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/model/probe_walk.h"
#include "api/model/well_known_ports.h"
#include "api/profile/yaml_message.h"
#include "api/profile/yaml_tree.h"
#include "rdmaready/v1/proofs.pb.h"

namespace rdmaready::helper {
namespace {

constexpr std::size_t kMostProofNameBytes = 1024;

struct ProtocolTerms {
  std::string_view word;
  std::uint16_t port;
  std::string_view volume;  // what it is
};

ProtocolTerms TermsOf(Protocol protocol) {
  switch (protocol) {
    case Protocol::kUnknown:
      break;
    case Protocol::kSmb:
      return {"smb", kSmbPort, "the name of a share"};
    case Protocol::kNvme:
      return {"nvme", kNvmePort, "a subsystem's NQN"};
    case Protocol::kIser:
      return {"iser", kIscsiPort, "an iSCSI target's name"};
    case Protocol::kNfs:
      return {"nfs", kNfsRdmaPort, "the path of an export, from / on"};
  }
  return {"unknown", 0, "a volume"};
}

bool IsPlainName(std::string_view text) {
  return !text.empty() && text.size() <= kMostProofNameBytes &&
         std::ranges::all_of(text, [](char letter) { return letter >= ' ' && letter <= '~'; });
}

bool IsVolume(Protocol protocol, const std::string& volume) {
  if (!IsPlainName(volume)) return false;
  switch (protocol) {
    case Protocol::kUnknown:
      return false;
    case Protocol::kSmb:
      return IsShareName(volume);
    case Protocol::kNvme:
      return nvme::IsName(volume);
    case Protocol::kIser:
      return iser::IsName(volume);
    case Protocol::kNfs:
      return volume.starts_with('/');
  }
  return false;
}

// Of IPv4 in IPv6's form: one spelling of each address.
std::optional<std::pair<std::array<unsigned char, 16>, std::string>> Spelt(const std::string& address) {
  std::pair<std::array<unsigned char, 16>, std::string> spelt{};
  const std::size_t zone = address.find('%');
  if (zone != address.npos) spelt.second = address.substr(zone);
  const std::string number = address.substr(0, zone);
  std::array<unsigned char, 4> v4{};
  if (::inet_pton(AF_INET, number.c_str(), v4.data()) == 1) {
    spelt.first[10] = spelt.first[11] = 0xff;
    std::ranges::copy(v4, spelt.first.begin() + 12);
    return spelt;
  }
  if (::inet_pton(AF_INET6, number.c_str(), spelt.first.data()) == 1) return spelt;
  return std::nullopt;
}

// What is wrong with a target that reads; empty: nothing.
std::string TroubleOf(const v1::Proofs::Target& target) {
  const auto protocol = static_cast<Protocol>(target.protocol());
  if (protocol == Protocol::kUnknown) return "a target needs a `protocol`: smb, nvme, iser or nfs";
  if (!IsPlainName(target.server())) return "a target needs a `server`: as callers name it";
  if (target.addresses().empty() && !IsNumericAddress(target.server()))
    return fmt::format("`server` {} is a name, which is not looked up: give its `addresses`", target.server());
  for (const std::string& address : target.addresses()) {
    if (!IsNumericAddress(address)) return fmt::format("`addresses`: {} is no numeric address", address);
  }
  if (static_cast<std::size_t>(target.addresses_size()) > kMostTargetAddresses)
    return fmt::format("more than {} `addresses`", kMostTargetAddresses);
  if (target.port() > 65'535) return "a `port` is at most 65535";
  if (!IsVolume(protocol, target.volume()))
    return fmt::format("a target of {} needs a `volume`: {}", TermsOf(protocol).word,
                       TermsOf(protocol).volume);
  const bool has_credentials = !target.credentials().empty() || target.callers_credentials();
  if (protocol != Protocol::kSmb && has_credentials) return "credentials are for smb";
  if (protocol == Protocol::kSmb && !has_credentials)
    return "a target of smb needs `credentials`, a file, or `callers_credentials: true`";
  if (!target.credentials().empty() && !target.credentials().starts_with('/'))
    return "`credentials` is a path from / on";
  return {};
}

ProofTarget TargetOf(const v1::Proofs::Target& target) {
  const auto protocol = static_cast<Protocol>(target.protocol());
  ProofTarget made{.protocol = protocol,
                   .server = target.server(),
                   .addresses = {target.addresses().begin(), target.addresses().end()},
                   .port = target.port() == 0 ? TermsOf(protocol).port : static_cast<std::uint16_t>(target.port()),
                   .volume = target.volume(),
                   .credentials_file = target.credentials(),
                   .callers_credentials = target.callers_credentials()};
  if (made.addresses.empty()) made.addresses.push_back(made.server);
  return made;
}

int LineOf(const YamlNode& root, std::size_t target) {
  for (const YamlNode::Entry& entry : root.entries) {
    if (entry.key == "targets" && target < entry.value.items.size()) return entry.value.items[target].line;
  }
  return root.line;
}

}  // namespace

absl::StatusOr<std::vector<ProofTarget>> ParseProofs(std::string_view yaml, const std::string& file_name) {
  std::vector<YamlFault> faults;
  v1::Proofs message;
  std::vector<ProofTarget> targets;
  const std::optional<YamlNode> root = ParseYaml(yaml, file_name, faults);
  if (root) FillMessage(*root, std::span(&file_name, 1), {}, message, faults);
  const auto count = static_cast<std::size_t>(message.targets_size());
  for (std::size_t i = 0; faults.empty() && i < count; ++i) {
    const v1::Proofs::Target& target = message.targets(static_cast<int>(i));
    if (std::string trouble = TroubleOf(target); !trouble.empty())
      faults.push_back({.file = file_name, .line = LineOf(*root, i), .text = std::move(trouble)});
    if (faults.empty()) targets.push_back(TargetOf(target));
  }
  if (!faults.empty()) return absl::InvalidArgumentError(faults.front().Line());
  return targets;
}

absl::StatusOr<std::vector<ProofTarget>> LoadProofs(const std::string& path, ::uid_t owner) {
  RR_ASSIGN_OR_RETURN(const std::string text, ReadGuardedFile(path, kMaxYamlBytes, owner, S_IWGRP | S_IWOTH));
  return ParseProofs(text, path);
}

bool IsOfTarget(const ProofTarget& target, const std::string& address) {
  const auto wanted = Spelt(address);
  return wanted && std::ranges::any_of(target.addresses, [&](const std::string& own) {
    return Spelt(own) == wanted;
  });
}

absl::StatusOr<ProofTarget> FindTarget(const std::vector<ProofTarget>& targets, const ProofWish& wish,
                                       std::string_view path) {
  const ProtocolTerms terms = TermsOf(wish.protocol);
  const std::uint32_t port = wish.port_number == 0 ? terms.port : wish.port_number;
  std::vector<const ProofTarget*> found;
  for (const ProofTarget& target : targets) {
    const bool server = target.server == wish.server || IsOfTarget(target, wish.server);
    if (target.protocol != wish.protocol || !server || target.port != port) continue;
    if (wish.volume.empty() || wish.volume == target.volume) found.push_back(&target);
  }
  if (found.empty()) {
    return absl::PermissionDeniedError(fmt::format(
        "{}{} does not name {}{}{} of {}, port {}, which its root could", kNotAllowed, path, terms.word,
        wish.volume.empty() ? "" : " ", wish.volume, wish.server, port));
  }
  if (found.size() > 1 && wish.volume.empty()) {
    std::vector<std::string_view> volumes;
    for (const ProofTarget* target : found) volumes.emplace_back(target->volume);
    return absl::InvalidArgumentError(
        fmt::format("{} names several of {} to prove: {}", path, wish.server, fmt::join(volumes, ", ")));
  }
  const ProofTarget& target = *found.front();
  if (wish.credentials && !target.callers_credentials) {
    return absl::PermissionDeniedError(fmt::format(
        "{}{} has credentials of its own for {} {}: a caller brings none", kNotAllowed, path, terms.word,
        wish.server));
  }
  if (wish.protocol == Protocol::kSmb && !wish.credentials && target.credentials_file.empty())
    return absl::InvalidArgumentError("a proof on that share needs the caller's credentials");
  return target;
}

}  // namespace rdmaready::helper
