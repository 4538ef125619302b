// SPDX-License-Identifier: Apache-2.0
#include "checks/host_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "api/base/status.h"
#include "checks/port_fit.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

absl::Status CheckNames(std::span<const Profile> profiles) {
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    for (const Profile& other : profiles.first(i)) {
      if (other.name == profiles[i].name)
        return absl::InvalidArgumentError(fmt::format("profile {} is named twice", other.name));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckPortNames(const std::vector<Port>& ports, std::span<const std::string> only) {
  for (const std::string& name : only) {
    if (std::ranges::any_of(ports, [&name](const Port& port) { return IsNamed(port, name); })) continue;
    std::string known;
    for (const Port& port : ports) known += (known.empty() ? "" : ", ") + SubjectOf(port);
    return absl::InvalidArgumentError(
        fmt::format("no RDMA port is named {}; there {}", Printable(name),
                    known.empty() ? "is none" : fmt::format("are {}", known)));
  }
  return absl::OkStatus();
}

bool IsAmong(const Port& port, std::span<const std::string> names) {
  return names.empty() ||
         std::ranges::any_of(names, [&port](const std::string& name) { return IsNamed(port, name); });
}

// The profile that is for the port; null for none.
absl::StatusOr<const Profile*> ProfileOf(const Port& port, std::span<const Profile> profiles) {
  const Profile* found = nullptr;
  for (const Profile& profile : profiles) {
    if (FitOf(port, profile).answer != PortFit::Answer::kYes) continue;
    if (found != nullptr) {
      return absl::InvalidArgumentError(fmt::format("profiles {} and {} are both for port {}: narrow the `ports` of one",
                                                    found->name, profile.name, SubjectOf(port)));
    }
    found = &profile;
  }
  return found;
}

}  // namespace

absl::StatusOr<HostParts> HostParts::Divide(const Facts& host, std::span<const Profile> profiles,
                                            std::span<const std::string> only) {
  RR_RETURN_IF_ERROR(CheckNames(profiles));
  HostParts parts;
  parts.host_ = &host;
  RR_RETURN_IF_ERROR(parts.Fill(profiles, only));
  return parts;
}

HostParts::HostParts(const Facts& host, const Profile& profile) : host_(&host) {
  // Neither names of ports nor a second profile, which are what can be wrong.
  static_cast<void>(Fill(std::span(&profile, 1), {}));
}

absl::Status HostParts::Fill(std::span<const Profile> profiles, std::span<const std::string> only) {
  static const std::vector<Port> kNoPorts;
  const std::vector<Port>& ports = host_->ports ? *host_->ports : kNoPorts;
  if (host_->ports) RR_RETURN_IF_ERROR(CheckPortNames(ports, only));
  std::vector<const Profile*> owners;
  for (const Port& port : ports) {
    RR_ASSIGN_OR_RETURN(const Profile* owner, ProfileOf(port, profiles));
    const bool asked = IsAmong(port, only);
    if (asked && !only.empty() && owner == nullptr)
      return absl::InvalidArgumentError(fmt::format("port {}: no profile is for it", SubjectOf(port)));
    owners.push_back(asked ? owner : nullptr);
    ports_.push_back({SubjectOf(port), owners.back() == nullptr ? "" : owners.back()->name});
  }
  const bool any = std::ranges::any_of(owners, [](const Profile* owner) { return owner != nullptr; });
  for (const Profile& profile : profiles) {
    const auto count = static_cast<std::size_t>(std::ranges::count(owners, &profile));
    HostPart& part = parts_.emplace_back(HostPart{.profile = &profile, .facts = host_});
    part.in_use = count > 0 || !any;
    part.judges_ports = count > 0 || ports.empty();
    if (count == 0 || count == ports.size()) continue;
    Facts& narrowed = narrowed_.emplace_back(*host_);
    std::vector<Port>& kept = narrowed.ports.Emplace();
    for (std::size_t i = 0; i < ports.size(); ++i) {
      if (owners[i] == &profile) kept.push_back(ports[i]);
    }
    part.facts = &narrowed;
  }
  return absl::OkStatus();
}

std::vector<ProfileRef> HostParts::profiles() const {
  std::vector<ProfileRef> profiles;
  for (const HostPart& part : parts_) profiles.push_back({part.profile->name, part.profile->digest});
  return profiles;
}

const HostPart* HostParts::Find(std::string_view profile) const {
  const auto found = std::ranges::find_if(
      parts_, [profile](const HostPart& part) { return part.profile->name == profile; });
  return found == parts_.end() ? nullptr : &*found;
}

std::vector<Finding> FindingsUnder(std::string_view profile, std::span<const Finding> findings) {
  std::vector<Finding> under;
  std::ranges::copy_if(findings, std::back_inserter(under), [profile](const Finding& finding) {
    return finding.profile.empty() || finding.profile == profile;
  });
  return under;
}

}  // namespace rdmaready
