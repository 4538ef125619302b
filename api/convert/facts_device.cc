// SPDX-License-Identifier: Apache-2.0
#include "api/convert/fact.h"
#include "api/convert/facts_parts.h"

namespace rdmaready::convert {
namespace {

void PutLink(const PciLink& from, v1::PciLink* to) {
  to->set_speed_mtps(from.speed_mtps);
  to->set_width(from.width);
}

PciLink GetLink(const v1::PciLink& from) { return {from.speed_mtps(), from.width()}; }

void PutPath(const std::vector<PciHop>& from, v1::PciPath* to) {
  PutList(from, to->mutable_hops(), [](const PciHop& hop, v1::PciHop* out) {
    out->set_address(hop.address);
    PutLink(hop.current, out->mutable_current());
    PutLink(hop.max, out->mutable_max());
    Put(hop.max_payload_bytes, out->mutable_max_payload_bytes());
    Put(hop.max_read_request_bytes, out->mutable_max_read_request_bytes());
    Put(hop.acs_redirect, out->mutable_acs_redirect());
  });
}

Fact<std::vector<PciHop>> GetPath(const v1::PciPath& from) {
  return GetList<PciHop>(from.hops(), [](const v1::PciHop& hop) {
    return PciHop{.address = hop.address(),
                  .current = GetLink(hop.current()),
                  .max = GetLink(hop.max()),
                  .max_payload_bytes = Get<std::uint32_t>(hop.max_payload_bytes()),
                  .max_read_request_bytes = Get<std::uint32_t>(hop.max_read_request_bytes()),
                  .acs_redirect = Get<bool>(hop.acs_redirect())};
  });
}

void PutInterrupts(const Interrupts& from, v1::Interrupts* to) {
  to->set_count(from.count);
  to->set_local(from.local);
  to->set_cpus(from.cpus);
}

Fact<Interrupts> GetInterrupts(const v1::Interrupts& from) {
  return Interrupts{from.count(), from.local(), from.cpus()};
}

}  // namespace

void PutPci(const PciFunction& from, v1::PciFunction* to) {
  to->set_address(from.address);
  to->set_vendor_id(from.vendor_id);
  to->set_device_id(from.device_id);
  to->set_virtual_function(from.virtual_function);
  Put(from.path, to->mutable_path(), PutPath);
  Put(from.numa_node, to->mutable_numa_node());
  Put(from.aer_fatal, to->mutable_aer_fatal());
  Put(from.aer_nonfatal, to->mutable_aer_nonfatal());
  Put(from.aer_correctable, to->mutable_aer_correctable());
  Put(from.interrupts, to->mutable_interrupts(), PutInterrupts);
  Put(from.iommu_domain, to->mutable_iommu_domain());
}

Fact<PciFunction> GetPci(const v1::PciFunction& from) {
  PciFunction to;
  to.address = from.address();
  to.vendor_id = Narrow<std::uint16_t>(from.vendor_id());
  to.device_id = Narrow<std::uint16_t>(from.device_id());
  to.virtual_function = from.virtual_function();
  to.path = Get<std::vector<PciHop>>(from.path(), GetPath);
  to.numa_node = Get<std::int32_t>(from.numa_node());
  to.aer_fatal = Get<std::uint64_t>(from.aer_fatal());
  to.aer_nonfatal = Get<std::uint64_t>(from.aer_nonfatal());
  to.aer_correctable = Get<std::uint64_t>(from.aer_correctable());
  to.interrupts = Get<Interrupts>(from.interrupts(), GetInterrupts);
  to.iommu_domain = Get<std::string>(from.iommu_domain());
  return to;
}

void PutCounters(const std::vector<Counter>& from, v1::Counters* to) {
  PutList(from, to->mutable_counters(), [](const Counter& counter, v1::Counter* out) {
    out->set_name(counter.name);
    out->set_value(counter.value);
  });
}

Fact<std::vector<Counter>> GetCounters(const v1::Counters& from) {
  return GetList<Counter>(from.counters(), [](const v1::Counter& row) {
    return Counter{row.name(), row.value()};
  });
}

void PutResources(const RdmaResources& from, v1::RdmaResources* to) {
  to->set_qp(from.qp);
  to->set_cq(from.cq);
  to->set_mr(from.mr);
  to->set_pd(from.pd);
  to->set_cm_id(from.cm_id);
  to->set_ctx(from.ctx);
}

Fact<RdmaResources> GetResources(const v1::RdmaResources& from) {
  return RdmaResources{.qp = from.qp(),
                       .cq = from.cq(),
                       .mr = from.mr(),
                       .pd = from.pd(),
                       .cm_id = from.cm_id(),
                       .ctx = from.ctx()};
}

}  // namespace rdmaready::convert
