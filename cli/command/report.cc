// SPDX-License-Identifier: Apache-2.0
// rdmaready report: a check of some hosts, and perhaps a comparison with TCP, as a page to hand over.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/model/cases.h"
#include "api/pki/file.h"
#include "api/profile/load.h"
#include "checks/live/compare.h"
#include "checks/readiness.h"
#include "checks/words/names.h"
#include "checks/words/words.h"
#include "cli/command/live_run.h"
#include "cli/commands.h"
#include "cli/fleet/compare_runner.h"
#include "cli/fleet/hosts.h"
#include "cli/fleet/hosts_check.h"
#include "cli/fleet/site_choice.h"
#include "cli/one_of.h"
#include "cli/render/page/report_page.h"

namespace rdmaready {
namespace {

constexpr ::mode_t kPageMode = 0644;

struct ReportFlags {
  std::vector<std::string> hosts{};
  std::vector<std::string> profiles{};
  std::string level{};  // empty: the highest that so many hosts have without a server
  std::string page{};
  bool compare = false;
};

// Compares the cases that `check` makes, for two seconds each.
absl::StatusOr<JudgedCompare> CompareForPage(const Context& context, const std::vector<HostClient>& hosts,
                                             const Profile& profile) {
  for (const HostClient& host : hosts)
    if (host.agent == nullptr) return absl::UnavailableError("host " + host.name + " could not be asked");
  ComparePlan plan{.rdma = {.duration = std::chrono::seconds(2),
                            .tos = profile.tos,
                            .system_tos = !profile.tos.has_value(),
                            .measure_cpu = true}};
  for (const TransferCase& test : CheckedCasesOn(Rung::kPeer)) plan.cases.emplace_back(test.name);
  plan.tcp = plan.rdma;
  plan.tcp.over_tcp = true;
  plan.tcp.tos.reset();
  plan.tcp.system_tos = true;
  CompareRunner runner(hosts, profile, MakeRunId(),
                       [&](const std::string& what) { context.console.Progress(what); });
  RR_RETURN_IF_ERROR(runner.Prepare(plan));
  JudgedCompare compare;
  RR_ASSIGN_OR_RETURN(compare.run, runner.Run(plan));
  compare.judged = JudgeCompare(compare.run, profile);
  return compare;
}

// The profile of --compare. kInvalidArgument: there are several, or it is a site file.
absl::StatusOr<Profile> ProfileOfCompare(const ReportFlags& flags) {
  if (flags.profiles.empty()) return Profile{};
  if (flags.profiles.size() > 1) return absl::InvalidArgumentError("--compare takes one --profile");
  return LoadProfile(flags.profiles.front());
}

ExitStatus Handed(const Context& context, const ReportFlags& flags, const HandedReport& report) {
  ExitStatus status = StatusOf(report.check);
  if (report.compare) status = Worse(status, StatusOf(*report.compare));
  if (!report.not_compared.empty()) status = Worse(status, ExitStatus::kOwnFailure);
  const absl::Status written =
      pki::WriteFile(flags.page, ReportPage(report), kPageMode, pki::Existing::kReplaced);
  if (!written.ok()) return context.Fail(ExitStatus::kOwnFailure, "--html: " + Message(written));
  const std::string text =
      fmt::format("{}\nThe report is in {}.\n", Headline(report.check.report), Printable(flags.page));
  context.Print(PageJson(report, flags.page), text);
  if (context.format().object != nullptr) return status;
  if (!report.not_compared.empty()) context.console.Error("--compare: " + report.not_compared);
  for (const std::string& line : NotStored(report.check)) context.console.Error(line);
  return status;
}

ExitStatus RunReport(const Context& context, const ReportFlags& flags) {
  const absl::StatusOr<std::vector<HostAddress>> addresses = ParseHosts(flags.hosts);
  if (!addresses.ok()) return context.Fail(ExitStatus::kUsage, Message(addresses.status()));
  const Rung highest = addresses->size() > 1 ? Rung::kSmbDirect : Rung::kLoopback;
  HostsCheckOptions how{.level = RungFromName(flags.level).value_or(highest)};
  if (const absl::Status count = CheckHostCount(addresses->size(), how.level); !count.ok())
    return context.Fail(ExitStatus::kUsage, Message(count));
  if (flags.compare && addresses->size() != 2)
    return context.Fail(ExitStatus::kUsage, "--compare is for two hosts");
  const absl::StatusOr<Profile> profile = flags.compare ? ProfileOfCompare(flags) : Profile{};
  if (!profile.ok()) return context.Fail(ExitStatus::kUsage, Message(profile.status()));
  if (!flags.profiles.empty()) {
    absl::StatusOr<Site> site = ChooseSite(flags.profiles);
    if (!site.ok()) return context.Fail(ExitStatus::kUsage, Message(site.status()));
    how.site = *std::move(site);
  }
  context.console.Progress("connecting");
  std::vector<HostClient> hosts = NameClients(*addresses, context.client(), context.interrupt);
  HandedReport report;
  HostsCheck check(hosts, std::move(how), [&](const std::string& what) { context.console.Progress(what); });
  report.check = check.Run();
  if (const absl::Status apart = CheckNoTwins(hosts); !apart.ok())
    return context.Fail(ExitStatus::kUsage, Message(apart));
  if (flags.compare) {
    absl::StatusOr<JudgedCompare> compare = CompareForPage(context, hosts, *profile);
    if (compare.ok())
      report.compare = *std::move(compare);
    else
      report.not_compared = Message(compare.status());
  }
  EndLive(context);
  return Handed(context, flags, report);
}

}  // namespace

Action DefineReport(CLI::App& app, const std::function<void(CLI::App&)>&) {
  auto flags = std::make_shared<ReportFlags>();
  app.add_option("HOST", flags->hosts, "The hosts: name-or-address[:port] of their agents")->required();
  app.add_option("--html", flags->page, "Where the page is written; a file that is there is replaced")
      ->type_name("FILE")
      ->required();
  app.add_option("--profile", flags->profiles, "As of check: a built-in profile, a YAML file or a site file")
      ->type_name("NAME|FILE")
      ->allow_extra_args(false);
  app.add_option("--level", flags->level,
                 "How high to climb, as of check (default: smb-direct, of one host loopback)")
      ->check(OneOf({"host", "loopback", "peer", "smb-direct"}))
      ->type_name("LEVEL");
  app.add_flag("--compare", flags->compare, "Of two hosts: measure RDMA beside TCP, too (some minutes)");
  return [flags](const Context& context) { return RunReport(context, *flags); };
}

}  // namespace rdmaready
