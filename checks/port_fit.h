// SPDX-License-Identifier: Apache-2.0
// Port fit: whether a profile is for a port of a host.
#pragma once

#include <string>

#include "api/model/facts.h"
#include "api/model/profile.h"

namespace rdmaready {

struct PortFit {
  enum class Answer { kUnknown, kNo, kYes };
  Answer answer = Answer::kUnknown;
  std::string unknown{};  // of kUnknown: what is not known of the port, "its PCI address"

  bool operator==(const PortFit&) const = default;
};

// Yes where the profile has no selector, or where all that one of them says is true of the port. No where each
// says something that is known not to be true.
PortFit FitOf(const Port& port, const Profile& profile);

// Whether a person means the port by that name: "mlx5_0/1", its device, or its netdev.
bool IsNamed(const Port& port, const std::string& name);

}  // namespace rdmaready
