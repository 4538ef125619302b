// SPDX-License-Identifier: Apache-2.0
// How what the NIC, its firmware and its slot tell is written for people.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "checks/words/words.h"
#include "cli/render/text_facts_words.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostShown = 12;

void Add(std::string& text, const std::string& more) {
  if (!more.empty()) text += (text.empty() ? "" : ", ") + more;
}

template <class Values>
std::string ByIndex(const Values& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{}{}:{}", i == 0 ? "" : " ", i, values[i]);
  return text;
}

// The first few, and how many more.
template <class List, class Write>
std::string Shown(const List& list, Write write) {
  std::string text;
  for (std::size_t i = 0; i < std::min(list.size(), kMostShown); ++i) Add(text, write(list[i]));
  if (list.size() > kMostShown) text += fmt::format(" and {} more", list.size() - kMostShown);
  return text.empty() ? "none" : text;
}

std::string VersionText(const FirmwareVersion& version) {
  std::string text = version.name + " " + (version.running.empty() ? "not running" : version.running);
  if (!version.stored.empty() && version.stored != version.running) text += " (stored " + version.stored + ")";
  return text;
}

std::string ParameterText(const DevlinkParameter& parameter) {
  std::string text = parameter.name;
  const auto add = [&text](const std::string& value, const char* when) {
    if (!value.empty()) text += " " + value + when;
  };
  add(parameter.runtime, "");
  add(parameter.driverinit, " at reload");
  add(parameter.permanent, " at reset");
  return text;
}

std::string ReporterText(const HealthReporter& reporter) {
  if (reporter.healthy && reporter.errors == 0) return reporter.name + " healthy";
  return fmt::format("{} {}, {} errors, {} recovered", reporter.name,
                     reporter.healthy ? "healthy" : "in an error", reporter.errors, reporter.recovered);
}

std::string PrioritiesText(const char* what, std::optional<std::uint8_t> bitmap) {
  if (!bitmap) return "";
  std::string list;
  for (std::size_t priority = 0; priority < kPriorities; ++priority) {
    if (((*bitmap >> priority) & 1U) != 0) list += fmt::format("{}{}", list.empty() ? "" : " ", priority);
  }
  return fmt::format("{} on {}", what, list.empty() ? "none" : list);
}

}  // namespace

std::string CeeSettingsText(const CeeSettings& cee) {
  return fmt::format("{}, priority to group {}, percent {}", PfcText(cee.pfc_enabled), ByIndex(cee.prio_group),
                     ByIndex(cee.group_percent));
}

std::string MqprioText(const Mqprio& mqprio) {
  return fmt::format("{} classes, priority to class {}, {}", mqprio.traffic_classes,
                     ByIndex(mqprio.priority_class), mqprio.offloaded ? "in the NIC" : "in software");
}

std::string StatisticsText(const std::vector<NicStatistic>& statistics) {
  std::vector<NicStatistic> counted;
  std::ranges::copy_if(statistics, std::back_inserter(counted),
                       [](const NicStatistic& one) { return one.value != 0; });
  if (counted.empty()) return fmt::format("{}, all 0", statistics.size());
  return fmt::format("{}, not 0: {}", statistics.size(), Shown(counted, [](const NicStatistic& one) {
                       return fmt::format("{} {}", one.name, one.value);
                     }));
}

std::string VersionsText(const std::vector<FirmwareVersion>& versions) { return Shown(versions, VersionText); }

std::string DevlinkParametersText(const std::vector<DevlinkParameter>& parameters) {
  return Shown(parameters, ParameterText);
}

std::string HealthText(const std::vector<HealthReporter>& reporters) { return Shown(reporters, ReporterText); }

std::string CongestionText(const CongestionControl& control) {
  std::string text;
  Add(text, PrioritiesText("notifies", control.notifies));
  Add(text, PrioritiesText("slows down", control.slows_down));
  if (control.cnp_dscp) Add(text, fmt::format("CNP DSCP {}", *control.cnp_dscp));
  if (control.cnp_priority) Add(text, fmt::format("CNP priority {}", *control.cnp_priority));
  Add(text, fmt::format("{} parameters", control.parameters.size()));
  return text + " (" + control.source + ")";
}

std::string PciHopSettingsText(const PciHop& hop) {
  std::string text;
  if (hop.max_payload_bytes) text += fmt::format(", payload {} B", *hop.max_payload_bytes);
  if (hop.max_read_request_bytes) text += fmt::format(", read request {} B", *hop.max_read_request_bytes);
  if (hop.acs_redirect && *hop.acs_redirect) text += ", ACS redirects";
  return text;
}

}  // namespace rdmaready
