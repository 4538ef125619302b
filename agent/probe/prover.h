// SPDX-License-Identifier: Apache-2.0
// Prover: who makes the part of a proof that this host's own kernel does as a client: a share or an export
// mounted, an NVMe subsystem connected, and the I/O on it. That needs rights which a probe does not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/probe/walk.h"
#include "api/model/probe.h"

namespace rdmaready {

// What a caller would have proven.
struct ProofWish {
  Protocol protocol = Protocol::kUnknown;
  std::string server{};           // as the caller named it
  std::uint32_t port_number = 0;  // of the RDMA connection; 0: the protocol's own
  std::string volume{};           // empty: not named
  bool credentials = false;       // the caller brings some
};

struct KernelProof {
  Protocol protocol = Protocol::kUnknown;  // of an iSER target the kernel does nothing
  std::string server{};                    // as the caller named it
  std::string address{};                   // numeric
  std::uint16_t port_number = 0;           // of the RDMA connection
  std::string local_address{};             // of the RDMA port
  std::string device{};                    // that port
  std::uint32_t device_port = 0;
  std::string volume{};   // share, subsystem's NQN or export
  std::string version{};  // NFS: as the mount option has it, "4.2"
  bool inquire = false;   // SMB: only asked by TCP what the server announces; nothing is moved
  Credentials credentials{};
};

// The steps of the kernel's part, in order: of those the walk makes, no other is the prover's.
std::vector<std::string_view> KernelSteps(Protocol protocol, bool inquire = false);

// Any thread; each proof is its thread's own.
class Prover {
 public:
  virtual ~Prover() = default;

  // Whether the proof may be made, before anything is connected to: the volume to prove, where the caller named
  // none and there is one to choose; else what he named. kPermissionDenied: not allowed, and the words say who
  // could allow it; kInvalidArgument: what the caller must say besides.
  virtual absl::StatusOr<std::string> Admit(const ProofWish& wish) = 0;

  // Makes the kernel's steps of the walk. False where the first of them was not done. Nothing stays mounted or
  // connected.
  virtual bool Prove(const KernelProof& proof, Walk& walk) = 0;
};

}  // namespace rdmaready
