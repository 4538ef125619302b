// SPDX-License-Identifier: Apache-2.0
#include "checks/roce/own_marks.h"

#include <algorithm>
#include <array>

#include "checks/words/port_driver.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {

Fact<std::vector<OwnMark>> OwnMarksOf(const PortView& view, unsigned wanted) {
  // A mark that overrides all programs comes first.
  const Fact<std::uint64_t> of_nic = DscpOfNic(view.port);
  if (of_nic)
    return std::vector<OwnMark>{{static_cast<std::uint8_t>(*of_nic << 2U),
                                 Cat("the NIC marks RoCE with DSCP ", *of_nic, " by itself")}};
  if (!NotOffered(of_nic)) return of_nic.missing();
  const Fact<std::uint8_t>& forced = view.port.verbs_traffic_class;
  if (!forced && !NotOffered(forced)) return forced.missing();
  if (forced && *forced != 0) return std::vector<OwnMark>{{*forced, Cat("every connection has ToS ", *forced)}};
  const Fact<std::vector<ConsumerMarking>>& markings = view.host.markings;
  if (!markings && !NotOffered(markings)) return markings.missing();
  std::vector<OwnMark> marks;
  for (const ConsumerMarking& marking : markings ? *markings : std::vector<ConsumerMarking>{}) {
    if (marking.consumer != MarkingConsumer::kNccl || !marking.tos) continue;
    marks.push_back(
        {*marking.tos,
         Cat("NCCL marks ToS ", *marking.tos, " (DSCP ", *marking.tos >> 2, ") by ", marking.source),
         marking.source});
  }
  if (!marks.empty()) return marks;
  const Fact<std::uint8_t>& tos = view.port.cm_default_tos;
  if (tos && unsigned{*tos} >> 2U == wanted >> 2U)
    return std::vector<OwnMark>{{*tos, Cat("RDMA-CM default ToS ", *tos)}};
  return Missing{.kind = Missing::Kind::kUnsupported,
                 .detail = "no configuration here marks RDMA's traffic; a job may, by NCCL_IB_TC"};
}

Fact<std::uint64_t> DscpOfNic(const Port& port) {
  const Missing none{.kind = Missing::Kind::kUnsupported, .detail = "the NIC marks nothing by itself"};
  const Fact<CongestionControl>& control = port.congestion;
  if (!control) {
    const bool perhaps = !NotOffered(control) && port.netdev && port.netdev->driver == "bnxt_en";
    return perhaps ? control.missing() : none;
  }
  if (!control->source.starts_with("/sys/kernel/config/bnxt_re/")) return none;
  const auto found = std::ranges::find(control->parameters, "roce_dscp", &CongestionParameter::name);
  return found == control->parameters.end() ? Fact<std::uint64_t>(none) : found->value;
}

std::optional<std::uint8_t> EctOfNic(const Port& port) {
  if (!DscpOfNic(port)) return std::nullopt;
  const auto found = std::ranges::find(port.congestion->parameters, "ecn_marking", &CongestionParameter::name);
  if (found == port.congestion->parameters.end()) return std::nullopt;
  return static_cast<std::uint8_t>(found->value & 3U);
}

Fact<std::string> EctOfDriver(const Facts& host, const Port& port) {
  // mlx5: mlx5_set_path of qp.c hands on traffic_class >> 2, and create_ib_ah of ah.c sets MLX5_ECN_ENABLED.
  // ionic: ionic_build_hdr of ionic_controlpath.c passes it through ionic_set_ecn for each connection.
  constexpr std::array<std::string_view, 2> kDrivers{"mlx5_core", "ionic"};
  if (port.software && *port.software) return std::string();
  const Fact<std::string> driver = DriverOf(host, port);
  if (NotOffered(driver)) return std::string();
  if (!driver) return driver;
  if (std::ranges::find(kDrivers, *driver) == kDrivers.end()) return std::string();
  return Cat(*driver, " takes the DSCP alone, and sets the ECN bits of RoCE v2 by itself");
}

}  // namespace rdmaready
