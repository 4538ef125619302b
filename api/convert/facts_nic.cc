// SPDX-License-Identifier: Apache-2.0
#include "api/convert/fact.h"
#include "api/convert/facts_parts.h"

namespace rdmaready::convert {
namespace {

void PutStatistic(const NicStatistic& from, v1::NicStatistic* to) {
  to->set_counter(static_cast<v1::NicCounter>(from.counter));
  if (from.priority) to->set_priority(*from.priority);
  to->set_name(from.name);
  to->set_value(from.value);
}

NicStatistic GetStatistic(const v1::NicStatistic& from) {
  NicStatistic to{.counter = Enumerator(from.counter(), NicCounter::kLast)};
  if (from.has_priority()) to.priority = Narrow<std::uint8_t>(from.priority());
  to.name = from.name();
  to.value = from.value();
  return to;
}

void PutVersions(const std::vector<FirmwareVersion>& from, v1::FirmwareVersions* to) {
  PutList(from, to->mutable_versions(), [](const FirmwareVersion& version, v1::FirmwareVersion* out) {
    out->set_name(version.name);
    out->set_running(version.running);
    out->set_stored(version.stored);
    out->set_fixed(version.fixed);
  });
}

Fact<std::vector<FirmwareVersion>> GetVersions(const v1::FirmwareVersions& from) {
  return GetList<FirmwareVersion>(from.versions(), [](const v1::FirmwareVersion& version) {
    return FirmwareVersion{version.name(), version.running(), version.stored(), version.fixed()};
  });
}

void PutParameters(const std::vector<DevlinkParameter>& from, v1::DevlinkParameters* to) {
  PutList(from, to->mutable_parameters(), [](const DevlinkParameter& parameter, v1::DevlinkParameter* out) {
    out->set_name(parameter.name);
    out->set_runtime(parameter.runtime);
    out->set_driverinit(parameter.driverinit);
    out->set_permanent(parameter.permanent);
  });
}

Fact<std::vector<DevlinkParameter>> GetParameters(const v1::DevlinkParameters& from) {
  return GetList<DevlinkParameter>(from.parameters(), [](const v1::DevlinkParameter& parameter) {
    return DevlinkParameter{parameter.name(), parameter.runtime(), parameter.driverinit(),
                            parameter.permanent()};
  });
}

void PutHealth(const std::vector<HealthReporter>& from, v1::HealthReporters* to) {
  PutList(from, to->mutable_reporters(), [](const HealthReporter& reporter, v1::HealthReporter* out) {
    out->set_name(reporter.name);
    out->set_healthy(reporter.healthy);
    out->set_errors(reporter.errors);
    out->set_recovered(reporter.recovered);
  });
}

Fact<std::vector<HealthReporter>> GetHealth(const v1::HealthReporters& from) {
  return GetList<HealthReporter>(from.reporters(), [](const v1::HealthReporter& reporter) {
    return HealthReporter{reporter.name(), reporter.healthy(), reporter.errors(), reporter.recovered()};
  });
}

}  // namespace

void PutStatistics(const std::vector<NicStatistic>& from, v1::NicStatistics* to) {
  PutList(from, to->mutable_statistics(), PutStatistic);
}

Fact<std::vector<NicStatistic>> GetStatistics(const v1::NicStatistics& from) {
  return GetList<NicStatistic>(from.statistics(), GetStatistic);
}

void PutMqprio(const Mqprio& from, v1::Mqprio* to) {
  to->set_traffic_classes(from.traffic_classes);
  PutArray(from.priority_class, to->mutable_priority_class(), [](std::uint8_t v) { return std::uint32_t{v}; });
  to->set_offloaded(from.offloaded);
}

Fact<Mqprio> GetMqprio(const v1::Mqprio& from) {
  Mqprio to{.traffic_classes = Narrow<std::uint8_t>(from.traffic_classes())};
  to.offloaded = from.offloaded();
  if (!GetArray(from.priority_class(), &to.priority_class, Narrow<std::uint8_t>)) {
    return OutOfRange("mqprio's map is not of length 16");
  }
  return to;
}

void PutDevlink(const Devlink& from, v1::Devlink* to) {
  Put(from.versions, to->mutable_versions(), PutVersions);
  Put(from.parameters, to->mutable_parameters(), PutParameters);
  Put(from.health, to->mutable_health(), PutHealth);
  Put(from.eswitch_mode, to->mutable_eswitch_mode());
}

Devlink GetDevlink(const v1::Devlink& from) {
  Devlink to;
  to.versions = Get<std::vector<FirmwareVersion>>(from.versions(), GetVersions);
  to.parameters = Get<std::vector<DevlinkParameter>>(from.parameters(), GetParameters);
  to.health = Get<std::vector<HealthReporter>>(from.health(), GetHealth);
  to.eswitch_mode = Get<std::string>(from.eswitch_mode());
  return to;
}

void PutCongestion(const CongestionControl& from, v1::CongestionControl* to) {
  to->set_source(from.source);
  if (from.notifies) to->set_notifies(*from.notifies);
  if (from.slows_down) to->set_slows_down(*from.slows_down);
  if (from.cnp_dscp) to->set_cnp_dscp(*from.cnp_dscp);
  if (from.cnp_priority) to->set_cnp_priority(*from.cnp_priority);
  PutList(from.parameters, to->mutable_parameters(),
          [](const CongestionParameter& parameter, v1::CongestionParameter* out) {
            out->set_name(parameter.name);
            out->set_value(parameter.value);
          });
}

Fact<CongestionControl> GetCongestion(const v1::CongestionControl& from) {
  CongestionControl to{.source = from.source()};
  if (from.has_notifies()) to.notifies = Narrow<std::uint8_t>(from.notifies());
  if (from.has_slows_down()) to.slows_down = Narrow<std::uint8_t>(from.slows_down());
  if (from.has_cnp_dscp()) to.cnp_dscp = Narrow<std::uint8_t>(from.cnp_dscp());
  if (from.has_cnp_priority()) to.cnp_priority = Narrow<std::uint8_t>(from.cnp_priority());
  to.parameters = GetList<CongestionParameter>(from.parameters(), [](const v1::CongestionParameter& parameter) {
    return CongestionParameter{parameter.name(), parameter.value()};
  });
  return to;
}

}  // namespace rdmaready::convert
