// SPDX-License-Identifier: Apache-2.0
// Commands of `dcb`. It reads what is there and changes what it is told to, so that a command names what
// differs.
#include "checks/setting/dcb_commands.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

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

// " 3:50": what differs.
template <class Value, class ToText>
std::string ChangedWords(const std::array<Value, kPriorities>& from, const std::array<Value, kPriorities>& to,
                         ToText text) {
  std::string words;
  for (std::size_t i = 0; i < kPriorities; ++i) {
    if (from[i] != to[i]) words += Cat(" ", i, ":", text(to[i]));
  }
  return words;
}

std::string DcbCommand(std::string_view verb, const SettingPlace& place) {
  return Cat("dcb ", verb, " dev ", ShellWord(place.object.where));
}

// "tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:50 3:50 prio-tc all:0 3:3", as `dcb ets set` takes it.
std::string EtsArguments(const std::array<Tsa, kPriorities>& tsa,
                         const std::array<std::uint8_t, kPriorities>& tx_percent,
                         const std::array<std::uint8_t, kPriorities>& prio_tc) {
  return Cat("tc-tsa ", MapWords(tsa, [](Tsa one) { return std::string(Name(one)); }), " tc-bw ",
             MapWords(tx_percent, kNumber), " prio-tc ", MapWords(prio_tc, kNumber));
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
  if (old != wanted) command += Cat(" ", EtsArguments(wanted.tsa, wanted.tx_percent, wanted.prio_tc));
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
  std::string command = DcbCommand("buffer set", place);
  if (old.prio_buffer != wanted.prio_buffer)
    command += Cat(" prio-buffer ", MapWords(wanted.prio_buffer, kNumber));
  if (old.size_bytes != wanted.size_bytes)
    command += Cat(" buffer-size ", MapWords(wanted.size_bytes, kNumber));
  return {command};
}

// The `dcb` of iproute2 6.1 to 6.17 writes bytes/s into what the kernel reads as kbit/s.
Commands MaxRateCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!IsChange(place, from, to)) return {};
  const auto text = [](std::uint64_t kbps) { return kbps == 0 ? std::string("0") : Cat(kbps, "bps"); };
  return {Cat(DcbCommand("maxrate set", place), " tc-maxrate",
              ChangedWords(*MaxRatesOf(from), *MaxRatesOf(to), text))};
}

std::string MaxRateNote(const SettingPlace& /*place*/, std::string_view from, std::string_view to) {
  const auto text = [](std::uint64_t kbps) { return kbps == 0 ? std::string("0") : Cat(kbps, "kbit"); };
  const std::optional<MaxRatesKbps> old = MaxRatesOf(from);
  const std::optional<MaxRatesKbps> wanted = MaxRatesOf(to);
  if (!old || !wanted) return {};
  const std::string words = ChangedWords(*old, *wanted, text);
  if (words.find("kbit") == std::string::npos) return {};
  return Cat("up to iproute2 6.17 `dcb` counts bytes where the kernel counts kbit; newer ones:", words);
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
