// SPDX-License-Identifier: Apache-2.0
#include "api/inventory/fleet_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "api/base/status.h"
#include "api/profile/yaml_message.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostFaults = 100;  // more of them tell nobody anything

// Profile and rails, each from the group or from above it.
struct Holds {
  const SaidProfiles* profiles = nullptr;
  const SaidRails* rails = nullptr;
};

template <typename SaidValue>
bool IsSame(const SaidValue* a, const SaidValue* b) {
  return a == b || (a != nullptr && b != nullptr && a->value == b->value);
}

std::string NameOf(const std::string& group) { return group.empty() ? "no group" : "group " + group; }

// The first in place of all others; the rest are counted.
absl::Status FirstOf(std::vector<YamlFault> faults) {
  std::ranges::stable_sort(faults, {}, &YamlFault::line);
  std::string text = faults.front().Line();
  const std::size_t more = faults.size() - 1;
  if (more > 0) text += fmt::format(" (and {} more fault{})", more, more > 1 ? "s" : "");
  return absl::InvalidArgumentError(text);
}

class FleetHosts {
 public:
  explicit FleetHosts(FleetWords words) : words_(std::move(words)) {}

  absl::StatusOr<Inventory> Of(const InventoryPart& part) && {
    LinkParents();
    for (const auto& [name, group] : words_.groups) CheckAbove(name);
    if (!words_.faults.empty()) return FirstOf(std::move(words_.faults));
    for (const auto& [name, group] : words_.groups) holds_.emplace(name, HoldsFor(name));
    for (const bool top : {false, true}) {  // who stands at the top is of no group only where none lists it
      for (const Mention& mention : words_.mentions) {
        if (mention.group.empty() == top) Merge(mention);
      }
    }
    if (!words_.faults.empty()) return FirstOf(std::move(words_.faults));
    std::ranges::sort(hosts_, {}, &Host::first);
    return Choose(part);
  }

 private:
  void Fault(int line, std::string text) {
    words_.faults.push_back({.file = words_.file, .line = line, .text = std::move(text)});
  }

  std::string At(int line) const { return fmt::format("{}:{}", words_.file, line); }

  void LinkParents() {
    for (const auto& [name, group] : words_.groups) {
      for (const auto& [child, line] : group.children) {
        const auto found = words_.groups.find(child);
        if (found != words_.groups.end() && !child.empty()) {
          parents_[child].push_back(name);
          continue;
        }
        if (words_.faults.size() > kMostFaults) return;
        const std::string close = ClosestWord(child, GroupNames());
        Fault(line, fmt::format("group {} in `groups.{}.children` is not in the inventory{}", child, name,
                                close.empty() ? "" : fmt::format(" (did you mean {}?)", close)));
      }
    }
  }

  std::vector<std::string> GroupNames() const {
    std::vector<std::string> names;
    for (const auto& [name, group] : words_.groups) {
      if (!name.empty()) names.push_back(name);
    }
    return names;
  }

  const std::vector<std::string>& ParentsOf(const std::string& name) const {
    static const std::vector<std::string> kNone;
    const auto found = parents_.find(name);
    return found == parents_.end() ? kNone : found->second;
  }

