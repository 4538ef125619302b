// SPDX-License-Identifier: Apache-2.0
#include "api/model/fields.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <typeinfo>

#include "api/model/baseline.h"
#include "api/model/facts.h"
#include "api/model/history.h"
#include "api/model/peer_message.h"
#include "api/model/probe.h"
#include "api/model/profile.h"
#include "api/model/remembered.h"

namespace rdmaready {
namespace {

template <class T>
constexpr bool kMayLack = false;
template <class T>
constexpr bool kMayLack<Fact<T>> = true;
template <class T>
constexpr bool kMayLack<std::optional<T>> = true;

// Initialises any member; a Fact or an optional would take it in two ways and gets one of its own.
struct Plain {
  template <class T>
  requires(!kMayLack<T>) operator T() const;
};
struct Lacking {
  template <class T>
  requires kMayLack<T>
  operator T() const;
};

// How many members the aggregate has: with how many values it can be initialised.
template <class T, class... Given>
constexpr std::size_t MembersOf() {
  if constexpr (requires { T{Given{}..., Plain{}}; }) {
    return MembersOf<T, Given..., Plain>();
  } else if constexpr (requires { T{Given{}..., Lacking{}}; }) {
    return MembersOf<T, Given..., Lacking>();
  } else {
    return sizeof...(Given);
  }
}

// Fields that share a member, or have none: of a neighbour's dialects, a result's marking, a message's endpoint
// and memory. A profile's four members of ETS are a message of their own.
template <class T>
constexpr int kMoreFields = 0;
template <>
constexpr int kMoreFields<LldpNeighbour> = 2;
template <>
constexpr int kMoreFields<TransferResult> = 2;
template <>
constexpr int kMoreFields<PeerMessage> = 8;
template <>
constexpr int kMoreFields<Profile> = -4;

struct Three {
  std::string text{};
  Fact<std::vector<int>> fact{};
  std::optional<LldpEts> tlv{};
};
static_assert(MembersOf<Three>() == 3);

// Goes through the structs as TypeOf does, at compile time.
class Walk {
 public:
  template <class T>
  static void Into() {
    if constexpr (requires { typename T::value_type; } && !std::is_same_v<T, std::string>) {
      Into<typename T::value_type>();
    } else if constexpr (std::is_class_v<T> && !std::is_same_v<T, std::string>) {
      if (!Seen().insert(typeid(T).name()).second) return;
      T prototype{};
      Walk list;
      prototype.Fields(list);
      const int members = static_cast<int>(MembersOf<T>());
      EXPECT_EQ(static_cast<int>(list.names_.size()), members + kMoreFields<T>) << typeid(T).name();
      EXPECT_EQ(list.names_.size(), list.fields_) << typeid(T).name() << " lists a field twice";
    }
  }

  static std::set<std::string>& Seen() {
    static std::set<std::string> seen;
    return seen;
  }

  void operator()(const auto&... pairs) {
    kindless_ = true;
    Add(pairs...);
  }
  void Setting(const auto&... pairs) { Add(pairs...); }
  void State(const auto&... pairs) { Add(pairs...); }
  void Passing(const auto&... pairs) { Add(pairs...); }
  void Reading(const auto&... pairs) { Add(pairs...); }

  inline static bool kindless_ = false;  // any list had fields of no kind

 private:
  template <class T>
  void Add(std::string_view name, const T&, const auto&... rest) {
    names_.emplace(name);
    ++fields_;
    Into<T>();
    if constexpr (sizeof...(rest) > 0) Add(rest...);
  }

  std::set<std::string> names_{};
  std::size_t fields_ = 0;
};

TEST(Fields, NameEveryMemberOfEveryStruct) {
  Walk::Into<Facts>();
  EXPECT_GE(Walk::Seen().size(), 80u);
  EXPECT_FALSE(Walk::kindless_) << "a field of a fact is a setting, a state, a passing one or a reading";
  Walk::Into<PeerMessage>();
  Walk::Into<ProbeResult>();
  Walk::Into<RunRecord>();
  Walk::Into<TransferRecord>();
  Walk::Into<StoreEvent>();
  Walk::Into<CaseBaseline>();
  Walk::Into<Remembered>();
  Walk::Into<Profile>();
  EXPECT_GE(Walk::Seen().size(), 110u);
}

TEST(Fields, StandWhereTheMemberIs) {
  Facts facts;
  facts.uptime_s = std::uint64_t{42};
  facts.hostname = "a";
  std::size_t found = 0;
  for (const FieldInfo& field : TypeOf<Facts>().fields()) {
    const void* member = MemberOf(&facts, field);
    if (field.name == "hostname") {
      EXPECT_EQ(member, &facts.hostname);
      EXPECT_EQ(field.kind, FieldKind::kSetting);
      ++found;
    }
    if (field.name == "uptime_s") {
      EXPECT_EQ(field.type->element->load(field.type->At(member, 0)), 42u);
      EXPECT_EQ(field.kind, FieldKind::kReading);
      ++found;
    }
  }
  EXPECT_EQ(found, 2u);
}

TEST(Fields, TakeNoNumberThatDoesNotFit) {
  std::uint8_t octet = 7;
  std::int32_t degree = -3;
  const TypeInfo* octets = nullptr;
  const TypeInfo* nodes = nullptr;
  for (const FieldInfo& field : TypeOf<Port>().fields()) {
    if (field.name == "phys_state") octets = field.type->element;
    if (field.name != "pci") continue;
    for (const FieldInfo& part : field.type->element->fields()) {
      if (part.name == "numa_node") nodes = part.type->element;
    }
  }
  ASSERT_TRUE(octets != nullptr && nodes != nullptr);
  EXPECT_FALSE(octets->store(256, &octet));
  EXPECT_EQ(octet, 7);
  EXPECT_TRUE(octets->store(255, &octet));
  EXPECT_EQ(octet, 255);
  EXPECT_FALSE(nodes->store(std::uint64_t{1} << 31, &degree));
  EXPECT_EQ(degree, -3);
  EXPECT_TRUE(nodes->store(static_cast<std::uint64_t>(std::int64_t{-1}), &degree));
  EXPECT_EQ(degree, -1);
  EXPECT_EQ(nodes->load(&degree), ~std::uint64_t{0});
}

TEST(SetAllMissing, ReachesTheFactsOfStructsThatAreMembers) {
  const Missing why{Missing::Kind::kDenied, "no"};
  Port port;
  port.device = "rxe0";
  port.software = true;
  SetAllMissing(port, why);
  EXPECT_EQ(port.device, "rxe0");
  EXPECT_EQ(port.software, Fact<bool>(why));
  EXPECT_EQ(port.devlink.health, Fact<std::vector<HealthReporter>>(why));
  EXPECT_EQ(port.ib.lid, Fact<std::uint16_t>(why));
  Dcb dcb;
  SetAllMissing(dcb, why);
  EXPECT_EQ(dcb.thresholds, Fact<PauseThresholds>(why));
  EXPECT_EQ(dcb.peer.ets, Fact<Ets>(why));
}

}  // namespace
}  // namespace rdmaready
