// SPDX-License-Identifier: Apache-2.0
#include "hub/daemon/store_commands.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "api/base/clock.h"
#include "api/base/status.h"
#include "api/convert/document.h"
#include "api/model/describe.h"
#include "checks/live/own_past.h"
#include "checks/words/words_view.h"
#include "hub/store/sqlite_fleet_store.h"
#include "hub/store/store_copy.h"

namespace rdmaready::hub {
namespace {

constexpr int kUsage = 2;
constexpr int kOwnFailure = 3;

int FailCommand(const absl::Status& status) {
  std::fprintf(stderr, "rdmaready-hub: %s\n", Message(status).c_str());
  const bool usage = absl::IsFailedPrecondition(status) || absl::IsAlreadyExists(status) ||
                     absl::IsNotFound(status) || absl::IsInvalidArgument(status);
  return usage ? kUsage : kOwnFailure;
}

template <class T>
bool PrintLine(std::string_view name, const T& row) {
  const convert::DocumentOf<T> document{{name, &describe::Described<T, WordsView>::kType}};
  return std::fputs(document.Line(row).c_str(), stdout) >= 0;
}

// Of a store that no hub holds.
absl::Status Export(const std::string& path) {
  RR_ASSIGN_OR_RETURN(const std::unique_ptr<SqliteFleetStore> store, SqliteFleetStore::Open({.path = path}));
  bool written = true;
  RR_RETURN_IF_ERROR(store->Hosts(
      [&](KnownHost&& known) { written = written && PrintLine("rdmaready.v1.FleetHost", known.host); }));
  RR_RETURN_IF_ERROR(store->Findings({}, [&](FleetFinding&& finding) {
    written = written && PrintLine("rdmaready.v1.FleetFinding", finding);
  }));
  RR_RETURN_IF_ERROR(store->Tests({}, [&](KeptTest&& kept) {
    const FleetPastTest test{.host_id = std::move(kept.host_id),
                             .state = PastStateOf(kept.test, kept.software, UnixNs(RealClock())),
                             .test = std::move(kept.test)};
    written = written && PrintLine("rdmaready.v1.FleetPastTest", test);
  }));
  RR_RETURN_IF_ERROR(store->Changes({}, 0, std::numeric_limits<std::int64_t>::max(), [&](FleetChange&& change) {
    written = written && PrintLine("rdmaready.v1.FleetChange", change);
  }));
  return written && std::fflush(stdout) == 0
             ? absl::OkStatus()
             : absl::ResourceExhaustedError("write standard output: it is full, or gone");
}

absl::Status TellRestored(const std::string& store, const std::string& from) {
  RR_ASSIGN_OR_RETURN(const std::string aside, Restore(store, from));
  if (!aside.empty()) std::printf("what was there is %s now\n", aside.c_str());
  return absl::OkStatus();
}

}  // namespace

std::optional<int> RunStoreCommand(int argc, const char* const* argv) {
  std::string store;
  std::string file;
  struct Verb {
    const char* summary;
    const char* file;  // null: none
    std::function<absl::Status()> work;
  };
  const std::map<std::string, Verb> verbs{
      {"backup",
       {"A copy of the store, also while the hub works", "Where to: a name that is free",
        [&] { return BackUp(store, file); }}},
      {"restore",
       {"Puts a copy in the place of the store, which is moved aside; the hub must be stopped", "The copy",
        [&] { return TellRestored(store, file); }}},
      {"export",
       {"Hosts, findings, the last live tests and changes, a JSON object on each line; the hub must be stopped",
        nullptr, [&] { return Export(store); }}}};
  const auto verb = argc > 1 ? verbs.find(argv[1]) : verbs.end();
  if (verb == verbs.end()) return std::nullopt;
  CLI::App app{verb->second.summary, "rdmaready-hub " + verb->first};
  app.add_option("--store", store, "The store of the hub")->required()->type_name("FILE");
  if (verb->second.file != nullptr) app.add_option("FILE", file, verb->second.file)->required();
  try {
    app.parse(argc - 1, argv + 1);
  } catch (const CLI::CallForHelp&) {
    return std::fputs(app.help().c_str(), stdout) < 0 ? kOwnFailure : 0;
  } catch (const CLI::ParseError& error) {
    return FailCommand(absl::InvalidArgumentError(std::string(error.what()) + " (see rdmaready-hub " +
                                                  verb->first + " --help)"));
  }
  const absl::Status done = verb->second.work();
  return done.ok() ? 0 : FailCommand(done);
}

}  // namespace rdmaready::hub
