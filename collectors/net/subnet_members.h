// SPDX-License-Identifier: Apache-2.0
// Which interfaces of a host have an address in a subnet, asked for many subnets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "api/base/prefix_index.h"
#include "api/model/facts.h"
#include "collectors/net/addresses.h"

namespace rdmaready {

class SubnetMembers {
 public:
  explicit SubnetMembers(const AddressTable& table);

  // By interface index: the first of its addresses that is in one subnet with `own`, as the shorter of both
  // prefixes has it. `own` is one of the table.
  std::map<std::uint32_t, std::string> FirstOfEach(const IpAddress& own) const;

  // Every address of the table.
  const std::set<std::string>& taken() const { return taken_; }

 private:
  struct Member {
    std::uint32_t ifindex = 0;
    std::size_t place = 0;  // among the addresses of the interface
    std::string address{};
  };

  PrefixTable<std::vector<Member>> members_;  // one of each interface
  std::set<std::string> taken_{};
};

}  // namespace rdmaready
