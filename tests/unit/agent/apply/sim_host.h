// SPDX-License-Identifier: Apache-2.0
// A host of settings alone, with drivers that misbehave as real ones do.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/apply/foreign.h"
#include "agent/apply/host_writer.h"
#include "agent/apply/setting_values.h"
#include "api/model/plan.h"
#include "api/model/setting.h"

namespace rdmaready {

// What a test throws where a process would be killed.
struct Killed {};

class SimHost final : public HostWriter {
 public:
  using Values = std::map<SettingObject, std::string>;

  explicit SimHost(Values begin) : values(std::move(begin)) {}

  absl::Status Write(const SettingObject& object, std::string_view from, std::string_view to,
                     const std::function<absl::Status(const OwnWrite&)>& will_write) override {
    asked.emplace_back(TextOf(object) + ": " + std::string(from) + " -> " + std::string(to));
    const OwnWrite own{.port_id = 77, .sequence = ++sequence};
    if (const absl::Status kept = will_write(own); !kept.ok()) return kept;
    Point();
    if (on_request) on_request(object);
    if (refuses.contains(object)) return absl::UnimplementedError("set it: Operation not supported");
    if (!deaf.contains(object)) {
      values[object] = std::string(to);
      ++writes;
    }
    if (effect) effect(object);
    Point();
    return absl::OkStatus();
  }

  std::vector<Setting> Settings() {
    Point();
    std::vector<Setting> settings;
    for (const auto& [object, value] : values) {
      if (unreadable.contains(object) || gone.contains(object.where)) continue;
      settings.push_back({object, zeros.contains(object) ? std::string(zeros.at(object)) : value});
    }
    return settings;
  }

  SettingValues Some(const std::vector<SettingObject>& objects) {
    SettingValues some;
    for (const SettingObject& object : objects) some.emplace(object, absl::NotFoundError("No such device"));
    for (const Setting& setting : Settings())
      if (const auto found = some.find(setting.object); found != some.end()) found->second = setting.value;
    return some;
  }

  absl::StatusOr<std::uint64_t> Device(const SettingObject& object) const {
    if (gone.contains(object.where)) return absl::NotFoundError("No such device");
    const auto found = devices.find(object.where);
    return found == devices.end() ? 1 : found->second;
  }

  void Point() {
    if (point) point();
  }

  Values values;
  std::set<SettingObject> refuses{};
  std::set<SettingObject> deaf{};  // says yes and does nothing
  std::set<SettingObject> unreadable{};
  std::map<SettingObject, std::string> zeros{};            // reads as this, whatever it is
  std::set<std::string> gone{};                            // devices
  std::map<std::string, std::uint64_t> devices{};          // their numbers; else 1
  std::map<std::string, std::string> identities{};         // of their hardware; else not known
  std::function<void(const SettingObject&)> on_request{};  // before the driver says anything
  std::function<void(const SettingObject&)> effect{};      // after a write that the driver took, or said so
  std::function<void()> point{};                           // at everything that is seen from outside
  std::vector<std::string> asked{};                        // Write, in order
  int writes = 0;                                          // that took effect
  std::uint32_t sequence = 0;
};

class SimForeign final : public ForeignWatch {
 public:
  void Begin() override { heard.reset(); }
  void Only(std::set<std::string> netdevs) override { only = std::move(netdevs); }
  void Own(const OwnWrite& write) override { own.push_back(write); }
  std::optional<std::string> Foreign() override { return heard; }

  std::optional<std::string> heard{};
  std::set<std::string> only{};
  std::vector<OwnWrite> own{};
};

inline SettingObject On(SettingKind kind, std::string where = "dcb0", std::string name = "") {
  return {kind, std::move(where), std::move(name)};
}

inline const SettingObject kEts = On(SettingKind::kEts);
inline const SettingObject kPfc = On(SettingKind::kPfc);
// The step of PFC in the workshop's plan.
inline constexpr std::size_t kPfcStep = 3;

inline std::string EtsText(std::uint8_t third, std::uint8_t first) {
  EtsSetting ets;
  ets.tsa[0] = ets.tsa[3] = Tsa::kEts;
  ets.tx_percent[0] = first;
  ets.tx_percent[3] = third;
  return Text(ets);
}

// Two ports and the host itself, before anybody configured RDMA.
inline SimHost::Values PlainHost() {
  SimHost::Values values;
  for (const std::string port : {"dcb0", "dcb1"}) {
    values[On(SettingKind::kPause, port)] = "autoneg off rx on tx on";
    values[On(SettingKind::kDcbx, port)] = Text(Dcbx{.host = true, .ieee = true});
    values[On(SettingKind::kMtu, port)] = "1500";
    values[On(SettingKind::kEts, port)] = EtsText(0, 100);
    values[On(SettingKind::kPfc, port)] = "off delay 0";
    values[On(SettingKind::kBuffer, port)] = Text(BufferSetting{});
    values[On(SettingKind::kMaxRate, port)] = "0,0,0,0,0,0,0,0";
    values[On(SettingKind::kApp, port)] = "empty";
    values[On(SettingKind::kTrust, port)] = "pcp";
  }
  values[On(SettingKind::kSysctl, "", "net.ipv4.conf.all.arp_ignore")] = "0";
  values[On(SettingKind::kSysctl, "", "net.ipv4.conf.all.arp_announce")] = "0";
  values[On(SettingKind::kCmMode, "rxe0/1")] = "IB/RoCE v1";
  values[On(SettingKind::kCmTos, "rxe0/1")] = "0";
  return values;
}

// Ten settings, in the order of writing.
inline std::vector<Setting> WantedOfDcb0() {
  return {{On(SettingKind::kPause), "autoneg off rx off tx off"},
          {On(SettingKind::kMtu), "9000"},
          {On(SettingKind::kEts), EtsText(60, 40)},
          {On(SettingKind::kPfc), "on 3 delay 0"},
          {On(SettingKind::kMaxRate), "0,0,0,1000000,0,0,0,0"},
          {On(SettingKind::kApp), "dscp:26:3"},
          {On(SettingKind::kTrust), "dscp"},
          {On(SettingKind::kSysctl, "", "net.ipv4.conf.all.arp_ignore"), "1"},
          {On(SettingKind::kCmMode, "rxe0/1"), "RoCE v2"},
          {On(SettingKind::kCmTos, "rxe0/1"), "106"}};
}

inline SimHost::Values With(SimHost::Values values, const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) values[setting.object] = setting.value;
  return values;
}

}  // namespace rdmaready
