// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/ethtool_link.h"

#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "api/base/status.h"
#include "collectors/nic/ethtool_family.h"
#include "collectors/nic/temperatures.h"

namespace rdmaready {
namespace {

Missing NotOffered(std::string detail) { return {Missing::Kind::kUnsupported, std::move(detail)}; }

template <class T>
Fact<T> LinkFactFrom(const absl::StatusOr<T>& value) {
  if (!value.ok()) return MissingFrom(value.status());
  return *value;
}
template <class T>
Fact<T> LinkFactFrom(Fact<T> value) {
  return value;
}

// The names of a bit set; none where it is not there.
absl::StatusOr<BitSet> BitsOf(const Attributes& answer, int type) {
  const auto nest = answer.Find(type);
  if (!nest) return BitSet();
  return DecodeBitSet(*nest, "link modes");
}

absl::StatusOr<std::uint32_t> OptionalU32(const Attributes& answer, int type) {
  if (!answer.Find(type)) return std::uint32_t{0};
  return answer.U32(type);
}

// Several numbers that need not be there; 0 then.
absl::Status Numbers(const Attributes& answer, std::initializer_list<std::pair<int, std::uint32_t*>> wanted) {
  for (const auto& [type, value] : wanted) {
    RR_ASSIGN_OR_RETURN(*value, OptionalU32(answer, type));
  }
  return absl::OkStatus();
}

// Numbers of linux/ethtool.h, enum ethtool_link_mode_bit_indices.
std::string FecName(std::uint32_t bit) {
  switch (bit) {
    case ETHTOOL_LINK_MODE_FEC_NONE_BIT:
      return "None";
    case ETHTOOL_LINK_MODE_FEC_RS_BIT:
      return "RS";
    case ETHTOOL_LINK_MODE_FEC_BASER_BIT:
      return "BASER";
    case ETHTOOL_LINK_MODE_FEC_LLRS_BIT:
      return "LLRS";
    default:
      return fmt::format("mode {}", bit);
  }
}

// An array of u64: all lanes together, then each. Empty where the driver does not count.
absl::StatusOr<std::optional<std::uint64_t>> FirstOf(const Attributes& stats, int type) {
  const auto raw = stats.Find(type);
  if (!raw || raw->empty()) return std::nullopt;
  std::uint64_t total = 0;
  if (raw->size() % sizeof total != 0) return Malformed("FEC statistics", "an array of another size");
  std::memcpy(&total, raw->data(), sizeof total);
  return total;
}

// The statistic `type` of one group's answer.
Fact<std::uint64_t> StandardCounter(const Attributes& answer, std::uint32_t group, int type) {
  for (const Attributes::Attribute& one : answer.all()) {
    if (one.type != ETHTOOL_A_STATS_GRP) continue;
    const absl::StatusOr<Attributes> rows = Attributes::Parse(one.value, "statistics");
    if (!rows.ok()) return MissingFrom(rows.status());
    const absl::StatusOr<std::uint32_t> id = rows->U32(ETHTOOL_A_STATS_GRP_ID);
    if (!id.ok()) return MissingFrom(id.status());
    if (*id != group) continue;
    for (const Attributes::Attribute& row : rows->all()) {
      if (row.type != ETHTOOL_A_STATS_GRP_STAT) continue;
      const absl::StatusOr<Attributes> stat = Attributes::Parse(row.value, "statistic");
      if (!stat.ok()) return MissingFrom(stat.status());
      if (stat->Find(type)) return LinkFactFrom(stat->U64(type));
    }
  }
  return NotOffered("the driver does not count it");
}

class LinkAsker {
 public:
  LinkAsker(HostReader& host, const absl::StatusOr<std::uint16_t>& family, std::uint32_t ifindex)
      : host_(host), family_(family), ifindex_(ifindex) {}

  // The decoded answer to a question; `without` is what it means that the driver lacks the function.
  template <class T, class Decode>
  Fact<T> Ask(std::uint8_t command, int header, const char* without, Decode decode, bool statistics = false,
              const Payload& extra = {}) {
    if (!family_.ok()) return MissingFrom(family_.status());
    const absl::StatusOr<EthtoolAnswer> answer = EthtoolAnswer::Ask(
        host_, *family_, command, header, ifindex_, statistics, extra, "ethtool netlink answer");
    if (answer.ok()) return LinkFactFrom(decode(answer->attributes()));
    Missing why = MissingFrom(answer.status());
    if (why.kind == Missing::Kind::kUnsupported) why.detail = without;
    return why;
  }

