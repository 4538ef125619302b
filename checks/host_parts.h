// SPDX-License-Identifier: Apache-2.0
// Host parts: a host may follow several profiles, each for ports of its own. Here it is divided among them.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/report.h"

namespace rdmaready {

// What one profile is for.
struct HostPart {
  const Profile* profile = nullptr;
  // The host with the ports of this part alone. Where no profile is for any port: with all of them, and none
  // is judged.
  const Facts* facts = nullptr;
  bool judges_ports = false;
  bool in_use = false;  // it has a port, or no profile has: then the host itself is judged under all of them
};

class HostParts {
 public:
  // Nothing is copied for profiles that are for all ports. A port that may be a profile's, which is not known, is
  // in no part of that one. `only`: no other ports, by a name that IsNamed (checks/port_fit.h) takes; empty: all.
  // kInvalidArgument, naming them: two profiles are for one port or have one name, a name of `only` is that of
  // no port, or of none that a profile is for. `host` and `profiles` outlive the result.
  static absl::StatusOr<HostParts> Divide(const Facts& host, std::span<const Profile> profiles,
                                          std::span<const std::string> only = {});

  // Of one profile: this cannot fail.
  HostParts(const Facts& host, const Profile& profile);

  HostParts(HostParts&&) = default;
  HostParts& operator=(HostParts&&) = default;

  const Facts& host() const { return *host_; }
  // One for each profile, in their order.
  std::span<const HostPart> parts() const { return parts_; }
  // Every port of the host, in its order; none where they are not known.
  const std::vector<JudgedPort>& ports() const { return ports_; }

  std::vector<ProfileRef> profiles() const;
  // The part of that profile; null without it.
  const HostPart* Find(std::string_view profile) const;

 private:
  HostParts() = default;
  absl::Status Fill(std::span<const Profile> profiles, std::span<const std::string> only);

  const Facts* host_ = nullptr;
  std::deque<Facts> narrowed_{};  // a deque's elements stay where they are
  std::vector<HostPart> parts_{};
  std::vector<JudgedPort> ports_{};
};

// What a test on ports of that profile may look at: findings by its demands, or by those of all.
std::vector<Finding> FindingsUnder(std::string_view profile, std::span<const Finding> findings);

}  // namespace rdmaready
