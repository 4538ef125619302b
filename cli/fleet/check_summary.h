// SPDX-License-Identifier: Apache-2.0
// CheckSummary: what a check of some hosts came to, and what the report alone does not say. A value: renderers
// read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/model/remembered.h"
#include "api/model/report.h"
#include "cli/exit_status.h"

namespace rdmaready {

// The profiles by which a recorded host is judged.
enum class Judging {
  kKept,     // by what its recording keeps, or by what was named where it keeps the same or none
  kDefault,  // by the default: nothing was named, and it keeps none
  kOther,    // by what was named, and it keeps another
};

// About one host of the report, in its order.
struct HostNotes {
  ExitStatus failure = ExitStatus::kOk;  // why HostReport::error is set, as a status
  bool lasting = false;                  // waiting does not change that failure: MayPass()
  bool software = false;                 // has software RDMA devices only
  std::string store_error{};             // its agent could not keep the result
  std::string store_notice{};            // it did, but something happened to its store before
  Remembered remembered{};               // what its agent found before

  // As its inventory says it; empty: it does not.
  std::string group{};
  std::string rack{};

  // Of a host that was not asked but recorded earlier.
  std::int64_t recorded_unix_ns = 0;
  std::string recorded_by{};                 // version of rdmaready; empty: asked now
  std::vector<ProfileRef> recorded_under{};  // the profiles that it keeps; empty: none
  Judging judging = Judging::kKept;
};

// How long a check was repeated.
struct Waited {
  std::int64_t ns = 0;      // from the first try to the end of the last one
  std::uint32_t tries = 0;  // checks that were made
};

struct CheckSummary {
  Report report{};
  std::optional<Waited> waited{};  // of `check --wait` alone
  std::vector<HostNotes> notes{};
  std::string record_error{};       // why the file of --resume does not have all of it; empty: it has
  bool profiles_of_agents = false;  // nobody named a profile: each agent took its own
};

ExitStatus StatusOf(const CheckSummary& run);

// The same of the verdict alone: whether agents could keep the result does not count.
ExitStatus VerdictStatusOf(const CheckSummary& run);
// A line for each result that an agent could not keep: "the result of node1 was not stored: disk full".
std::vector<std::string> NotStored(const CheckSummary& run);

// Hosts that could not be asked for the same reason. Where there are several, its text says HOST for the name.
struct SharedError {
  std::string text{};
  std::vector<std::string> hosts{};
};
std::vector<SharedError> SharedErrors(const Report& report);

// One line for each thing that belongs on standard error: hosts that could not be asked (from three on, one
// line for each different reason), results that were not kept, hosts judged by different profiles, recordings
// that were made under another profile or keep none.
// `errors_shown`: the report itself shows why hosts could not be asked; then one line names them.
std::vector<std::string> Complaints(const CheckSummary& run, bool errors_shown = false);

}  // namespace rdmaready
