// SPDX-License-Identifier: Apache-2.0
// Device limits, and the other storage protocols.
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr Outcome kPass = Outcome::kPass;
constexpr Outcome kWarn = Outcome::kWarn;
constexpr Outcome kFail = Outcome::kFail;
constexpr Outcome kUnknown = Outcome::kUnknown;
constexpr Outcome kNotApplicable = Outcome::kNotApplicable;

template <class Change>
Facts WithLimits(Change change, Transport transport = Transport::kRoce) {
  return WithPort([&](Port& port) {
    DeviceLimits limits = *port.limits;
    change(limits);
    port.limits = limits;
    port.transport = transport;
  });
}

Facts LimitsDenied(Transport transport = Transport::kRoce) {
  return WithPort([transport](Port& port) {
    port.limits = Denied();
    port.transport = transport;
  });
}

void AddLimits(std::vector<CheckCase>& cases) {
  struct Number {
    std::string_view id;
    std::uint32_t DeviceLimits::*member;
    std::uint32_t pass;   // the least that passes
    std::uint32_t least;  // the least that only warns
  };
  for (const Number& number : {Number{"dev.max-qp-wr", &DeviceLimits::max_qp_wr, 1024, 384},
                               Number{"dev.max-cqe", &DeviceLimits::max_cqe, 384, 256},
                               Number{"dev.max-sge", &DeviceLimits::max_sge, 6, 6},
                               Number{"dev.max-mr", &DeviceLimits::max_mr, 1024, 64}}) {
    const auto with = [&number](std::uint32_t value) {
      return WithLimits([&](DeviceLimits& limits) { limits.*number.member = value; });
    };
    cases.push_back(
        {number.id, "the least that is enough", with(number.pass), kPass, std::to_string(number.pass)});
    cases.push_back({number.id, "too little", with(number.least - 1), kFail, std::to_string(number.least - 1),
                     "ibv_devinfo -v -d rxe0"});
    if (number.least < number.pass)
      cases.push_back({number.id, "little", with(number.pass - 1), kWarn, std::to_string(number.pass - 1)});
    cases.push_back({number.id, "denied", LimitsDenied(), kUnknown, "not permitted"});
  }
  cases.insert(cases.end(), {{"dev.fast-registration", "good", GoodHost(), kPass, "fast registration"},
                             {"dev.fast-registration", "none",
                              WithLimits([](DeviceLimits& l) { l.fast_registration = false; }), kFail,
                              "no fast registration"},
                             {"dev.fast-registration", "denied", LimitsDenied(), kUnknown, "not permitted"}});
  for (const auto& [id, transport] :
       {std::pair("dev.rd-atom", Transport::kRoce), std::pair("iw.ird-ord", Transport::kIwarp)}) {
    const auto with = [t = transport](std::uint32_t answers, std::uint32_t asks) {
      return WithLimits(
          [=](DeviceLimits& limits) {
            limits.max_qp_rd_atom = answers;
            limits.max_qp_init_rd_atom = asks;
          },
          t);
    };
    const Transport other = transport == Transport::kRoce ? Transport::kIwarp : Transport::kRoce;
    cases.insert(cases.end(), {{id, "good", with(8, 8), kPass, "answers 8 RDMA reads at once, has 8 under way"},
                               {id, "few", with(16, 7), kWarn, "has 7 under way"},
                               {id, "none to answer", with(0, 16), kFail, "answers 0 RDMA reads"},
                               {id, "none to ask", with(16, 0), kFail, "has 0 under way"},
                               {id, "denied", LimitsDenied(transport), kUnknown, "not permitted"},
                               {id, "the other transport", WithLimits([](DeviceLimits&) {}, other),
                                kNotApplicable, "iWARP"}});
  }
}

// Of a protocol: its modules are installed on the good host, and absent, or not known, on others.
void AddModule(std::vector<CheckCase>& cases, std::string_view id, std::string_view module, Profile::Role role,
               const Facts& good, std::string_view observed) {
  Profile asking = VirtualFabricProfile();
  asking.roles = std::vector<Profile::Role>{role};
  Profile asking_else = VirtualFabricProfile();
  asking_else.roles = std::vector<Profile::Role>{Profile::Role::kSmbClient};
  const Facts absent = WithModule(GoodHost(), module, [](KernelModule& m) { m.state = ModuleState::kAbsent; });
  const Facts unknown = WithModule(GoodHost(), module, [](KernelModule& m) { m.state = Denied(); });
  cases.insert(
      cases.end(),
      {{id, "good", good, kPass, std::string(observed)},
       {id, "asked for", GoodHost(), kPass, std::string(module) + " installed", "", asking},
       {id, "absent", absent, kFail, "no " + std::string(module), "modprobe", asking},
       {id, "absent, and nobody asked", absent, kNotApplicable, ""},
       {id, "denied", unknown, kUnknown, "not permitted", "", asking},
       {id, "another role", GoodHost(), kNotApplicable, "does not ask for the role", "", asking_else}});
}

void AddListener(std::vector<CheckCase>& cases, std::string_view id, std::string_view module,
                 const Facts& server) {
  const auto with = [&server](Fact<std::vector<RdmaListener>> listeners) {
    Facts host = server;
    std::vector<Port> ports = *host.ports;
    ports.front().listeners = std::move(listeners);
    host.ports = ports;
    return host;
  };
  const std::vector<RdmaListener> other{{.port = 445, .kernel_name = "ksmbd"}};
  const std::vector<RdmaListener> good{{.port = 5000, .kernel_name = std::string(module)}};
  cases.insert(
      cases.end(),
      {{id, "good", with(good), kPass, std::string(module) + " on 5000 of rxe0"},
       {id, "nobody", with(other), kFail, std::string(module) + " listens on no RDMA device"},
       {id, "denied", with(Denied()), kUnknown, "not permitted"},
       {id, "one of two is enough", WithSecond(with(good), [](Port& port) { port.listeners = Denied(); }),
        kPass, std::string(module) + " on 5000"},
       {id, "no server", GoodHost(), kNotApplicable, "is not loaded"}});
}

}  // namespace

void AddStorageCases(std::vector<CheckCase>& cases) {
  AddLimits(cases);
  const Facts nvme = Loaded(GoodHost(), "nvmet_rdma");
  const Facts iser = Loaded(GoodHost(), "ib_isert");
  const Facts nfs = Loaded(Loaded(GoodHost(), "nfsd"), "rpcrdma");
  AddModule(cases, "nvme.host-module", "nvme_rdma", Profile::Role::kNvmeHost, GoodHost(),
            "nvme_rdma installed");
  AddModule(cases, "nvme.target-module", "nvmet_rdma", Profile::Role::kNvmeTarget, nvme, "nvmet_rdma loaded");
  AddModule(cases, "iser.initiator-module", "ib_iser", Profile::Role::kIserInitiator, GoodHost(),
            "ib_iser installed");
  AddModule(cases, "iser.target-module", "ib_isert", Profile::Role::kIserTarget, iser, "ib_isert loaded");
  AddModule(cases, "nfs.client-module", "rpcrdma", Profile::Role::kNfsClient, GoodHost(), "rpcrdma installed");
  AddModule(cases, "nfs.server-module", "rpcrdma", Profile::Role::kNfsServer, nfs, "rpcrdma loaded");
  AddListener(cases, "nvme.target-listener", "nvmet_rdma", nvme);
  AddListener(cases, "iser.target-listener", "ib_isert", iser);
  AddListener(cases, "nfs.server-listener", "rpcrdma", nfs);
}

}  // namespace rdmaready
