// SPDX-License-Identifier: Apache-2.0
// Commands of `dcb`. It reads what is there and changes what it is told to, so that a command names what
// differs.
#include "checks/setting/dcb_commands.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "checks/dcb/dcb_driver.h"
#include "checks/dcb/max_rate.h"
#include "checks/setting/buffer_effects.h"
#include "checks/setting/driver_rules.h"
#include "checks/words/names.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr auto kNumber = [](auto value) { return std::to_string(value); };

// "all:0 3:50": the value of most entries first, then the exceptions.
template <class Value, class ToText>
std::string MapWords(const std::array<Value, kPriorities>& values, ToText text) {
  const Value most = *std::ranges::max_element(
      values, {}, [&values](Value value) { return std::ranges::count(values, value); });
  std::string words = "all:" + text(most);
  for (std::size_t i = 0; i < kPriorities; ++i) {
    if (values[i] != most) words += Cat(" ", i, ":", text(values[i]));
  }
  return words;
}

std::string DcbCommand(std::string_view verb, const SettingPlace& place) {
  return Cat("dcb ", verb, " dev ", ShellWord(place.object.where));
}

// "tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:50 3:50 prio-tc all:0 3:3", as `dcb ets set` takes it.
std::string EtsArguments(const EtsSetting& wanted) {
  return Cat("tc-tsa ", MapWords(wanted.tsa, [](Tsa one) { return std::string(Name(one)); }), " tc-bw ",
             MapWords(SharesToWrite(wanted), kNumber), " prio-tc ", MapWords(wanted.prio_tc, kNumber));
}

// mlx5 has no bit for its firmware: that is mode 0, in which the host's is missing (mlx5e_dcbnl_setdcbx).
bool GivesDcbxAway(const SettingPlace& place, const Dcbx& to) {
  return HasDriver(place.netdev, "mlx5_core") && !to.host;
}

}  // namespace

// ---- DCBX ----

// mlx5 takes a mode without the host for mode 0 only, and keeps the dialects: they are set first.
Commands DcbxCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!IsChange(place, from, to)) return {};
  const std::string set = DcbCommand("dcbx set", place);
  if (!GivesDcbxAway(place, *DcbxOf(to)))
    return {to == "none" ? "# `dcb` cannot write mode 0" : Cat(set, " ", to)};
  Dcbx with_host = *DcbxOf(to);
  with_host.host = true;
  Commands commands;
  if (Text(with_host) != from && to != "none") commands.push_back(Cat(set, " ", Text(with_host)));
  commands.push_back(Cat("mlnx_qos -i ", ShellWord(place.object.where), " -d fw"));
  return commands;
}

std::string DcbxNote(const SettingPlace& place, std::string_view /*from*/, std::string_view to) {
  const std::optional<Dcbx> wanted = DcbxOf(to);
  return wanted && GivesDcbxAway(place, *wanted) ? "of mlnx-tools: `dcb` cannot write mode 0" : "";
}

// ---- ETS, PFC, buffers, rates ----

Commands EtsCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!IsChange(place, from, to)) return {};
  EtsSetting old = *EtsSettingOf(from);
  const EtsSetting wanted = *EtsSettingOf(to);
  std::string command = DcbCommand("ets set", place);
  if (old.willing != wanted.willing) command += wanted.willing ? " willing on" : " willing off";
  old.willing = wanted.willing;
  // Drivers take classes and shares only as a whole.
  if (old != wanted) command += Cat(" ", EtsArguments(wanted));
  return {command};
}

Commands PfcCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!IsChange(place, from, to)) return {};
  const PfcSetting old = *PfcSettingOf(from);
  const PfcSetting wanted = *PfcSettingOf(to);
  std::string command = DcbCommand("pfc set", place);
  if (old.enabled != wanted.enabled) {
    command += " prio-pfc all:off";
    for (const std::uint8_t priority : PrioritiesOf(wanted.enabled)) command += Cat(" ", priority, ":on");
  }
  if (old.delay != wanted.delay) command += Cat(" delay ", wanted.delay);
  return {command};
}

Commands BufferCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!IsChange(place, from, to)) return {};
  const BufferSetting old = *BufferSettingOf(from);
  const BufferSetting wanted = *BufferSettingOf(to);
  const std::string map = Cat(" prio-buffer ", MapWords(wanted.prio_buffer, kNumber));
  const std::string sizes = Cat(" buffer-size ", MapWords(wanted.size_bytes, kNumber));
  const std::string set = DcbCommand("buffer set", place);
  if (old.prio_buffer == wanted.prio_buffer) return {set + sizes};
  if (old.size_bytes == wanted.size_bytes) return {set + map};
  const bool mlx5 = place.netdev != nullptr && DcbDriverOf(*place.netdev) == DcbDriver::kMlx5;
  if (!mlx5) return {set + map + sizes};
  if (BufferOrderOf(*place.netdev, old, wanted) == BufferOrder::kMapFirst) return {set + map, set + sizes};
  return {set + sizes, set + map};
}

Commands MaxRateCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!IsChange(place, from, to)) return {};
  const MaxRatesKbps old = *MaxRatesOf(from);
  const MaxRatesKbps wanted = *MaxRatesOf(to);
  std::vector<std::pair<std::size_t, std::uint64_t>> limits;
  for (std::size_t tc = 0; tc < kPriorities; ++tc) {
    if (old[tc] != wanted[tc]) limits.emplace_back(tc, wanted[tc]);
  }
  return {Cat(DcbCommand("maxrate set", place), " tc-maxrate ", MaxRateWords(limits))};
}

std::string MaxRateNote(const SettingPlace& place, std::string_view from, std::string_view to) {
  const Commands commands = MaxRateCommands(place, from, to);
  if (commands.empty() || commands.front().find("dcb -V") == std::string::npos) return {};
  return "up to iproute2 6.17 `dcb` counts bytes where the kernel counts kbit";
}

// ---- trust ----

Commands TrustCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!IsChange(place, from, to)) return {};
  if (to == "nothing") return {"# `dcb` cannot write an empty order"};
  return {Cat(DcbCommand("apptrust set", place), " order ", to)};
}

std::string TrustNote(const SettingPlace& /*place*/, std::string_view /*from*/, std::string_view to) {
  return to == "nothing" ? "" : "needs iproute2 6.2 or newer";
}

}  // namespace rdmaready
