// SPDX-License-Identifier: Apache-2.0
// The only place where the lists of fields are instantiated: code that walks fields does so at run time.
#include "api/model/fields.h"

#include <limits>
#include <string>
#include <tuple>
#include <type_traits>

#include "api/model/baseline.h"
#include "api/model/change.h"
#include "api/model/facts.h"
#include "api/model/fleet.h"
#include "api/model/fleet_past.h"
#include "api/model/history.h"
#include "api/model/peer_message.h"
#include "api/model/probe.h"
#include "api/model/profile.h"
#include "api/model/report.h"

namespace rdmaready {
namespace {

using Form = TypeInfo::Form;

// Constants: nothing is made when the process starts.
template <class T>
struct Described {
  static const TypeInfo kType;
};

// What a struct hands its fields to: finds out where in `prototype` each stands.
class FieldList {
 public:
  explicit FieldList(const void* prototype) : prototype_(static_cast<const std::byte*>(prototype)) {}

  void operator()(const auto&... pairs) { Add(FieldKind::kNone, pairs...); }
  void Setting(const auto&... pairs) { Add(FieldKind::kSetting, pairs...); }
  void State(const auto&... pairs) { Add(FieldKind::kState, pairs...); }
  void Passing(const auto&... pairs) { Add(FieldKind::kPassing, pairs...); }
  void Reading(const auto&... pairs) { Add(FieldKind::kReading, pairs...); }

  std::vector<FieldInfo> Take() { return std::move(fields_); }

 private:
  template <class T>
  void Add(FieldKind kind, std::string_view name, const T& member, const auto&... rest) {
    Push(kind, name, &member, Described<T>::kType);
    if constexpr (sizeof...(rest) > 0) Add(kind, rest...);
  }

  void Push(FieldKind kind, std::string_view name, const void* member, const TypeInfo& type);

  const std::byte* prototype_;
  std::vector<FieldInfo> fields_{};
};

void FieldList::Push(FieldKind kind, std::string_view name, const void* member, const TypeInfo& type) {
  const auto offset = static_cast<const std::byte*>(member) - prototype_;
  fields_.push_back({name, kind, static_cast<std::size_t>(offset), &type});
}

template <class T>
std::uint64_t Load(const void* from) {
  return static_cast<std::uint64_t>(*static_cast<const T*>(from));
}

template <class T>
bool Store(std::uint64_t number, void* to) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_signed_v<T>) {
    const auto value = static_cast<std::int64_t>(number);
    if (value < Limits::min() || value > Limits::max()) return false;
  } else if (number > Limits::max()) {
    return false;
  }
  *static_cast<T*>(to) = static_cast<T>(number);
  return true;
}

template <class T>
constexpr TypeInfo NumberType(Form form) {
  return {.form = form, .is_signed = std::is_signed_v<T>, .load = Load<T>, .store = Store<T>};
}

template <class T>
constexpr bool kIsFact = requires(const T& value) {
  value.missing();
};
template <class T>
constexpr bool kIsArray = requires {
  std::tuple_size<T>::value;
};
template <class T>
constexpr bool kIsList = requires(T& value) {
  value.resize(1);
};
template <class T>
constexpr bool kIsContainer = requires {
  typename T::value_type;
};

template <class T>
std::size_t Size(const void* container) {
  const T& value = *static_cast<const T*>(container);
  if constexpr (kIsArray<T> || kIsList<T>) {
    return value.size();
  } else {
    return value ? 1 : 0;
  }
}

template <class T>
void Resize(void* container, std::size_t size) {
  T& value = *static_cast<T*>(container);
  if constexpr (kIsList<T>) {
    value.resize(size);
  } else if constexpr (kIsFact<T>) {
    if (size > 0) value.Emplace();
  } else if constexpr (!kIsArray<T>) {
    size > 0 ? static_cast<void>(value.emplace(typename T::value_type{})) : value.reset();
  }
}

template <class T>
void* ElementAt(void* container, std::size_t index) {
  T& value = *static_cast<T*>(container);
  if constexpr (kIsArray<T> || kIsList<T>) {
    return &value[index];
  } else {
    return const_cast<typename T::value_type*>(&*value);  // a Fact shows its value as const only
  }
}

