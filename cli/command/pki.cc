// SPDX-License-Identifier: Apache-2.0
// rdmaready pki: a CA of files, for those who have none.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/client/certificate.h"
#include "api/pki/authority.h"
#include "cli/command/pki_files.h"
#include "cli/command/pki_pair.h"
#include "cli/commands.h"
#include "cli/one_of.h"
#include "cli/render/pki_run.h"

namespace rdmaready {
namespace {

constexpr char kDefaultCaName[] = "rdmaready CA";
constexpr char kDefaultOperator[] = "operator";

struct PkiFlags {
  std::string directory{};
  std::string ca_name{};
  std::string kind{};
  std::string what{};
  std::vector<std::string> dns{};
  std::vector<std::string> addresses{};
  int days = pki::kDefaultDays;
  std::string out = ".";
  KeyChoice key{};
  std::vector<std::string> hosts{};  // pair
  std::string operator_name = kDefaultOperator;
  bool ca = false;  // rotate
  bool switch_root = false;
  bool retire = false;
  bool force = false;
  bool refresh = false;  // revoke
};

// What the caller named wrongly, or where he may not write; else it is our own failure.
ExitStatus StatusOfPki(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kPermissionDenied:
      return ExitStatus::kUsage;
    default:
      return ExitStatus::kOwnFailure;
  }
}

ExitStatus Refuse(const Context& context, const absl::Status& why) {
  return context.Fail(StatusOfPki(why), Message(why));
}

absl::StatusOr<pki::Authority> OpenCa(const PkiFlags& flags) {
  if (!flags.directory.empty()) return pki::Authority::Open(flags.directory);
  RR_ASSIGN_OR_RETURN(const std::string directory, DefaultPkiDirectory());
  return pki::Authority::Open(directory);
}

absl::Status AddRoots(const pki::Authority& ca, PkiRun& run) {
  run.directory = ca.directory();
  RR_ASSIGN_OR_RETURN(run.roots, ca.Roots());
  return absl::OkStatus();
}

absl::StatusOr<PkiRun> Init(const PkiFlags& flags) {
  std::string directory = flags.directory;
  if (directory.empty()) {
    RR_ASSIGN_OR_RETURN(directory, DefaultPkiDirectory());
  }
  RR_RETURN_IF_ERROR(pki::Authority::Create(directory, flags.ca_name.empty() ? kDefaultCaName : flags.ca_name));
  RR_ASSIGN_OR_RETURN(const pki::Authority ca, pki::Authority::Open(directory));
  PkiRun run{.action = PkiAction::kInit, .files = {directory + "/ca.pem", directory + "/crl.pem"}};
  RR_RETURN_IF_ERROR(AddRoots(ca, run));
  run.notes = {"who can read " + directory + " is this CA: keep it off the hosts, and a copy of it safe",
               "next: rdmaready pki issue host NAME"};
  return run;
}

absl::StatusOr<PkiRun> Issue(const PkiFlags& flags) {
  RR_ASSIGN_OR_RETURN(const pki::Authority ca, OpenCa(flags));
  pki::Order order{.kind = pki::KindOfName(flags.kind),
                   .name = flags.what,
                   .dns = flags.dns,
                   .addresses = flags.addresses,
                   .days = flags.days};
  RR_RETURN_IF_ERROR(pki::CheckOrder(order));  // its name becomes a path
  AddOwnName(order);
  RR_ASSIGN_OR_RETURN(HandedOut out, IssueInto(ca, order, flags.key, flags.out));
  PkiRun run{.action = PkiAction::kIssue, .directory = ca.directory(), .certificates = {{.entry = out.entry}}};
  run.files = std::move(out.files);
  return run;
}

// The CA of --dir. A missing CA is made: a pair is often its first use.
absl::StatusOr<pki::Authority> OpenOrMakeCa(const PkiFlags& flags) {
  absl::StatusOr<pki::Authority> ca = OpenCa(flags);
  if (!absl::IsNotFound(ca.status())) return ca;
  RR_RETURN_IF_ERROR(Init(flags).status());
  return OpenCa(flags);
}

absl::StatusOr<PkiRun> Pair(const PkiFlags& flags) {
  if (flags.hosts.size() != 2) return absl::InvalidArgumentError("a pair is of two hosts: pki pair HOST HOST");
  const PairOrder order{.hosts = {flags.hosts[0], flags.hosts[1]},
                        .operator_name = flags.operator_name,
                        .days = flags.days,
                        .out = flags.out};
  RR_RETURN_IF_ERROR(CheckPair(order));
  RR_ASSIGN_OR_RETURN(const pki::Authority ca, OpenOrMakeCa(flags));
  RR_ASSIGN_OR_RETURN(PairFiles made, IssuePair(ca, order));
  PkiRun run{.action = PkiAction::kPair, .directory = ca.directory()};
  for (const pki::IndexEntry& entry : made.entries) run.certificates.push_back({.entry = entry});
  run.files = std::move(made.files);
  run.notes = {"next, where TCP port 7471 of both hosts is open to you:"};
  for (std::string& command : made.commands) run.notes.push_back("  " + std::move(command));
  return run;
}

absl::StatusOr<PkiRun> Rotate(const PkiFlags& flags) {
  RR_ASSIGN_OR_RETURN(const pki::Authority ca, OpenCa(flags));
  RR_ASSIGN_OR_RETURN(HandedOut out, RotateInto(ca, flags.what, flags.key, flags.days, flags.out));
  PkiRun run{.action = PkiAction::kRotate, .directory = ca.directory(), .certificates = {{.entry = out.entry}}};
  run.files = std::move(out.files);
  run.notes = {"the certificate before it stays valid until it expires, or `pki revoke` ends it"};
  return run;
}

absl::StatusOr<PkiRun> RotateCa(const PkiFlags& flags) {
  RR_ASSIGN_OR_RETURN(const pki::Authority ca, OpenCa(flags));
  PkiRun run{.action = PkiAction::kRotateCa};
  if (flags.switch_root) {
    RR_RETURN_IF_ERROR(ca.SwitchRoot());
    run.notes = {"the new root issues from now on",
                 "next: `pki rotate` for each certificate, then `pki rotate --ca --retire`"};
  } else if (flags.retire) {
    RR_RETURN_IF_ERROR(ca.RetireRoot(flags.force));
    run.notes = {"the first root is gone: put this ca.pem and crl.pem in the place of the old ones"};
  } else {
    RR_RETURN_IF_ERROR(ca.BeginRotation(flags.ca_name));
    run.notes = {"ca.pem has both roots; the first one issues still",
                 "next: put this ca.pem and crl.pem in the place of the old ones everywhere, then `pki rotate "
                 "--ca --switch`"};
  }
  run.files = {ca.directory() + "/ca.pem", ca.directory() + "/crl.pem"};
  RR_RETURN_IF_ERROR(AddRoots(ca, run));
  return run;
}

absl::StatusOr<std::vector<pki::IndexEntry>> RevokeWhat(const pki::Authority& ca, const std::string& what) {
  if (!IsCertificatePath(what)) return ca.Revoke(what);
  RR_ASSIGN_OR_RETURN(const std::string text, ReadCertificateFile(what));
  RR_ASSIGN_OR_RETURN(const std::vector<Certificate> certificates, ParseCertificates(text));
  return ca.Revoke(*certificates.front());
}

absl::StatusOr<PkiRun> Revoke(const PkiFlags& flags) {
  if (flags.refresh != flags.what.empty())
    return absl::InvalidArgumentError(
        "a serial number, a host id or a certificate's file is to be revoked; or --refresh");
  RR_ASSIGN_OR_RETURN(const pki::Authority ca, OpenCa(flags));
  PkiRun run{.action = PkiAction::kRevoke, .directory = ca.directory(), .files = {ca.directory() + "/crl.pem"}};
  run.notes = {
      fmt::format("copy it to where --tls-crl names it, and within {} days again (pki revoke --refresh)",
                  pki::kRevocationListDays)};
  if (flags.refresh) {
    RR_RETURN_IF_ERROR(ca.RenewRevocationList());
    return run;
  }
  RR_ASSIGN_OR_RETURN(const std::vector<pki::IndexEntry> revoked, RevokeWhat(ca, flags.what));
  run.certificates = JudgedCertificates(revoked, UnixNowNs());
  return run;
}

absl::StatusOr<PkiRun> List(const PkiFlags& flags) {
  RR_ASSIGN_OR_RETURN(const pki::Authority ca, OpenCa(flags));
  PkiRun run{.action = PkiAction::kList};
  RR_RETURN_IF_ERROR(AddRoots(ca, run));
  RR_ASSIGN_OR_RETURN(const std::vector<pki::IndexEntry> entries, ca.Entries());
  run.certificates = JudgedCertificates(entries, UnixNowNs());
  const auto soon = std::ranges::count_if(run.certificates, [](const PkiCertificate& one) {
    return one.state == CertificateState::kExpiring && !one.replaced;
  });
  if (soon > 0)
    run.notes.push_back(
        fmt::format("{} {} within 14 days (pki rotate)", soon, soon == 1 ? "expires" : "expire"));
  return run;
}

using Deed = absl::StatusOr<PkiRun> (*)(const PkiFlags& flags);

ExitStatus Do(const Context& context, const PkiFlags& flags, Deed deed) {
  const absl::StatusOr<PkiRun> run = deed(flags);
  if (!run.ok()) return Refuse(context, run.status());
  context.interrupt.Disarm();
  context.Print(PkiJson(*run), PkiText(*run, context.style()));
  return ExitStatus::kOk;
}

void AddIssueFlags(CLI::App& issue, PkiFlags& flags) {
  issue
      .add_option("KIND", flags.kind, "host (clients and servers), hub (the same) or operator (clients alone)")
      ->required()
      ->check(OneOf({"host", "hub", "operator"}));
  issue
      .add_option("NAME", flags.what,
                  "What it is called: the subject, the files, and, of hosts and hubs, a name of it")
      ->required();
  issue.add_option("--dns", flags.dns, "Also reached by this DNS name")
      ->type_name("NAME")
      ->allow_extra_args(false);
  issue.add_option("--ip", flags.addresses, "Also reached by this address")
      ->type_name("ADDR")
      ->allow_extra_args(false);
}

// Of what hands out a certificate.
void AddKeyFlags(CLI::App& app, PkiFlags& flags) {
  app.add_option("--days", flags.days, fmt::format("How long it is valid (default {})", pki::kDefaultDays))
      ->type_name("N");
  app.add_option("--out", flags.out, "Where NAME.pem, NAME.key and ca.pem are written (default: here)")
      ->type_name("DIR");
  app.add_option("--request", flags.key.request_file,
                 "A certificate request (PKCS#10, PEM): its key is certified, and none is made here")
      ->type_name("FILE");
}

void AddPairFlags(CLI::App& pair, PkiFlags& flags) {
  pair.add_option("HOST", flags.hosts, "The two hosts, each as commands will name it: a DNS name or an address")
      ->required()
      ->expected(2);
  pair.add_option("--operator", flags.operator_name,
                  fmt::format("What the certificate for commands is called (default: {})", kDefaultOperator))
      ->type_name("NAME");
  pair.add_option("--days", flags.days,
                  fmt::format("How long the certificates are valid (default {})", pki::kDefaultDays))
      ->type_name("N");
  pair.add_option("--out", flags.out, "Where the files are written, a directory for each host (default: here)")
      ->type_name("DIR");
}

void AddRotateFlags(CLI::App& rotate, PkiFlags& flags) {
  CLI::Option* const what =
      rotate.add_option("WHAT", flags.what, "A certificate's file, or the NAME of one in --out");
  rotate.add_flag("--keep-key", flags.key.keep, "Certify the key that it has, instead of a new one")
      ->excludes("--request");
  CLI::Option* const ca =
      rotate
          .add_flag("--ca", flags.ca, "The CA itself: makes a second root, which ca.pem has beside the first")
          ->excludes(what);
  rotate.add_option("--name", flags.ca_name, "What it is called (default: as the first)")
      ->type_name("NAME")
      ->needs(ca);
  CLI::Option* const turn =
      rotate.add_flag("--switch", flags.switch_root, "Let the second root issue, once all have that ca.pem")
          ->needs(ca);
  CLI::Option* const retire =
      rotate.add_flag("--retire", flags.retire, "Drop the first one, once all have certificates of the second")
          ->needs(ca)
          ->excludes(turn);
  rotate.add_flag("--force", flags.force, "Although certificates of it last still")->needs(retire);
}

struct PkiCommand {
  CLI::App* app;
  Deed deed;
};

}  // namespace

