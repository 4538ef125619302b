// SPDX-License-Identifier: Apache-2.0
// How single facts are written for people. Pure; names that come from a host are not made printable here.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/model/facts.h"

namespace rdmaready {

// "a, b"; "none" for an empty list.
std::string ListWords(const std::vector<std::string>& words);

std::string MissingText(const Missing& missing);  // "(denied: without CAP_NET_ADMIN)"
std::string EtsText(const Ets& ets);
std::string PfcFactText(const Pfc& pfc);
std::string AppText(const std::vector<AppEntry>& entries);
std::string TrustText(const std::vector<AppSelector>& order);
std::string DcbxText(const Dcbx& dcbx);
std::string BufferText(const PortBuffer& buffer);  // "256 KiB: 0:128 KiB 1:128 KiB, priority to buffer 0:0 ..."
std::string ThresholdsText(const PauseThresholds& thresholds);  // "buffer 1 from 180 KiB, until 170 KiB"
std::string NicTrustText(AppSelector trust);                    // "DSCP"
std::string DscpMapText(const DscpMap& map);                    // "0-7:0 8-15:1 16-63:2"
std::string MaxRatesText(const MaxRatesKbps& rates);            // "3:1 Gb/s", "no limits"

std::string AddressesText(const std::vector<IpAddress>& addresses);
std::string EgressText(const std::vector<VlanPriority>& map);  // "4:3"; "empty"
std::string DriverText(const DriverInfo& info);
std::string PauseText(const Pause& pause);
std::string StormTimeoutText(std::uint16_t timeout_ms);
std::string DuplexText(Duplex duplex);
std::string UpperText(const UpperNetdev& upper);  // "bond0.5: vlan 5 over bond0, up, ..."

std::string LldpTimeText(const LldpHeard& heard);  // "1 heard in 35 s", "nobody in 35 s"
std::string LldpadText(const LldpHeard& kept);     // "hears leaf1 port Ethernet1/1, ...", "hears nobody"
std::string LldpAgentText(
    const LldpNeighbour& agent);  // "leaf1 port Ethernet1/1, ..., DCBX IEEE, PFC on 3, ..."

std::string GidText(const Gid& gid);            // the raw 16 bytes in the kernel's notation, type and netdev
std::string GuidText(std::uint64_t node_guid);  // "5054:00ff:fe00:0001"
std::string PciText(const PciFunction& pci);
std::string PciPathText(const std::vector<PciHop>& path);  // "8 GT/s x8 of 16 GT/s x16 at 0000:3b:00.0; ..."
std::string CountersText(const std::vector<Counter>& counters);  // how many, and those that are not 0
std::string ResourcesText(const RdmaResources& resources);

std::string LimitsText(const DeviceLimits& limits);
std::string ListenersText(
    const std::vector<RdmaListener>& listeners);  // "ksmbd on 445, process 42 on 7471"; "nobody"

// "cifs loaded with RDMA, ksmbd installed, siw absent"; what is not known of one is said.
std::string ModulesText(const std::vector<KernelModule>& modules);
std::string OptionsText(const std::vector<KernelOption>& options);  // "CONFIG_CIFS=m CONFIG_SMB_SERVER=n"
std::string KsmbdText(const KsmbdConfig& config);
std::string TcpPortsText(const std::vector<std::uint16_t>& ports);  // "22 445"; "none"

// render_text_facts_link_words.cc
std::string Ipv4Text(const Ipv4Settings& settings);
std::string LinkModesText(const LinkModes& modes);
std::string FecText(const Fec& fec);
std::string PauseFramesText(const PauseFrames& frames);
std::string PkeysText(const std::vector<std::uint16_t>& keys);  // "0xffff 0x7fff"; "none"
std::string IbLinkText(const IbLink& link);  // "4X of 4X, 53.125 Gb/s a lane of 53.125, MTU 4096 of 4096"
std::string EeeText(const Eee& eee);
std::string RingsText(const Rings& rings);
std::string ChannelsText(const Channels& channels);
std::string PrivateFlagsText(const std::vector<PrivateFlag>& flags);
std::string TemperaturesText(const std::vector<Temperature>& temperatures);
std::string SubnetText(const Subnet& subnet);  // "10.0.0.1/24 on dcb0; to 10.0.0.2 by dcb0"
std::string NeighboursText(const std::vector<Neighbour>& neighbours);
std::string InterruptsText(const Interrupts& interrupts);
std::string OpenFilesText(const OpenFiles& files);  // "1024, at most 524288"

// render_text_facts_nic_words.cc
std::string CeeSettingsText(const CeeSettings& cee);  // "PFC on 3, priority to group 0:0 ..., percent 0:50 ..."
std::string MqprioText(const Mqprio& mqprio);
std::string StatisticsText(const std::vector<NicStatistic>& statistics);  // how many, and those that are not 0
std::string VersionsText(const std::vector<FirmwareVersion>& versions);   // "fw 16.35.3006 (stored 16.35.4030)"
std::string DevlinkParametersText(const std::vector<DevlinkParameter>& parameters);
std::string HealthText(const std::vector<HealthReporter>& reporters);  // "fw healthy, tx in an error, ..."
std::string CongestionText(const CongestionControl& control);
std::string PciHopSettingsText(const PciHop& hop);  // ", payload 256 B, read request 512 B"; what is known
// render_text_facts_host.cc: label and value of what is known of the host beside RDMA; nothing of what is not.
std::vector<std::pair<std::string, std::string>> HostSettingLines(const Facts& facts);

std::string MemlockText(const Memlock& memlock);
std::string TosText(std::uint8_t tos);  // "106 (DSCP 26)"

}  // namespace rdmaready