template <class T>
constexpr TypeInfo ContainerType() {
  TypeInfo type{.form = kIsFact<T>    ? Form::kFact
                        : kIsArray<T> ? Form::kArray
                        : kIsList<T>  ? Form::kList
                                      : Form::kOptional,
                .element = &Described<typename T::value_type>::kType,
                .size = Size<T>,
                .resize = Resize<T>,
                .at = ElementAt<T>};
  if constexpr (kIsFact<T>) {
    type.gap = [](const void* fact) -> const Missing& { return static_cast<const T*>(fact)->missing(); };
    type.set_gap = [](void* fact, const Missing& why) { *static_cast<T*>(fact) = why; };
  }
  return type;
}

template <class T>
const std::vector<FieldInfo>& FieldsOf() {
  static const std::vector<FieldInfo> kFields = [] {
    T prototype{};
    FieldList list(&prototype);
    prototype.Fields(list);
    return list.Take();
  }();
  return kFields;
}

template <class T>
constexpr TypeInfo MakeType() {
  if constexpr (std::is_same_v<T, std::string>) {
    return {.form = Form::kText};
  } else if constexpr (std::is_same_v<T, bool>) {
    return NumberType<T>(Form::kBool);
  } else if constexpr (std::is_integral_v<T>) {
    return NumberType<T>(Form::kNumber);
  } else if constexpr (std::is_enum_v<T>) {
    return NumberType<std::underlying_type_t<T>>(Form::kEnum);
  } else if constexpr (kIsContainer<T>) {
    return ContainerType<T>();
  } else {
    return {.form = Form::kStruct, .fields = FieldsOf<T>};
  }
}

template <class T>
constinit const TypeInfo Described<T>::kType = MakeType<T>();

}  // namespace

template <class T>
const TypeInfo& TypeOf() {
  return Described<T>::kType;
}

template const TypeInfo& TypeOf<Facts>();
template const TypeInfo& TypeOf<Port>();
template const TypeInfo& TypeOf<Netdev>();
template const TypeInfo& TypeOf<UpperNetdev>();
template const TypeInfo& TypeOf<Dcb>();
template const TypeInfo& TypeOf<HostReport>();
template const TypeInfo& TypeOf<Finding>();
template const TypeInfo& TypeOf<TransferResult>();
template const TypeInfo& TypeOf<Failure>();
template const TypeInfo& TypeOf<PeerMessage>();
template const TypeInfo& TypeOf<ProbeResult>();
template const TypeInfo& TypeOf<ProbeAnswers>();
template const TypeInfo& TypeOf<RunRecord>();
template const TypeInfo& TypeOf<TransferRecord>();
template const TypeInfo& TypeOf<StoreEvent>();
template const TypeInfo& TypeOf<CaseBaseline>();
template const TypeInfo& TypeOf<Profile>();
template const TypeInfo& TypeOf<Waiver>();
template const TypeInfo& TypeOf<FleetStatus>();
template const TypeInfo& TypeOf<FleetHost>();
template const TypeInfo& TypeOf<FleetFinding>();
template const TypeInfo& TypeOf<FleetChange>();
template const TypeInfo& TypeOf<FleetDifference>();
template const TypeInfo& TypeOf<FleetAuditEntry>();
template const TypeInfo& TypeOf<FleetPastTest>();
template const TypeInfo& TypeOf<UsualValue>();
template const TypeInfo& TypeOf<Plan>();
template const TypeInfo& TypeOf<Change>();
template const TypeInfo& TypeOf<ApplierStatus>();
template const TypeInfo& TypeOf<SettingObject>();
template const TypeInfo& TypeOf<Setting>();
template const TypeInfo& TypeOf<ChangeProof>();

void SetAllMissing(const TypeInfo& type, void* object, const Missing& why) {
  for (const FieldInfo& field : type.fields()) {
    void* member = MemberOf(object, field);
    if (field.type->form == Form::kFact) field.type->set_gap(member, why);
    if (field.type->form == Form::kStruct) SetAllMissing(*field.type, member, why);
  }
}

}  // namespace rdmaready
