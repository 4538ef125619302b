// SPDX-License-Identifier: Apache-2.0
// Hosts of one name, distinguished by their ids in what a person reads. A program reads `host_id` of each row.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "api/client/fleet_client.h"
#include "cli/commands.h"

namespace rdmaready {

class HostNames {
 public:
  void Add(const std::string& name, const std::string& id);
  // Those of the hub that share a name with one of these; a hub that does not answer adds none.
  void AskHub(FleetClient& hub);
  // All that `filter` chooses.
  void AskHub(FleetClient& hub, const FleetFilterWords& filter);
  // "node1", or "node1 (id 4f1c09aa)" where another host has the name; every verb takes that id for a HOST.
  std::string Of(const std::string& name, const std::string& id) const;

 private:
  std::map<std::string, std::set<std::string>> ids_{};
};

inline std::string& NameIn(FleetHost& row) { return row.name; }
template <class Row>
std::string& NameIn(Row& row) {
  return row.host;
}

// The rows for a person: a host that shares its name has its id behind it.
template <class Row>
std::vector<Row> ForPeople(const Context& context, FleetClient& hub, std::vector<Row> rows) {
  if (context.format().object != nullptr) return rows;
  HostNames names;
  for (Row& row : rows) names.Add(NameIn(row), row.host_id);
  names.AskHub(hub);
  for (Row& row : rows) NameIn(row) = names.Of(NameIn(row), row.host_id);
  return rows;
}

}  // namespace rdmaready
