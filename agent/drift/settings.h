// SPDX-License-Identifier: Apache-2.0
// What the RDMA ports of a host are set to, flat, so that two readings can be compared: the settings of the
// table (checks/setting/table.h) by their names, and every other field of kind Setting (api/model/fields.h) of
// the ports and their netdevs by its path. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/model/facts.h"
#include "api/model/setting.h"

namespace rdmaready::drift {

struct Value {
  std::string text{};
  std::optional<SettingObject> object{};  // of what the table knows

  bool operator==(const Value&) const = default;
};

using Values =
    std::map<std::string, Value>;  // by what: "pfc", "sysctl net.ipv4.conf.dcb0.rp_filter", "link.fec"

// What is not known is not in it.
struct SettingsRead {
  std::map<std::string, Values> of{};  // by where: "dcb0", "rxe0/1", "host"
  // Every port and every netdev of theirs is known: what is not in `of` is not there.
  bool complete = false;
};

SettingsRead ReadSettings(const Facts& facts);

// "gone" and "there" are values of `what` "interface" and "port".
struct Change {
  std::string where{};
  std::string what{};
  std::string from{};
  std::string to{};
  std::optional<SettingObject> object{};

  bool operator==(const Change&) const = default;
};

// "pfc on 3 delay 0 -> on 4 delay 0".
std::string TextOf(const Change& change);

// The last that is known of each setting. What a reading does not know stays as it was, also of a netdev that
// went away and comes back under another ifindex. Bounded: of what is gone the settings of kMostGone netdevs
// and ports are kept.
class KnownSettings {
 public:
  static constexpr std::size_t kMostGone = 64;

  // What the reading shows to be different; nothing by the first one. What comes up for the first time (a
  // netdev that is new, a setting that was not known) is no change of a setting.
  std::vector<Change> Update(SettingsRead read);
  bool empty() const { return known_.empty(); }
  std::size_t size() const { return known_.size(); }

 private:
  void Forget();

  std::map<std::string, Values> known_{};
  std::vector<std::string> gone_{};  // the oldest first
};

}  // namespace rdmaready::drift
