// SPDX-License-Identifier: Apache-2.0
// SwitchPlan: what a profile means for a switch, before it is said in one vendor's words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/model/profile.h"
#include "cli/switch/side.h"

namespace rdmaready {

// Jumbo frames with all their headers. [MS] Reference-TOR-QOS-Policy-Configuration.md of
// Azure/AzureLocal-Supportability sets 9216 in every class; it is Cumulus Linux's default, and SONiC takes it.
inline constexpr std::uint32_t kSwitchMtuBytes = 9216;

enum class Purpose { kRdma, kHeartbeat, kCnp, kDefault, kOther };

struct SwitchClass {
  Purpose purpose = Purpose::kOther;
  std::uint8_t queue = 0;  // the priority that gives it its number: RDMA's, else the lowest
  std::vector<std::uint8_t> priorities{};
  std::optional<std::uint8_t> percent{};  // absent: strict, or nobody asks for a share
  bool strict = false;
};

struct SwitchPlan {
  std::string profile_name{};
  std::uint32_t mtu_bytes = 0;  // 0: not asked for
  bool by_pcp = false;
  bool by_dscp = false;
  std::vector<std::pair<std::uint8_t, std::uint8_t>> dscp_to_priority{};
  std::vector<std::uint8_t> lossless{};
  bool no_pfc = false;                 // the profile wants PFC off
  std::vector<SwitchClass> classes{};  // by queue; one for all when there is no RDMA priority
  bool shares = false;                 // the classes have shares
  std::optional<std::uint8_t> heartbeat_percent_up_to_10g{};
  std::optional<std::uint8_t> ecn_queue{};  // where marking is wanted
  Profile::Ecn ecn{};
};

SwitchPlan MakeSwitchPlan(const Profile& profile);

// The class of a priority. Every priority is in one.
const SwitchClass& ClassOf(const SwitchPlan& plan, std::uint8_t priority);

// "RDMA", "CNP", ...; any other class has its queue's number: "Q5".
std::string ClassName(const SwitchClass& one);

// One vendor's text, written line by line. `comment` begins a comment line of its language.
class SwitchText {
 public:
  explicit SwitchText(std::string comment) : comment_(std::move(comment)) {}

  void Add(const std::string& line) { body_ += line + "\n"; }
  void Remark(const std::string& text) { body_ += comment_ + " " + text + "\n"; }

  // Returns the name, to be put into a line; it is listed once.
  std::string Ask(const std::string& name, const std::string& meaning);

  // The head (what it is made for, the placeholders) and the lines.
  SwitchSide Finish(const SwitchPlan& plan, const std::string& system) &&;

 private:
  std::string comment_;
  std::string body_{};
  std::vector<Placeholder> placeholders_{};
};

SwitchSide CumulusSide(const SwitchPlan& plan);
SwitchSide NxosSide(const SwitchPlan& plan);
SwitchSide SonicSide(const SwitchPlan& plan);

}  // namespace rdmaready
