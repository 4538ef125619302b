// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/fix.h"

#include <algorithm>
#include <type_traits>

#include "checks/plan/stages.h"
#include "checks/setting/table.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kRemark = "  # ";

// "dcb pfc set ...", and what is said of it behind the "#".
struct FixParts {
  std::string commands{};
  std::string remark{};

  void Add(std::string_view text) {
    const std::size_t remark_begin = text.find(kRemark);
    commands += Cat(commands.empty() ? "" : "; ", text.substr(0, remark_begin));
    if (remark_begin == std::string_view::npos) return;
    const std::string_view more = text.substr(remark_begin + kRemark.size());
    if (remark.find(more) == std::string::npos) remark += Cat(remark.empty() ? "" : "; ", more);
  }

  std::string Text() const { return remark.empty() ? commands : Cat(commands, kRemark, remark); }
};

bool Serves(SettingKind kind, std::string_view check) {
  const auto& serves = RowOf(kind).serves;
  return std::ranges::find(serves, check) != serves.end();
}

// Of a port's settings each is an object of its own: those that the check is about. Of an Ethernet port's the
// object is one, with all that is wrong with it.
Faults OnlyOf(std::string_view check, const Faults& faults, bool one_object) {
  if (one_object) return faults;
  const Fault* fault = faults.Find(check);
  return fault == nullptr ? Faults() : Faults({*fault});
}

template <class View>
std::string MadeFix(std::string_view check, const View& view, const std::string& own) {
  FixParts made;
  for (const Stage& stage : Stages()) {
    const auto* make = std::get_if<MakeWishes<View>>(&stage.wishes);
    if (make == nullptr || !Serves(stage.kind, check)) continue;
    const Faults faults = FaultsOf(stage.kind, view);
    if (!faults.Has(check)) continue;
    constexpr bool kOneObject = std::is_same_v<View, EthernetView>;
    for (const Wish& wish : (*make)(view, OnlyOf(check, faults, kOneObject))) {
      if (!wish.refusal.empty()) return own;
      if (!wish.unknown.empty() || !wish.needs.empty()) continue;
      const std::string from = ValueOf(view.host, wish.object);
      if (from.empty() || from == wish.value) continue;
      made.Add(FixText(PlaceOf(view.host, wish.object), from, wish.value));
    }
  }
  FixParts now;
  now.Add(own);
  return made.commands.empty() || made.commands == now.commands ? own : made.Text();
}

}  // namespace

std::string FixOf(std::string_view check, const EthernetView& view, const std::string& own) {
  return MadeFix(check, view, own);
}
std::string FixOf(std::string_view check, const PortView& view, const std::string& own) {
  return MadeFix(check, view, own);
}

}  // namespace rdmaready