 private:
  HostReader& host_;
  const absl::StatusOr<std::uint16_t>& family_;
  std::uint32_t ifindex_;
};

// Which groups of counters: by number, none of the others.
Payload GroupsWanted() {
  Payload bits;
  for (const std::uint32_t group : {ETHTOOL_STATS_ETH_PHY, ETHTOOL_STATS_ETH_MAC}) {
    bits.Nest(ETHTOOL_A_BITSET_BITS_BIT, Payload().U32(ETHTOOL_A_BITSET_BIT_INDEX, group));
  }
  Payload set;
  set.Bytes(ETHTOOL_A_BITSET_NOMASK, {}).Nest(ETHTOOL_A_BITSET_BITS, bits);
  return Payload().Nest(ETHTOOL_A_STATS_GROUPS, set);
}

void ReadCounters(LinkAsker& asker, EthernetLink& link) {
  const Fact<StandardCounters> counters = asker.Ask<StandardCounters>(
      ETHTOOL_MSG_STATS_GET, ETHTOOL_A_STATS_HEADER, "the driver has no standard counters",
      [](const Attributes& answer) { return Fact<StandardCounters>(DecodeStandardCounters(answer)); }, false,
      GroupsWanted());
  link.fcs_errors = counters ? counters->fcs_errors : counters.missing();
  link.symbol_errors = counters ? counters->symbol_errors : counters.missing();
}

}  // namespace

absl::StatusOr<LinkModes> DecodeLinkModes(const Attributes& answer) {
  LinkModes modes;
  if (answer.Find(ETHTOOL_A_LINKMODES_AUTONEG)) {
    RR_ASSIGN_OR_RETURN(const std::uint8_t autoneg, answer.U8(ETHTOOL_A_LINKMODES_AUTONEG));
    modes.autoneg = autoneg != 0;
  }
  RR_ASSIGN_OR_RETURN(BitSet ours, BitsOf(answer, ETHTOOL_A_LINKMODES_OURS));
  modes.supported = std::move(ours.all);
  modes.advertised = std::move(ours.set);
  RR_ASSIGN_OR_RETURN(BitSet peer, BitsOf(answer, ETHTOOL_A_LINKMODES_PEER));
  modes.peer = std::move(peer.set);
  RR_RETURN_IF_ERROR(Numbers(answer, {{ETHTOOL_A_LINKMODES_LANES, &modes.lanes}}));
  return modes;
}

absl::StatusOr<Fec> DecodeFec(const Attributes& answer) {
  Fec fec;
  RR_ASSIGN_OR_RETURN(BitSet configured, BitsOf(answer, ETHTOOL_A_FEC_MODES));
  fec.configured = std::move(configured.set);
  if (answer.Find(ETHTOOL_A_FEC_AUTO)) {
    RR_ASSIGN_OR_RETURN(const std::uint8_t automatic, answer.U8(ETHTOOL_A_FEC_AUTO));
    fec.automatic = automatic != 0;
  }
  if (answer.Find(ETHTOOL_A_FEC_ACTIVE)) {
    RR_ASSIGN_OR_RETURN(const std::uint32_t active, answer.U32(ETHTOOL_A_FEC_ACTIVE));
    fec.active = FecName(active);
  }
  const auto nest = answer.Find(ETHTOOL_A_FEC_STATS);
  if (!nest) return fec;
  RR_ASSIGN_OR_RETURN(const Attributes stats, Attributes::Parse(*nest, "FEC statistics"));
  for (const auto& [type, value] : {std::pair{ETHTOOL_A_FEC_STAT_CORRECTED, &fec.corrected_blocks},
                                    std::pair{ETHTOOL_A_FEC_STAT_UNCORR, &fec.uncorrectable_blocks}}) {
    RR_ASSIGN_OR_RETURN(*value, FirstOf(stats, type));
  }
  return fec;
}

Fact<PauseFrames> DecodePauseFrames(const Attributes& answer) {
  const auto nest = answer.Find(ETHTOOL_A_PAUSE_STATS);
  if (!nest) return NotOffered("the driver does not count pause frames");
  const absl::StatusOr<Attributes> stats = Attributes::Parse(*nest, "pause statistics");
  if (!stats.ok()) return MissingFrom(stats.status());
  const bool both = stats->Find(ETHTOOL_A_PAUSE_STAT_TX_FRAMES) && stats->Find(ETHTOOL_A_PAUSE_STAT_RX_FRAMES);
  if (!both) return NotOffered("the driver does not count pause frames");
  const absl::StatusOr<std::uint64_t> sent = stats->U64(ETHTOOL_A_PAUSE_STAT_TX_FRAMES);
  if (!sent.ok()) return MissingFrom(sent.status());
  const absl::StatusOr<std::uint64_t> received = stats->U64(ETHTOOL_A_PAUSE_STAT_RX_FRAMES);
  if (!received.ok()) return MissingFrom(received.status());
  return PauseFrames{.sent = *sent, .received = *received};
}

absl::StatusOr<Eee> DecodeEee(const Attributes& answer) {
  RR_ASSIGN_OR_RETURN(const std::uint8_t enabled, answer.U8(ETHTOOL_A_EEE_ENABLED));
  RR_ASSIGN_OR_RETURN(const std::uint8_t active, answer.U8(ETHTOOL_A_EEE_ACTIVE));
  return Eee{.enabled = enabled != 0, .active = active != 0};
}

absl::StatusOr<Rings> DecodeRings(const Attributes& answer) {
  Rings rings;
  RR_RETURN_IF_ERROR(Numbers(answer, {{ETHTOOL_A_RINGS_RX, &rings.rx},
                                      {ETHTOOL_A_RINGS_RX_MAX, &rings.rx_max},
                                      {ETHTOOL_A_RINGS_TX, &rings.tx},
                                      {ETHTOOL_A_RINGS_TX_MAX, &rings.tx_max}}));
  return rings;
}

absl::StatusOr<Channels> DecodeChannels(const Attributes& answer) {
  Channels channels;
  RR_RETURN_IF_ERROR(Numbers(answer, {{ETHTOOL_A_CHANNELS_RX_COUNT, &channels.rx},
                                      {ETHTOOL_A_CHANNELS_TX_COUNT, &channels.tx},
                                      {ETHTOOL_A_CHANNELS_COMBINED_COUNT, &channels.combined},
                                      {ETHTOOL_A_CHANNELS_COMBINED_MAX, &channels.combined_max}}));
  return channels;
}

absl::StatusOr<std::vector<PrivateFlag>> DecodePrivateFlags(const Attributes& answer) {
  const auto nest = answer.Find(ETHTOOL_A_PRIVFLAGS_FLAGS);
  if (!nest) return Malformed("private flags", "no flags in it");
  RR_ASSIGN_OR_RETURN(const BitSet bits, DecodeBitSet(*nest, "private flags"));
  std::vector<PrivateFlag> flags;
  for (const std::string& name : bits.all) {
    flags.push_back({name, std::ranges::find(bits.set, name) != bits.set.end()});
  }
  return flags;
}

Fact<DownReason> DecodeDownReason(const Attributes& answer) {
  if (!answer.Find(ETHTOOL_A_LINKSTATE_EXT_STATE)) {
    return NotOffered("the link is up, or the driver gives no reason");
  }
  const absl::StatusOr<std::uint8_t> state = answer.U8(ETHTOOL_A_LINKSTATE_EXT_STATE);
  if (!state.ok()) return MissingFrom(state.status());
  DownReason reason{.state = *state};
  if (answer.Find(ETHTOOL_A_LINKSTATE_EXT_SUBSTATE)) {
    const absl::StatusOr<std::uint8_t> substate = answer.U8(ETHTOOL_A_LINKSTATE_EXT_SUBSTATE);
    if (!substate.ok()) return MissingFrom(substate.status());
    reason.substate = *substate;
  }
  return reason;
}

StandardCounters DecodeStandardCounters(const Attributes& answer) {
  return {.fcs_errors = StandardCounter(answer, ETHTOOL_STATS_ETH_MAC, ETHTOOL_A_STATS_ETH_MAC_6_FCS_ERR),
          .symbol_errors = StandardCounter(answer, ETHTOOL_STATS_ETH_PHY, ETHTOOL_A_STATS_ETH_PHY_5_SYM_ERR)};
}

EthernetLink ReadEthernetLink(HostReader& host, const absl::StatusOr<std::uint16_t>& family,
                              std::uint32_t ifindex, const std::string& sysfs) {
  LinkAsker asker(host, family, ifindex);
  EthernetLink link;
  link.modes = asker.Ask<LinkModes>(ETHTOOL_MSG_LINKMODES_GET, ETHTOOL_A_LINKMODES_HEADER,
                                    "the driver has no link modes", DecodeLinkModes);
  link.fec =
      asker.Ask<Fec>(ETHTOOL_MSG_FEC_GET, ETHTOOL_A_FEC_HEADER, "the driver has no FEC", DecodeFec, true);
  link.pause_frames = asker.Ask<PauseFrames>(ETHTOOL_MSG_PAUSE_GET, ETHTOOL_A_PAUSE_HEADER,
                                             "the driver does not count pause frames", DecodePauseFrames, true);
  link.eee = asker.Ask<Eee>(ETHTOOL_MSG_EEE_GET, ETHTOOL_A_EEE_HEADER, "the driver has no EEE", DecodeEee);
  link.rings =
      asker.Ask<Rings>(ETHTOOL_MSG_RINGS_GET, ETHTOOL_A_RINGS_HEADER, "the driver has no rings", DecodeRings);
  link.channels = asker.Ask<Channels>(ETHTOOL_MSG_CHANNELS_GET, ETHTOOL_A_CHANNELS_HEADER,
                                      "the driver has no channels", DecodeChannels);
  link.private_flags =
      asker.Ask<std::vector<PrivateFlag>>(ETHTOOL_MSG_PRIVFLAGS_GET, ETHTOOL_A_PRIVFLAGS_HEADER,
                                          "the driver has no private flags", DecodePrivateFlags);
  link.down_reason = asker.Ask<DownReason>(ETHTOOL_MSG_LINKSTATE_GET, ETHTOOL_A_LINKSTATE_HEADER,
                                           "the driver does not tell the state of the link", DecodeDownReason);
  ReadCounters(asker, link);
  link.temperatures = sysfs.empty() ? Missing{Missing::Kind::kFailed, "/sys shows another interface"}
                                    : ReadTemperatures(host, sysfs);
  return link;
}

}  // namespace rdmaready
