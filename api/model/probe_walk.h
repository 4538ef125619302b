// SPDX-License-Identifier: Apache-2.0
// The walk of a probe: the names of its steps, for those who make it, ask for it and judge it.
#pragma once

#include <chrono>
#include <string_view>

namespace rdmaready {

// No agent takes longer for one.
inline constexpr std::chrono::milliseconds kMostProbeTime{300'000};

// Names of ProbeStep: for ever.

// Every walk.
inline constexpr std::string_view kStepResolve = "resolve";  // the name has an address
inline constexpr std::string_view kStepRoute = "route";      // an RDMA port of this host leads there
inline constexpr std::string_view kStepRdmaConnect = "rdma-connect";

// SMB.
inline constexpr std::string_view kStepTcpConnect = "tcp-connect";
inline constexpr std::string_view kStepTcpNegotiate = "tcp-negotiate";
inline constexpr std::string_view kStepSmbdNegotiate = "smbd-negotiate";
inline constexpr std::string_view kStepSmb2Negotiate = "smb2-negotiate";
inline constexpr std::string_view kStepSmbdMinimum = "smbd-minimum";
// Its proof, on a share: mounted over RDMA by the kernel's client; files moved; asked over TCP, when RDMA
// failed, what the server offers.
inline constexpr std::string_view kStepShareMount = "share-mount";
inline constexpr std::string_view kStepShareFiles = "share-files";
inline constexpr std::string_view kStepShareInquire = "share-inquire";

// NVMe-oF, and its proof.
inline constexpr std::string_view kStepNvmeDiscoveryConnect = "nvme-discovery-connect";
inline constexpr std::string_view kStepNvmeEnable = "nvme-enable";
inline constexpr std::string_view kStepNvmeDiscoveryLog = "nvme-discovery-log";
inline constexpr std::string_view kStepNvmeSubsystemConnect = "nvme-subsystem-connect";
inline constexpr std::string_view kStepNvmeKernelConnect = "nvme-kernel-connect";
inline constexpr std::string_view kStepNvmeKernelRead = "nvme-kernel-read";
inline constexpr std::string_view kStepNvmeKernelDisconnect = "nvme-kernel-disconnect";

// iSER, and its proof.
inline constexpr std::string_view kStepIserDiscoveryLogin = "iser-discovery-login";
inline constexpr std::string_view kStepIserSendTargets = "iser-send-targets";
inline constexpr std::string_view kStepIserDiscoveryLogout = "iser-discovery-logout";
inline constexpr std::string_view kStepIserSessionLogin = "iser-session-login";
inline constexpr std::string_view kStepIserUnit = "iser-unit";
inline constexpr std::string_view kStepIserRead = "iser-read";
inline constexpr std::string_view kStepIserSessionLogout = "iser-session-logout";

// NFS, and its proof.
inline constexpr std::string_view kStepNfsNull = "nfs-null";
inline constexpr std::string_view kStepNfsVersions = "nfs-versions";
inline constexpr std::string_view kStepNfsMount = "nfs-mount";
inline constexpr std::string_view kStepNfsWrite = "nfs-write";
inline constexpr std::string_view kStepNfsRead = "nfs-read";
inline constexpr std::string_view kStepNfsUnmount = "nfs-unmount";

// How the words of a step begin that this host's own configuration does not allow (FailureKind::kSetup).
inline constexpr std::string_view kNotAllowed = "not allowed: ";

// TransferResult::case_name of the proofs.
inline constexpr std::string_view kProofNvmeRead = "nvme-read";
inline constexpr std::string_view kProofIserRead = "iser-read";
inline constexpr std::string_view kProofNfsWrite = "nfs-write";
inline constexpr std::string_view kProofNfsRead = "nfs-read";

}  // namespace rdmaready
