// SPDX-License-Identifier: Apache-2.0
// Places of rows in the orders in which readers are shown them: who names the last row that he has is given
// those after it, however many came or went meanwhile. Texts are compared octet by octet.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace rdmaready::hub {

// Changes, the newest first; those of one moment by host and number.
struct ChangePlace {
  std::int64_t last_unix_ns = std::numeric_limits<std::int64_t>::max();
  std::string host_id{};
  std::uint64_t number = 0;
};

// Changes of one host after those of another, by the hosts' names.
struct HostChangePlace {
  std::string host{};  // its name
  std::string host_id{};
  std::uint64_t number = 0;
};

// What is said of a check of a host: by the host's name.
struct FindingPlace {
  std::string host{};  // its name
  std::string host_id{};
  std::string check{};
  std::string subject{};
  std::string profile{};
  auto operator<=>(const FindingPlace&) const = default;
};

// What live tests showed: what is slower than before first, by which share of it is left, then by names.
struct PastPlace {
  bool behind_slower = false;
  double share = -1;   // of what is slower; as it is made: before all
  std::string host{};  // its name
  std::string host_id{};
  std::string port{};
  std::string case_name{};
  std::string role{};
  std::string peer{};
};

}  // namespace rdmaready::hub
