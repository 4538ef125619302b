// SPDX-License-Identifier: Apache-2.0
// The common forms of wishes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checks/dcb/set_elsewhere.h"
#include "checks/plan/wish.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {

inline Wish Wanted(SettingObject object, std::string value) {
  return {.object = std::move(object), .value = std::move(value)};
}

inline Wish About(Wish wish, std::vector<std::string_view> checks) {
  wish.about = std::move(checks);
  return wish;
}

inline Wish Refused(SettingObject object, std::string wanted, std::string reason, std::string advice = {}) {
  return {.object = std::move(object),
          .value = std::move(wanted),
          .refusal = std::move(reason),
          .advice = std::move(advice)};
}

inline Wish Unknown(SettingObject object, std::string sentence) {
  return {.object = std::move(object), .unknown = std::move(sentence)};
}

// Of an Ethernet port's setting.
inline SettingObject ObjectOf(const EthernetView& view, SettingKind kind, std::string name = {}) {
  return {.kind = kind, .where = view.netdev ? view.netdev->name : std::string(), .name = std::move(name)};
}

// Why there is no value to begin from: the driver has none, or nobody could read it. Only where the fact is
// missing. `what` is a word of the field: "PFC".
template <class T>
Wish WithoutFact(const EthernetView& view, SettingKind kind, const FactRef<T>& fact, std::string_view what) {
  SettingObject object = ObjectOf(view, kind);
  const std::string detail = fact.missing().detail;
  if (!view.netdev)
    return Unknown(std::move(object), Cat("the Ethernet port of ", SubjectOf(view.port), ": ", detail));
  if (!NotOffered(fact))
    return Unknown(std::move(object),
                   Cat(what, " of ", view.netdev->name, ": ", detail.empty() ? "nobody asked" : detail));
  const std::string elsewhere = DcbSetElsewhere(view);
  return Refused(std::move(object), std::string(what),
                 elsewhere.empty()
                     ? Cat("driver ", view.netdev->driver, " has no ", what, " for the host to set")
                     : elsewhere,
                 Cat("ethtool -i ", NetdevWord(view.netdev)));
}

}  // namespace rdmaready
