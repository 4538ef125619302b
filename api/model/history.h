// SPDX-License-Identifier: Apache-2.0
// History: what an agent remembers of its host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/model/report.h"
#include "api/model/transfer.h"

namespace rdmaready {

struct RunRecord {  // one `check` of this host
  std::string run_id{};
  std::int64_t started_unix_ns = 0;
  std::int64_t duration_ns = 0;
  Rung level = Rung::kUnknown;
  HostReport report{};

  // Two runs of one kind with one digest found the same: same facts, but for what moves by itself, and same
  // outcomes. Empty: not told; then the run is never taken for another.
  std::string kind{};    // "check host, smb-direct-roce 1f0c..."
  std::string digest{};  // 64 hexadecimal digits
  // The report is that of an earlier run of the kind with the same digest: what this one itself read of
  // counters, times and neighbours was not kept. Empty, 0: its own.
  std::string as_in_run_id{};
  std::int64_t as_in_unix_ns = 0;

  void Fields(auto& list) const {
    list("run_id", run_id, "started_unix_ns", started_unix_ns, "duration_ns", duration_ns, "level", level,
         "report", report, "kind", kind, "digest", digest, "as_in_run_id", as_in_run_id, "as_in_unix_ns",
         as_in_unix_ns);
  }
};

struct TransferRecord {  // one live test in which this host had a part
  std::string run_id{};
  std::int64_t started_unix_ns = 0;
  std::string port{};  // "rxe0/1"
  std::string role{};  // "loopback", "initiator", "responder"
  std::string peer{};  // the other host's name; empty for loopback
  TransferResult result{};

  void Fields(auto& list) const {
    list("run_id", run_id, "started_unix_ns", started_unix_ns, "port", port, "role", role, "peer", peer,
         "result", result);
  }
};

struct StoreEvent {  // what happened to the store itself
  std::int64_t unix_ns = 0;
  std::string text{};  // "damaged (...), set aside as FILE"

  void Fields(auto& list) const { list("unix_ns", unix_ns, "text", text); }
};

struct History {  // each newest first
  std::vector<RunRecord> runs{};
  std::vector<TransferRecord> transfers{};
  std::vector<StoreEvent> events{};
};

inline constexpr int kMaxHistory = 1000;  // records of a kind in one answer

struct HistoryQuery {
  enum class Kind { kAll, kRuns, kTransfers };
  Kind kind = Kind::kAll;
  int limit = 100;                  // at most, of each kind
  std::int64_t since_unix_ns = 0;   // started then or later
  std::int64_t before_unix_ns = 0;  // started before; 0: no matter when
  std::string run_id{};             // only this one: the whole id, or what stands behind a '-'; empty: all
  bool with_texts = false;  // findings with title, expected, source, why and fix; else without: they are long
};

}  // namespace rdmaready
