// SPDX-License-Identifier: Apache-2.0
// Objects of an RDMA device that the kernel's lists lack: those that its driver makes for processes beside the
// lists, and those that an old kernel hides from readers in another PID namespace.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "collectors/host_reader.h"
#include "collectors/rdma/rdma_devices.h"

namespace rdmaready {

struct RdmaHolder;

// The means beside listed queue pairs by which a process can move data. Read in drivers/infiniband/hw of Linux
// 6.12.
//
// kObjects: mlx5, also for sub-functions. DEVX (devx.c) makes queue pairs, DC targets and send queues for UCX,
// DPDK, NVSHMEM and DOCA. DC targets and RSS queue pairs of verbs are not listed either
// (rdma_restrack_no_track in qp.c). Each of them needs a protection domain, and those are listed with their
// owners (RES_PD_GET).
//
// kContexts: hfi1 and qib. A process opens a context of PSM by a device of the driver's own (file_ops.c). The
// driver counts the contexts (`nctxts` and `nfreectxts` of sysfs) and names no owner.
//
// kNothing: bnxt_re, cxgb4, efa, erdma, hns, irdma, mana, mlx4, mthca, ocrdma, qedr, usnic, vmw_pvrdma, rxe and
// siw. These make each queue pair of a process by the common call, and the kernel lists those. Queue pairs of
// type IB_QPT_DRIVER (SRD of efa) are listed where driver details are asked for.
enum class Unlisted { kNothing, kObjects, kContexts };

// Decides by the driver of the device's parent. A device of software has no parent: kNothing. An error where
// the driver cannot be read.
absl::StatusOr<Unlisted> ReadUnlisted(HostReader& host, const RdmaDevice& device);

// Whether a process has a context of PSM open, of a device with kContexts. An error where the two counts cannot
// be read.
absl::StatusOr<bool> ReadContextsOpen(HostReader& host, const RdmaDevice& device);

// Whether a list of the kernel's holds the objects of all PID namespaces. Before Linux 5.5 ("RDMA/restrack:
// Remove PID namespace support") a reader outside the first namespace sees those of its own namespace alone,
// and none of the kernel's. So a list with an object of the kernel is taken for whole; such are the GSI queue
// pairs of InfiniBand and RoCE. Without one it is whole in the first namespace, and on a newer kernel.
// Linux 4.17 to 5.2 hides the objects of other namespaces from the first one. This function does not notice it.
bool ListsAllNamespaces(HostReader& host, const std::vector<RdmaHolder>& holders);

}  // namespace rdmaready
