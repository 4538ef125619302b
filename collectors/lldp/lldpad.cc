// SPDX-License-Identifier: Apache-2.0
#include "collectors/lldp/lldpad.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/status.h"
#include "collectors/lldp/lldp.h"
#include "collectors/lldp/lldp_links.h"
#include "collectors/lldp/lldpad_messages.h"

namespace rdmaready {
namespace {

constexpr std::chrono::seconds kAllWithin{2};
constexpr const char* kNearestBridge = "01:80:c2:00:00:0e";

std::uint32_t RunsForMs(std::uint64_t started_ms, const Fact<std::uint64_t>& uptime_s) {
  constexpr std::uint64_t kMsPerSecond = 1000;
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (!uptime_s || *uptime_s > kMost) return 0;
  const std::uint64_t now_ms = *uptime_s * kMsPerSecond;
  return static_cast<std::uint32_t>(std::min(now_ms - std::min(now_ms, started_ms), kMost));
}

// With each question lldpad asks the kernel whether the netdev is a VLAN, and the kernel loads 8021q to know.
std::optional<Missing> WouldLoadAModule(HostReader& host) {
  const absl::Status status = host.FileMode("/proc/net/vlan").status();
  if (status.ok()) return std::nullopt;
  if (status.code() != absl::StatusCode::kNotFound) return MissingFrom(status);
  return Missing{Missing::Kind::kNotCollected, "lldpad is not asked: it would have the kernel load 8021q"};
}

class Lldpad {
 public:
  Lldpad(HostReader& host, std::uint32_t runs_for_ms, Clock& clock)
      : host_(host), runs_for_ms_(runs_for_ms), clock_(clock) {}

  // Ports may share a netdev.
  const Fact<LldpHeard>& HeardOn(const std::string& netdev) {
    const auto known = heard_.find(netdev);
    return known != heard_.end() ? known->second : heard_[netdev] = ReadOne(netdev);
  }

 private:
  Fact<LldpHeard> ReadOne(const std::string& netdev) {
    const absl::StatusOr<std::string> answer = Ask(LldpadModeQuestion(netdev));
    if (!answer.ok()) return MissingFrom(answer.status());
    const absl::StatusOr<LldpadMode> mode = DecodeLldpadMode(netdev, *answer);
    if (!mode.ok()) return MissingFrom(mode.status());
    const bool sends = *mode == LldpadMode::kRxTx;
    Fact<LldpHeard> heard = Read(netdev, sends);
    const bool listens = sends || *mode == LldpadMode::kRx;
    if (!heard || listens || !heard->peers.empty()) return heard;
    // The setting is not all: for DCBX it may listen without one. But then silence tells nothing.
    const std::string_view setting = *mode == LldpadMode::kTx ? "tx" : "disabled";
    return Missing{Missing::Kind::kUnsupported,
                   "lldpad has heard nobody on " + netdev + " (adminStatus " + std::string(setting) + ")"};
  }

  // Once it has kept us waiting, it is not asked again.
  absl::StatusOr<std::string> Ask(const std::string& question) {
    if (!stuck_.ok()) return stuck_;
    if (clock_.Now() > until_) {
      stuck_ = ErrnoStatus(ETIMEDOUT, "ask lldpad");
      return stuck_;
    }
    absl::StatusOr<std::string> answer = host_.Ask(LldpadQuestion{question});
    if (answer.status().code() == absl::StatusCode::kDeadlineExceeded) stuck_ = answer.status();
    return answer;
  }

  Fact<LldpHeard> Read(const std::string& netdev, bool sends) {
    LldpHeard heard{.listened_ms = runs_for_ms_};
    absl::Status status = Add(netdev, LldpadTlvs::kNeighbour, heard.peers, heard.notes);
    if (status.ok() && sends) status = Add(netdev, LldpadTlvs::kOwn, heard.own, heard.notes);
    if (!status.ok()) return MissingFrom(status);
    return heard;
  }

  absl::Status Add(const std::string& netdev, LldpadTlvs whose, std::vector<LldpNeighbour>& agents,
                   std::vector<std::string>& notes) {
    RR_ASSIGN_OR_RETURN(const std::string answer, Ask(LldpadTlvsQuestion(netdev, whose)));
    RR_ASSIGN_OR_RETURN(const std::vector<std::byte> unit, DecodeLldpadTlvs(netdev, whose, answer));
    if (unit.empty()) return absl::OkStatus();
    absl::StatusOr<LldpNeighbour> agent = DecodeLldpUnit(unit);
    if (!agent.ok()) {  // lldpad keeps what it could not read either
      notes.push_back(Message(agent.status()));
    } else if (agent->ttl_s == 0) {  // 802.1AB 8.5.4: its sender stops
      notes.push_back(agent->chassis.text + " port " + agent->port.text + " said goodbye");
    } else {
      agent->destination_mac = kNearestBridge;
      agents.push_back(*std::move(agent));
    }
    return absl::OkStatus();
  }

  HostReader& host_;
  const std::uint32_t runs_for_ms_;
  Clock& clock_;
  const Clock::TimePoint until_ = clock_.Now() + kAllWithin;
  absl::Status stuck_{};
  std::map<std::string, Fact<LldpHeard>> heard_{};
};

}  // namespace

void ReadLldpad(HostReader& host, const Fact<std::uint64_t>& started_ms, Facts& facts, Clock& clock) {
  if (!facts.ports) return;
  std::optional<Missing> why_not;
  if (!started_ms) {
    why_not = started_ms.missing();
  } else if (!facts.ports->empty()) {
    why_not = WouldLoadAModule(host);
  }
  Lldpad lldpad(host, started_ms ? RunsForMs(*started_ms, facts.uptime_s) : 0, clock);
  std::vector<Port> ports = *facts.ports;
  EachLink(ports, &Netdev::lldp_agent, [&](Netdev& link) {
    if (why_not) {
      link.lldp_agent = *why_not;
    } else if (!HasLink(link)) {
      link.lldp_agent = Missing{Missing::Kind::kFailed, "no link: nothing can be heard"};
    } else {
      link.lldp_agent = lldpad.HeardOn(link.name);
    }
  });
  facts.ports = std::move(ports);
}

}  // namespace rdmaready