Action DefinePki(CLI::App& app, const std::function<void(CLI::App&)>& global) {
  auto flags = std::make_shared<PkiFlags>();
  CLI::App* init = app.add_subcommand("init", "Make a CA: a root, its key, an empty index");
  init->add_option("--name", flags->ca_name, std::string("What it is called (default: ") + kDefaultCaName + ")")
      ->type_name("NAME");
  CLI::App* issue = app.add_subcommand("issue", "Issue a certificate: NAME.pem, NAME.key and ca.pem");
  AddIssueFlags(*issue, *flags);
  AddKeyFlags(*issue, *flags);
  CLI::App* pair = app.add_subcommand(
      "pair", "Make all that two hosts need to test each other by TLS, and say what to type next");
  AddPairFlags(*pair, *flags);
  CLI::App* rotate =
      app.add_subcommand("rotate", "Issue a certificate for the same identity again, in the same files");
  AddKeyFlags(*rotate, *flags);
  AddRotateFlags(*rotate, *flags);
  CLI::App* revoke = app.add_subcommand("revoke", "End what a certificate, or all of a host, may do");
  revoke->add_option("WHAT", flags->what, "A serial number, a host id, or a certificate's file");
  revoke->add_flag("--refresh", flags->refresh, "Revoke nothing: write the list anew, before it is due");
  CLI::App* list =
      app.add_subcommand("list", "What was issued, until when, what was revoked, what expires within 14 days");
  const std::vector<PkiCommand> commands{{init, Init},     {issue, Issue},   {pair, Pair},
                                         {rotate, Rotate}, {revoke, Revoke}, {list, List}};
  for (const PkiCommand& command : commands) {
    global(*command.app);
    command.app
        ->add_option("--dir", flags->directory,
                     "Where the CA is (default: /etc/rdmaready/pki of root, else ~/.config/rdmaready/pki)")
        ->type_name("DIR");
  }
  init->footer("\nExample:\n  rdmaready pki init --name 'Example storage'");
  issue->footer(
      "\nExamples:\n  rdmaready pki issue host node1 --dns node1.example --ip 10.0.0.7 --out certificates\n"
      "  rdmaready pki issue operator anna\n  rdmaready pki issue host node2 --request node2.csr");
  pair->footer("\nExample:\n  rdmaready pki pair node1 node2 --out certificates");
  rotate->footer("\nExamples:\n  rdmaready pki rotate certificates/node1.pem\n  rdmaready pki rotate --ca");
  revoke->footer(
      "\nExamples:\n  rdmaready pki revoke certificates/node1.pem\n  rdmaready pki revoke --refresh");
  list->footer("\nExample:\n  rdmaready pki list --output json");
  app.require_subcommand(1);
  return [flags, commands](const Context& context) {
    const auto chosen = std::ranges::find_if(commands, [](const PkiCommand& one) { return one.app->parsed(); });
    if (chosen->deed != Rotate) return Do(context, *flags, chosen->deed);
    if (flags->ca == !flags->what.empty())
      return context.Fail(ExitStatus::kUsage, "rotate takes a certificate's file or NAME, or --ca");
    return Do(context, *flags, flags->ca ? RotateCa : Rotate);
  };
}

}  // namespace rdmaready
