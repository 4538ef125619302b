// SPDX-License-Identifier: Apache-2.0
// nvme.*, iser.*, nfs.*: the kernel's modules for the other storage protocols over RDMA, and whether their
// servers listen.
#include <algorithm>

#include "checks/families.h"
#include "checks/storage/roles.h"
#include "checks/storage/target_places.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

using Role = Profile::Role;

// A client's module is loaded by the first connection: to be installed is enough.
Verdict JudgeModule(const HostView& view, Role role, std::string_view name) {
  const std::string expected(name);
  if (auto gap = RoleGap(view.host, view.profile, role, expected, kModulesSource)) return *gap;
  const Fact<ModuleState> state = StateOf(view.host, name);
  if (!state) return NoAnswer(state.missing(), expected, kModulesSource);
  if (auto foreign = ForeignCore(view.host, name, expected)) return *foreign;
  return Judged(*state != ModuleState::kAbsent, StateText(name, *state), expected, kModulesSource);
}

// On one RDMA device at least: a server may be bound to one address.
Verdict JudgeListener(const HostView& view, Role role, std::string_view name, std::string_view usual_port,
                      TargetFault (*fault)(const HostView&) = nullptr) {
  const std::string expected = Cat(name, " listening, as a rule on port ", usual_port);
  if (auto gap = RoleGap(view.host, view.profile, role, expected, kListenersSource)) return *gap;
  if (!view.host.ports) return NoAnswer(view.host.ports.missing(), expected, kListenersSource);
  const Missing* missing = nullptr;
  for (const Port& port : *view.host.ports) {
    if (!port.listeners) {
      missing = &port.listeners.missing();
      continue;
    }
    const auto found = std::ranges::find(*port.listeners, name, &RdmaListener::kernel_name);
    if (found != port.listeners->end())
      return Judged(true, Cat(name, " on ", found->port, " of ", port.device), expected, kListenersSource);
  }
  if (missing != nullptr) return NoAnswer(*missing, expected, kListenersSource);
  const TargetFault why = fault == nullptr ? TargetFault{} : fault(view);
  return Judged(false, Cat(name, " listens on no RDMA device", why.words), expected, kListenersSource, why.fix);
}

Verdict JudgeNvmeHostModule(const HostView& view) { return JudgeModule(view, Role::kNvmeHost, "nvme_rdma"); }
Verdict JudgeNvmeTargetModule(const HostView& view) {
  return JudgeModule(view, Role::kNvmeTarget, "nvmet_rdma");
}
Verdict JudgeIserInitiatorModule(const HostView& view) {
  return JudgeModule(view, Role::kIserInitiator, "ib_iser");
}
Verdict JudgeIserTargetModule(const HostView& view) { return JudgeModule(view, Role::kIserTarget, "ib_isert"); }
Verdict JudgeNfsClientModule(const HostView& view) { return JudgeModule(view, Role::kNfsClient, "rpcrdma"); }
Verdict JudgeNfsServerModule(const HostView& view) { return JudgeModule(view, Role::kNfsServer, "rpcrdma"); }

Verdict JudgeNvmeTargetListener(const HostView& view) {
  return JudgeListener(view, Role::kNvmeTarget, "nvmet_rdma", "4420", NvmetFault);
}
Verdict JudgeIserTargetListener(const HostView& view) {
  return JudgeListener(view, Role::kIserTarget, "ib_isert", "3260", IserFault);
}
Verdict JudgeNfsServerListener(const HostView& view) {
  return JudgeListener(view, Role::kNfsServer, "rpcrdma", "20049");
}

// A module that is not on disk: `modprobe` cannot load it.
Fix NoModuleFix(std::string_view module, std::string_view option) {
  return Fix()
      .Because("the kernel was built without it, or a part of the kernel's modules is not installed")
      .Do(Cat("install the full set of modules of this kernel, or boot a kernel with ", option))
      .CheckBy(Cat("modinfo ", module));
}

constexpr std::string_view kNoModule =
    "Without the module the protocol has no RDMA on this host, and stays on TCP or fails";
constexpr std::string_view kNoListener = "A server that does not listen on RDMA refuses every RDMA connection";

}  // namespace