  // Each of them once, the group itself first.
  std::vector<std::string> Above(const std::string& name) const {
    std::vector<std::string> all{name};
    std::set<std::string> seen{name};
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (const std::string& parent : ParentsOf(all[i])) {
        if (seen.insert(parent).second) all.push_back(parent);
      }
    }
    return all;
  }

  // No group is below itself, and two groups above one do not disagree about it.
  void CheckAbove(const std::string& name) {
    const FleetGroup& group = words_.groups.at(name);
    for (const std::string& above : Above(name)) {
      const std::vector<std::string>& parents = ParentsOf(above);
      if (std::ranges::find(parents, name) == parents.end()) continue;
      return Fault(group.line, fmt::format("group {} is below itself, by group {}", name, above));
    }
    CheckOne<SaidProfiles>(name, &FleetGroup::profiles, "profile");
    CheckOne<SaidRails>(name, &FleetGroup::rails, "rails");
  }

  template <typename SaidValue>
  void CheckOne(const std::string& name, SaidValue FleetGroup::*part, std::string_view what) {
    const std::vector<const SaidValue*> said = Nearest(name, part);
    for (const SaidValue* other : said) {
      if (IsSame(said.front(), other)) continue;
      return Fault(words_.groups.at(name).line,
                   fmt::format("group {} has the {} of two groups above it, {} and {}: give it its own", name,
                               what, At(said.front()->line), At(other->line)));
    }
  }

  // What the group says, else what those just above it say, and so on; what the top of the file says comes
  // last.
  template <typename SaidValue>
  std::vector<const SaidValue*> Nearest(const std::string& name, SaidValue FleetGroup::*part) const {
    std::vector<const SaidValue*> found;
    std::vector<std::string> level{name};
    std::set<std::string> seen;
    while (found.empty() && !level.empty()) {
      std::vector<std::string> next;
      for (const std::string& one : level) {
        if (!seen.insert(one).second) continue;
        const FleetGroup& group = words_.groups.at(one);
        if ((group.*part).line != 0) found.push_back(&(group.*part));
        const std::vector<std::string>& parents = ParentsOf(one);
        next.insert(next.end(), parents.begin(), parents.end());
      }
      level = std::move(next);
    }
    const SaidValue& top = words_.groups.at("").*part;
    if (found.empty() && top.line != 0) found.push_back(&top);
    return found;
  }

  Holds HoldsFor(const std::string& name) {
    const auto profiles = Nearest(name, &FleetGroup::profiles);
    const auto rails = Nearest(name, &FleetGroup::rails);
    const Holds holds{profiles.empty() ? nullptr : profiles.front(), rails.empty() ? nullptr : rails.front()};
    if (holds.rails != nullptr && holds.profiles == nullptr) {
      Fault(holds.rails->line, fmt::format("key `rails`: name the profile of {} too: rails divide its ports",
                                           name.empty() ? "these hosts" : "group " + name));
    }
    return holds;
  }

  // A group, or the top of the file, that names a host.
  struct Stand {
    std::string group{};
    bool in_hosts = false;
    bool in_racks = false;
  };

  // What was said of a host before, and by whom.
  struct Host {
    ListedHost listed{};
    std::vector<Stand> stands{};
    const Mention* first = nullptr;
    const Mention* racked = nullptr;  // that gave the rack
  };

  void Merge(const Mention& mention) {
    const auto [place, fresh] = places_.emplace(mention.name, hosts_.size());
    if (fresh) {
      hosts_.push_back({.listed = {.name = mention.name}, .first = &mention});
      if (hosts_.size() == kMostInventoryHosts + 1)
        Fault(mention.line, fmt::format("more than {} hosts", kMostInventoryHosts));
    }
    Host& host = hosts_[place->second];
    host.first = std::min(host.first, &mention);
    auto stand = std::ranges::find(host.stands, mention.group, &Stand::group);
    if (stand == host.stands.end()) {
      if (!mention.group.empty()) CheckAgrees(host, mention);
      stand = host.stands.insert(stand, {.group = mention.group});
    }
    if (mention.rack.empty() ? stand->in_hosts : stand->in_racks && host.listed.rack == mention.rack) {
      return Fault(mention.line, fmt::format("host {} is named twice in {}, first at {}", mention.name,
                                             NameOf(mention.group), At(host.first->line)));
    }
    if (mention.rack.empty()) {
      stand->in_hosts = true;
      return;
    }
    stand->in_racks = true;
    if (host.racked != nullptr && host.listed.rack != mention.rack) {
      return Fault(mention.line, fmt::format("host {} is in rack {} here and in rack {} at {}", mention.name,
                                             mention.rack, host.listed.rack, At(host.racked->line)));
    }
    host.listed.rack = mention.rack;
    host.racked = &mention;
  }

  void CheckAgrees(const Host& host, const Mention& mention) {
    if (host.stands.empty()) return;
    const std::string& other = host.stands.front().group;
    const Holds& before = holds_.at(other);
    const Holds& now = holds_.at(mention.group);
    const auto apart = [&](std::string_view what) {
      Fault(mention.line, fmt::format("host {} is in {} here and in {} at {}, with different {}", mention.name,
                                      NameOf(mention.group), NameOf(other), At(host.first->line), what));
    };
    if (!IsSame(before.profiles, now.profiles)) return apart("profiles");
    if (!IsSame(before.rails, now.rails)) apart("rails");
  }

  std::size_t JudgingOf(const Holds& holds) {
    for (std::size_t i = 0; i < given_.size(); ++i) {
      if (IsSame(given_[i].profiles, holds.profiles) && IsSame(given_[i].rails, holds.rails)) return i;
    }
    given_.push_back(holds);
    InventoryJudging& judging = inventory_.judgings.emplace_back();
    judging.profiles = holds.profiles->value;
    judging.place = At(holds.profiles->line) + ": ";
    if (holds.rails == nullptr) return given_.size() - 1;
    judging.rails = holds.rails->value;
    judging.rails_place = At(holds.rails->line) + ": ";
    return given_.size() - 1;
  }

  static bool Has(const std::vector<std::string>& words, const std::string& word) {
    return std::ranges::find(words, word) != words.end();
  }

  absl::Status CheckAsked(const std::vector<std::string>& asked, const std::vector<std::string>& known,
                          std::string_view what) const {
    for (const std::string& word : asked) {
      if (Has(known, word)) continue;
      return absl::InvalidArgumentError(
          fmt::format("inventory {} has no {} '{}'; there are {}", words_.file, what, word,
                      known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Inventory> Choose(const InventoryPart& part) {
    RR_RETURN_IF_ERROR(CheckAsked(part.groups, GroupNames(), "group"));
    RR_RETURN_IF_ERROR(CheckAsked(part.racks, {words_.racks.begin(), words_.racks.end()}, "rack"));
    std::set<std::string> wanted;
    for (const auto& [name, group] : words_.groups) {
      const std::vector<std::string> above = Above(name);
      const auto asked = [&](const std::string& one) { return Has(part.groups, one); };
      if (part.groups.empty() || std::ranges::any_of(above, asked)) wanted.insert(name);
    }
    for (Host& host : hosts_) {
      const auto home =
          std::ranges::find_if(host.stands, [&](const Stand& one) { return wanted.contains(one.group); });
      if (home == host.stands.end() || (!part.racks.empty() && !Has(part.racks, host.listed.rack))) continue;
      host.listed.group = home->group;
      host.listed.place = At(host.first->line) + ": ";
      const Holds& holds = holds_.at(home->group);
      if (holds.profiles != nullptr) host.listed.judging = JudgingOf(holds);
      inventory_.hosts.push_back(std::move(host.listed));
    }
    return std::move(inventory_);
  }

  FleetWords words_;
  std::map<std::string, std::vector<std::string>> parents_{};
  std::map<std::string, Holds> holds_{};
  std::vector<Host> hosts_{};
  std::map<std::string, std::size_t> places_{};
  std::vector<Holds> given_{};  // those of inventory_.judgings
  Inventory inventory_{};
};

}  // namespace

absl::StatusOr<Inventory> HostsOf(FleetWords words, const InventoryPart& part) {
  return FleetHosts(std::move(words)).Of(part);
}

}  // namespace rdmaready
