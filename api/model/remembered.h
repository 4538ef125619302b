// SPDX-License-Identifier: Apache-2.0
// Remembered: the results of earlier checks of a host, beside a check of now.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rdmaready {

// A finding that prevents readiness now as in the checks before.
struct Standing {
  std::string id{};
  std::string subject{};
  std::int64_t since_unix_ns = 0;  // when the first of them began, of those that are known
  std::uint32_t checks = 0;        // that found it, one after the other, this one too

  bool operator==(const Standing&) const = default;

  void Fields(auto& list) const {
    list("id", id, "subject", subject, "since_unix_ns", since_unix_ns, "checks", checks);
  }
};

// A finding of earlier checks that this check could not judge, because it did not watch.
struct SeenBefore {
  std::string id{};
  std::string subject{};
  std::string observed{};         // in the last of them
  std::int64_t last_unix_ns = 0;  // when that began
  std::uint32_t checks = 0;       // that found it

  bool operator==(const SeenBefore&) const = default;

  void Fields(auto& list) const {
    list("id", id, "subject", subject, "observed", observed, "last_unix_ns", last_unix_ns, "checks", checks);
  }
};

struct Remembered {
  std::vector<Standing> standing{};
  std::vector<SeenBefore> seen{};

  bool operator==(const Remembered&) const = default;

  void Fields(auto& list) const { list("standing", standing, "seen", seen); }
};

}  // namespace rdmaready
