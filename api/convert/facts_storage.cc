// SPDX-License-Identifier: Apache-2.0
#include "api/convert/fact.h"
#include "api/convert/facts_parts.h"

namespace rdmaready::convert {

void PutLimits(const DeviceLimits& from, v1::DeviceLimits* to) {
  to->set_max_qp_wr(from.max_qp_wr);
  to->set_max_cqe(from.max_cqe);
  to->set_max_sge(from.max_sge);
  to->set_max_sge_rd(from.max_sge_rd);
  to->set_max_qp_rd_atom(from.max_qp_rd_atom);
  to->set_max_qp_init_rd_atom(from.max_qp_init_rd_atom);
  to->set_max_qp(from.max_qp);
  to->set_max_mr(from.max_mr);
  to->set_max_mw(from.max_mw);
  to->set_fast_registration(from.fast_registration);
  to->set_mw_type_2a(from.mw_type_2a);
  to->set_mw_type_2b(from.mw_type_2b);
}

Fact<DeviceLimits> GetLimits(const v1::DeviceLimits& from) {
  return DeviceLimits{.max_qp_wr = from.max_qp_wr(),
                      .max_cqe = from.max_cqe(),
                      .max_sge = from.max_sge(),
                      .max_sge_rd = from.max_sge_rd(),
                      .max_qp_rd_atom = from.max_qp_rd_atom(),
                      .max_qp_init_rd_atom = from.max_qp_init_rd_atom(),
                      .max_qp = from.max_qp(),
                      .max_mr = from.max_mr(),
                      .max_mw = from.max_mw(),
                      .fast_registration = from.fast_registration(),
                      .mw_type_2a = from.mw_type_2a(),
                      .mw_type_2b = from.mw_type_2b()};
}

void PutListeners(const std::vector<RdmaListener>& from, v1::RdmaListeners* to) {
  PutList(from, to->mutable_listeners(), [](const RdmaListener& listener, v1::RdmaListener* out) {
    out->set_port(listener.port);
    out->set_kernel_name(listener.kernel_name);
    out->set_pid(listener.pid);
  });
}

Fact<std::vector<RdmaListener>> GetListeners(const v1::RdmaListeners& from) {
  return GetList<RdmaListener>(from.listeners(), [](const v1::RdmaListener& row) {
    return RdmaListener{
        .port = Narrow<std::uint16_t>(row.port()), .kernel_name = row.kernel_name(), .pid = row.pid()};
  });
}

void PutModules(const std::vector<KernelModule>& from, v1::KernelModules* to) {
  PutList(from, to->mutable_modules(), [](const KernelModule& module, v1::KernelModule* out) {
    out->set_name(module.name);
    Put(module.state, out->mutable_state());
    Put(module.uses_rdma, out->mutable_uses_rdma());
  });
}

Fact<std::vector<KernelModule>> GetModules(const v1::KernelModules& from) {
  return GetList<KernelModule>(from.modules(), [](const v1::KernelModule& row) {
    return KernelModule{.name = row.name(),
                        .state = GetEnum(row.state(), ModuleState::kLoaded),
                        .uses_rdma = Get<bool>(row.uses_rdma())};
  });
}

void PutOptions(const std::vector<KernelOption>& from, v1::KernelOptions* to) {
  PutList(from, to->mutable_options(), [](const KernelOption& option, v1::KernelOption* out) {
    out->set_name(option.name);
    out->set_value(option.value);
  });
}

Fact<std::vector<KernelOption>> GetOptions(const v1::KernelOptions& from) {
  return GetList<KernelOption>(from.options(), [](const v1::KernelOption& row) {
    return KernelOption{.name = row.name(), .value = row.value()};
  });
}

void PutKsmbd(const KsmbdConfig& from, v1::KsmbdConfig* to) {
  to->set_path(from.path);
  if (from.multichannel) to->set_multichannel(*from.multichannel);
  for (const std::string& name : from.interfaces) to->add_interfaces(name);
  to->set_signing(from.signing);
  to->set_encryption(from.encryption);
}

Fact<KsmbdConfig> GetKsmbd(const v1::KsmbdConfig& from) {
  KsmbdConfig to;
  to.path = from.path();
  if (from.has_multichannel()) to.multichannel = from.multichannel();
  to.interfaces.assign(from.interfaces().begin(), from.interfaces().end());
  to.signing = from.signing();
  to.encryption = from.encryption();
  return to;
}

void PutTcpPorts(const std::vector<std::uint16_t>& from, v1::TcpPorts* to) {
  for (const std::uint16_t port : from) to->add_ports(port);
}

Fact<std::vector<std::uint16_t>> GetTcpPorts(const v1::TcpPorts& from) {
  std::vector<std::uint16_t> to;
  for (const std::uint32_t port : from.ports()) to.push_back(Narrow<std::uint16_t>(port));
  return to;
}

}  // namespace rdmaready::convert