std::vector<Check> StorageRolesChecks() {
  return {
      {.id = "nvme.host-module",
       .title = "The kernel has the NVMe over RDMA host driver",
       .why = kNoModule,
       .fix = NoModuleFix("nvme-rdma", "CONFIG_NVME_RDMA"),
       .blocks_for = &kDemandsNvmeHost,
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeNvmeHostModule},
      {.id = "nvme.target-module",
       .title = "The kernel has the NVMe over RDMA target",
       .why = kNoModule,
       .fix = NoModuleFix("nvmet-rdma", "CONFIG_NVME_TARGET_RDMA"),
       .blocks_for = &kDemandsNvmeTarget,
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeNvmeTargetModule},
      {.id = "nvme.target-listener",
       .title = "The NVMe target listens on RDMA",
       .why = kNoListener,
       .fix = Fix()
                  .Because("no port of the target has addr_trtype rdma, or its addr_traddr is not the address "
                           "of an RDMA port")
                  .Do("set addr_trtype to rdma and addr_traddr to the address of an RDMA port, in "
                      "/sys/kernel/config/nvmet/ports")
                  .Do("link the subsystem to the port, and write both into the saved configuration")
                  .Caution("a port with a linked subsystem refuses new values: remove the link first")
                  .CheckBy("grep -r . /sys/kernel/config/nvmet/ports/"),
       .blocks_for = &kDemandsNvmeTarget,
       .depends_on = {"inv.rdma-present", "nvme.target-module"},
       .judge = JudgeNvmeTargetListener},
      {.id = "iser.initiator-module",
       .title = "The kernel has the iSER initiator",
       .why = kNoModule,
       .fix = NoModuleFix("ib_iser", "CONFIG_INFINIBAND_ISER"),
       .blocks_for = &kDemandsIserInitiator,
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeIserInitiatorModule},
      {.id = "iser.target-module",
       .title = "The kernel has the iSER target",
       .why = kNoModule,
       .fix = NoModuleFix("ib_isert", "CONFIG_INFINIBAND_ISERT"),
       .blocks_for = &kDemandsIserTarget,
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeIserTargetModule},
      {.id = "iser.target-listener",
       .title = "The iSCSI target listens on RDMA",
       .why = kNoListener,
       .fix = Fix()
                  .Because("the portal of the target speaks TCP only: iSER is a switch of each portal")
                  .Do("write 1 to the file iser of the portal, below /sys/kernel/config/target/iscsi/*/*/np/, "
                      "or use "
                      "targetcli: enable_iser true")
                  .Do("save it: targetcli saveconfig")
                  .Caution("sessions of this portal end")
                  .CheckBy("rdma resource show cm_id"),
       .blocks_for = &kDemandsIserTarget,
       .depends_on = {"inv.rdma-present", "iser.target-module"},
       .judge = JudgeIserTargetListener},
      {.id = "nfs.client-module",
       .title = "The kernel has NFS over RDMA for clients",
       .why = kNoModule,
       .fix = NoModuleFix("rpcrdma", "CONFIG_SUNRPC_XPRT_RDMA"),
       .blocks_for = &kDemandsNfsClient,
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeNfsClientModule},
      {.id = "nfs.server-module",
       .title = "The kernel has NFS over RDMA for its server",
       .why = kNoModule,
       .fix = NoModuleFix("rpcrdma", "CONFIG_SUNRPC_XPRT_RDMA"),
       .blocks_for = &kDemandsNfsServer,
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeNfsServerModule},
      {.id = "nfs.server-listener",
       .title = "The NFS server listens on RDMA",
       .why = kNoListener,
       .fix =
           Fix("echo 'rdma 20049' > /proc/fs/nfsd/portlist")
               .Because(
                   "nfsd was started without rdma=y: a listener that was added later ends with its last thread")
               .Do("for good: write rdma=y into the section [nfsd] of /etc/nfs.conf")
               .CheckBy("cat /proc/fs/nfsd/portlist"),
       .blocks_for = &kDemandsNfsServer,
       .depends_on = {"inv.rdma-present", "nfs.server-module"},
       .judge = JudgeNfsServerListener},
  };
}

}  // namespace rdmaready
