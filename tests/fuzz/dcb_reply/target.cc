// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/target.h"

#include <linux/dcbnl.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "agent/apply/real/dcb_messages.h"
#include "agent/apply/real/devlink_write.h"
#include "agent/apply/real/netlink_answer.h"

namespace rdmaready {
namespace {

constexpr std::string_view kWhat = "set PFC on dcb0";
constexpr std::uint32_t kSequence = 9;

// What must hold of every answer, whatever the bytes were.
void Demand(bool holds) {
  if (!holds) std::abort();
}

std::vector<std::uint8_t> Octets(std::uint8_t decoder, std::span<const std::byte> bytes) {
  std::vector<std::uint8_t> octets{decoder};
  std::ranges::transform(bytes, std::back_inserter(octets),
                         [](std::byte one) { return std::to_integer<std::uint8_t>(one); });
  return octets;
}

void Datagrams(std::span<const std::byte> bytes) {
  // As one datagram, and as two: what is cut must not be taken for a whole answer.
  NetlinkAnswer answer;
  AddDatagram(bytes, kSequence, answer);
  NetlinkAnswer halves;
  AddDatagram(bytes.first(bytes.size() / 2), kSequence, halves);
  AddDatagram(bytes.subspan(bytes.size() / 2), kSequence, halves);
  for (const NetlinkAnswer& one : {answer, halves}) {
    Demand(one.error_number >= 0 && one.error_number <= 4095 && one.messages.size() <= 256);
    Demand(one.done || one.error_number == 0);
    Demand(one.words.size() <= 200 &&
           std::ranges::all_of(one.words, [](char letter) { return letter >= ' ' && letter <= '~'; }));
  }
}

// Read, changed and sent again: what is no part of the setting is what was read.
void Settings(const std::vector<NetlinkMessage>& answer) {
  if (const auto ets = EtsIn(answer, kWhat); ets.ok()) {
    const ieee_ets changed = Changed(*ets, EtsSetting{});
    Demand(changed.ets_cap == ets->ets_cap && changed.cbs == ets->cbs &&
           std::ranges::equal(changed.tc_rx_bw, ets->tc_rx_bw) &&
           std::ranges::equal(changed.reco_prio_tc, ets->reco_prio_tc));
  }
  if (const auto pfc = PfcIn(answer, kWhat); pfc.ok()) {
    const ieee_pfc changed = Changed(*pfc, PfcSetting{});
    Demand(changed.pfc_cap == pfc->pfc_cap && changed.mbc == pfc->mbc && changed.pfc_en == 0);
  }
  if (const auto buffer = BufferIn(answer, kWhat); buffer.ok())
    Demand(Changed(*buffer, BufferSetting{}).total_size == buffer->total_size);
  static_cast<void>(OctetIn(answer, DCB_ATTR_IEEE, kWhat));
  static_cast<void>(OctetIn(answer, DCB_ATTR_DCBX, kWhat));
  static_cast<void>(ModeIn(answer, kWhat));
}

// struct nlmsghdr, struct dcbmsg, then what is given.
std::vector<std::byte> Reply(const Payload& attributes) {
  dcbmsg header{};
  Payload payload = Payload::Of(header);
  payload.Join(attributes);
  return payload.bytes();
}

}  // namespace

std::vector<std::vector<std::uint8_t>> FuzzSeeds() {
  Payload ieee;
  ieee.Join(EtsAttribute({})).Join(PfcAttribute({})).Join(BufferAttribute({})).Join(AppAttribute({}));
  Payload settings;
  settings.Nest(DCB_ATTR_IEEE, ieee);
  Payload octet;
  octet.Bytes(DCB_ATTR_IEEE, std::as_bytes(std::span("\xa1", 1)));
  const std::vector<std::byte> reply = DatagramOf({0, 79, false, Reply(octet)}, kSequence);
  std::vector<std::byte> error = DatagramOf({0, 2, false, std::vector<std::byte>(20)}, kSequence);
  std::vector<std::byte> both = reply;
  both.insert(both.end(), error.begin(), error.end());
  return {Octets(0, both), Octets(1, Reply(settings)), Octets(1, Reply(octet)), Octets(2, Reply(settings))};
}

}  // namespace rdmaready

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rdmaready;
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
  const NetlinkMessage message{79, {bytes.begin(), bytes.end()}};
  if (data[0] % 3 == 0) Datagrams(bytes);
  if (data[0] % 3 == 1) Settings({message});
  if (data[0] % 3 == 2) static_cast<void>(ParameterTypeIn(message));
  return 0;
}
