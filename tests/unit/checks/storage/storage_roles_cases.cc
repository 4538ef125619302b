// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

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
      {Passes(id, "good", good, std::string(observed)),
       Passes(id, "asked for", GoodHost(), std::string(module) + " installed", {.profile = asking}),
       Fails(id, "absent", absent, "no " + std::string(module),
             {.fix = "boot a kernel with CONFIG_", .profile = asking}),
       DoesNotApply(id, "absent, and nobody asked", absent, ""),
       DoesNotApply(id, "on disk, and nobody asked", GoodHost(), "is not loaded"),
       IsUnknown(id, "denied", unknown, "not permitted", {.profile = asking}),
       DoesNotApply(id, "another role", GoodHost(), "does not ask for the role", {.profile = asking_else})});
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
      {Passes(id, "good", with(good), std::string(module) + " on 5000 of rxe0"),
       Fails(id, "nobody", with(other), std::string(module) + " listens on no RDMA device"),
       IsUnknown(id, "denied", with(Denied()), "not permitted"),
       Passes(id, "one of two is enough", WithSecond(with(good), [](Port& port) { port.listeners = Denied(); }),
              std::string(module) + " on 5000"),
       DoesNotApply(id, "no server", GoodHost(), "is not loaded")});
}

}  // namespace

std::vector<CheckCase> StorageRolesCases() {
  std::vector<CheckCase> cases;
  const Facts nvme = Loaded(GoodHost(), "nvmet_rdma");
  const Facts iser = Loaded(GoodHost(), "ib_isert");
  const Facts nfs = Loaded(Loaded(GoodHost(), "nfsd"), "rpcrdma");
  AddModule(cases, "nvme.host-module", "nvme_rdma", Profile::Role::kNvmeHost, Loaded(GoodHost(), "nvme_rdma"),
            "nvme_rdma loaded");
  AddModule(cases, "nvme.target-module", "nvmet_rdma", Profile::Role::kNvmeTarget, nvme, "nvmet_rdma loaded");
  AddModule(cases, "iser.initiator-module", "ib_iser", Profile::Role::kIserInitiator,
            Loaded(GoodHost(), "ib_iser"), "ib_iser loaded");
  AddModule(cases, "iser.target-module", "ib_isert", Profile::Role::kIserTarget, iser, "ib_isert loaded");
  AddModule(cases, "nfs.client-module", "rpcrdma", Profile::Role::kNfsClient, Loaded(GoodHost(), "rpcrdma"),
            "rpcrdma loaded");
  AddModule(cases, "nfs.server-module", "rpcrdma", Profile::Role::kNfsServer, nfs, "rpcrdma loaded");
  AddListener(cases, "nvme.target-listener", "nvmet_rdma", nvme);
  AddListener(cases, "iser.target-listener", "ib_isert", iser);
  AddListener(cases, "nfs.server-listener", "rpcrdma", nfs);

  return cases;
}

}  // namespace rdmaready
