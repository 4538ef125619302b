// SPDX-License-Identifier: Apache-2.0
// Wish: what a profile wants of one setting. Every function that makes wishes is pure: a view and what its
// checks say of it in, wishes out. The plan is made of them, and so are the fixes of the checks.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/model/setting.h"
#include "checks/check.h"

namespace rdmaready {

// One of: a value; a value that only a reload brings (`needs`); a refusal; something that is not known.
struct Wish {
  SettingObject object{};
  std::string value{};    // canonical; of a refusal what would be wanted, or words
  std::string needs{};    // "devlink dev reload pci/0000:3b:00.0": the value holds after that, and not before
  std::string refusal{};  // why nothing sets it
  std::string unknown{};  // what had to be known, a sentence
  std::string advice{};   // of a refusal: what a person can do; may be empty
  std::vector<std::string> commands{};  // of `needs`: what a person would type
  // The checks that it mends, of those of its row; empty: all of them.
  std::vector<std::string_view> about{};
};
using Wishes = std::vector<Wish>;

// What a check that a setting could mend says of the place now: it fails, warns or is not known.
struct Fault {
  std::string_view id{};
  Outcome outcome = Outcome::kUnknown;
  std::string observed{};
  std::string fix{};
};

// The faults of one place by the checks of one row of the table.
class Faults {
 public:
  Faults() = default;
  explicit Faults(std::vector<Fault> all) : all_(std::move(all)) {}

  bool Any() const { return !all_.empty(); }
  // Null without it.
  const Fault* Find(std::string_view id) const {
    const auto found = std::ranges::find(all_, id, &Fault::id);
    return found == all_.end() ? nullptr : &*found;
  }
  bool Has(std::string_view id) const { return Find(id) != nullptr; }
  bool HasPrefix(std::string_view prefix) const {
    return std::ranges::any_of(all_, [prefix](const Fault& fault) { return fault.id.starts_with(prefix); });
  }
  // The check says that it is wrong, not only that it cannot tell.
  bool IsWrong(std::string_view id) const {
    const Fault* fault = Find(id);
    return fault != nullptr && fault->outcome != Outcome::kUnknown;
  }
  const std::vector<Fault>& all() const { return all_; }

 private:
  std::vector<Fault> all_{};
};

template <class View>
using MakeWishes = Wishes (*)(const View& view, const Faults& faults);

// The wishes for one kind of settings.
struct Stage {
  SettingKind kind = SettingKind::kUnknown;
  std::variant<MakeWishes<EthernetView>, MakeWishes<PortView>> wishes{};
};

// The files of wishes, each with those of its kinds: see stages.h for the order.
std::vector<Stage> DcbStages();   // of an Ethernet port, but for the APP table
std::vector<Stage> AppStages();   // its APP table
std::vector<Stage> PortStages();  // of an RDMA port

}  // namespace rdmaready
