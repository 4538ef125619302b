// SPDX-License-Identifier: Apache-2.0
// RdmaAnswers: how the RDMA connection to a storage server came about, whatever the protocol.
//
// For all structs of probe_*.h: what is absent was not told; sizes are in bytes. Fields() lists all members in
// the order of the report. A name is that of the field in api/proto/rdmaready/v1/probe.proto and, with dashes,
// the key in reports and JSON ("rdma-ird"). Names are never changed or reused.
#pragma once

#include <cstdint>
#include <optional>

namespace rdmaready {

// How a connection by RDMA was refused.
struct RdmaRefusal {
  enum class Kind {
    kUnknown,
    kNone,        // no refusal was heard: the failure is this host's own
    kNoDevice,    // no RDMA device of this host leads there
    kUnresolved,  // the address or the route does not resolve
    kNoAnswer,
    kNoListener,
    kConsumer,  // somebody listens and refused this connection
    kReason,    // for the reason of that number
  };
  Kind kind = Kind::kUnknown;
  std::optional<std::uint64_t> reason{};  // of kReason, as InfiniBand numbers them

  bool operator==(const RdmaRefusal&) const = default;

  void Fields(auto& list) const { list("kind", kind, "reason", reason); }
};

struct RdmaAnswers {
  std::optional<bool> local_iwarp{};  // what this end speaks
  RdmaRefusal refusal{};              // of the first connection that was tried
  std::optional<bool> tcp_answers{};  // at that port, where RDMA kept silent
  // RDMA reads that the server may have under way here, and this host there.
  std::optional<std::uint64_t> ird{};
  std::optional<std::uint64_t> ord{};

  bool operator==(const RdmaAnswers&) const = default;

  void Fields(auto& list) const {
    list("local_iwarp", local_iwarp, "rdma_refusal", refusal, "tcp_answers", tcp_answers, "rdma_ird", ird,
         "rdma_ord", ord);
  }
};

}  // namespace rdmaready
