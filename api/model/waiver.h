// SPDX-License-Identifier: Apache-2.0
// Waiver: what a site accepts for now, by whom it is answered for, and until when. A waived finding keeps its
// outcome and is shown; it does not count for the verdict.
#pragma once

#include <string>

namespace rdmaready {

struct Waiver {
  std::string check{};   // pattern of ids, as all patterns by api/base/name_pattern.h; never empty
  std::string host{};    // pattern of hosts; empty: every host
  std::string port{};    // pattern of ports: "mlx5_0/1", "mlx5_0" or "ens1f0np0"; empty: whatever it is about
  std::string reason{};  // one line, never empty
  std::string who{};     // one line, never empty
  std::string until{};   // "2026-12-31", the last day on which it holds, in UTC

  bool operator==(const Waiver&) const = default;
  void Fields(auto& list) const {
    list("check", check, "host", host, "port", port, "reason", reason, "who", who, "until", until);
  }
};

// What a waived finding says of it.
struct Waived {
  std::string reason{};
  std::string who{};
  std::string until{};

  bool operator==(const Waived&) const = default;
  void Fields(auto& list) const { list("reason", reason, "who", who, "until", until); }
};

}  // namespace rdmaready
