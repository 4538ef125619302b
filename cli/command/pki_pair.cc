// SPDX-License-Identifier: Apache-2.0
#include "cli/command/pki_pair.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <strings.h>
#include <sys/types.h>

#include <string_view>
#include <utility>

#include "api/base/status.h"
#include "api/pki/file.h"
#include "api/pki/identity.h"
#include "checks/words/words.h"
#include "cli/command/pki_files.h"

namespace rdmaready {
namespace {

constexpr ::mode_t kPairFileMode = 0644;
constexpr ::mode_t kPairDirectoryMode = 0755;
constexpr std::string_view kPlaceOnHosts = "/etc/rdmaready";  // of each host
// The keys of agent.yaml that tls.yaml has.
constexpr std::string_view kTlsKeyNames = "listen|tls_ca|tls_cert|tls_key|roles";

pki::Order PairedOrder(pki::Kind kind, const std::string& name, int days) {
  pki::Order order{.kind = kind, .name = name, .days = days};
  AddOwnName(order);
  return order;
}

absl::Status CheckPairNames(const PairOrder& order) {
  for (const std::string& host : order.hosts)
    RR_RETURN_IF_ERROR(pki::CheckOrder(PairedOrder(pki::Kind::kHost, host, order.days)));
  RR_RETURN_IF_ERROR(pki::CheckOrder(PairedOrder(pki::Kind::kOperator, order.operator_name, order.days)));
  if (::strcasecmp(order.hosts[0].c_str(), order.hosts[1].c_str()) != 0) return absl::OkStatus();
  return absl::InvalidArgumentError("a pair is of two hosts, and both are called " + order.hosts[0]);
}

absl::Status CheckPairPlaces(const PairOrder& order) {
  std::vector<std::string> files{order.out + "/" + order.operator_name + ".pem",
                                 order.out + "/" + order.operator_name + ".key"};
  for (const std::string& host : order.hosts) {
    for (const char* name : {"agent.pem", "agent.key", "ca.pem", "roles.yaml", "tls.yaml"})
      files.push_back(fmt::format("{}/{}/{}", order.out, host, name));
  }
  for (const std::string& file : files) {
    if (FileIsThere(file))
      return absl::AlreadyExistsError(file + " is there already: --out names another directory");
  }
  return absl::OkStatus();
}

// IPv6 in all its forms, else IPv4: an agent listens on every address of the family by which it is called.
std::string_view EveryAddress(const std::string& host) {
  return host.find(':') != std::string::npos ? "'[::]:7471'" : "0.0.0.0:7471";
}

std::string TlsLines(const std::string& host) {
  return fmt::format(
      "listen: {1}\ntls_ca: {0}/ca.pem\ntls_cert: {0}/agent.pem\ntls_key: {0}/agent.key\nroles: "
      "{0}/roles.yaml\n",
      kPlaceOnHosts, EveryAddress(host));
}

absl::Status WriteNewFile(const std::string& path, const std::string& text, std::vector<std::string>& files) {
  RR_RETURN_IF_ERROR(pki::WriteFile(path, text, kPairFileMode, pki::Existing::kKept));
  files.push_back(path);
  return absl::OkStatus();
}

// Lines of agent.yaml that these replace are removed first, so the command may be typed again.
std::vector<std::string> InstallCommands(const std::string& host, const std::string& directory) {
  const bool v6 = host.find(':') != std::string::npos;
  return {
      fmt::format("scp {}/* root@{}:{}/", ShellWord(directory), v6 ? "[" + host + "]" : host, kPlaceOnHosts),
      fmt::format("ssh root@{} 'cd {} && chgrp rdmaready agent.key && chmod 640 agent.key && sed -E -i "
                  "\"/^({}):/d\" agent.yaml && cat tls.yaml >> agent.yaml && systemctl restart "
                  "rdmaready-agent'",
                  host, kPlaceOnHosts, kTlsKeyNames)};
}

std::string PairCheckCommand(const PairOrder& order) {
  return fmt::format("rdmaready check {} {} --level peer --tls-ca {} --tls-cert {} --tls-key {}",
                     order.hosts[0], order.hosts[1], ShellWord(order.out + "/ca.pem"),
                     ShellWord(fmt::format("{}/{}.pem", order.out, order.operator_name)),
                     ShellWord(fmt::format("{}/{}.key", order.out, order.operator_name)));
}

absl::Status IssueInto(const pki::Authority& ca, const pki::Order& order, const std::string& path,
                       PairFiles& pair) {
  RR_ASSIGN_OR_RETURN(HandedOut out, IssueAs(ca, order, {}, path));
  pair.entries.push_back(std::move(out.entry));
  pair.files.insert(pair.files.end(), out.files.begin(), out.files.end());
  return absl::OkStatus();
}

// The role map and the lines for agent.yaml, and the commands that install them.
absl::Status WriteHostFiles(const std::string& host, const std::string& directory, PairFiles& pair) {
  RR_RETURN_IF_ERROR(WriteNewFile(directory + "/roles.yaml", PairRoles(pair.entries), pair.files));
  RR_RETURN_IF_ERROR(WriteNewFile(directory + "/tls.yaml", TlsLines(host), pair.files));
  for (std::string& command : InstallCommands(host, directory)) pair.commands.push_back(std::move(command));
  return absl::OkStatus();
}

}  // namespace

std::string PairRoles(const std::vector<pki::IndexEntry>& entries) {
  std::vector<std::string> testers;
  std::vector<std::string> agents;
  std::vector<std::string> names;
  for (const pki::IndexEntry& entry : entries) {
    const bool host = entry.kind == pki::Kind::kHost;
    (host ? agents : testers)
        .push_back(fmt::format("\"URI:{}\"", pki::IdentityUri(entry.kind, entry.identity)));
    if (host) names.push_back(entry.name);
  }
  return fmt::format("# The pair {}, by the identities in their certificates.\ntest: [{}]\nagent: [{}]\n",
                     fmt::join(names, " and "), fmt::join(testers, ", "), fmt::join(agents, ", "));
}

absl::Status CheckPair(const PairOrder& order) {
  RR_RETURN_IF_ERROR(CheckPairNames(order));  // they become paths
  return CheckPairPlaces(order);
}

absl::StatusOr<PairFiles> IssuePair(const pki::Authority& ca, const PairOrder& order) {
  RR_RETURN_IF_ERROR(CheckPair(order));
  PairFiles pair;
  RR_RETURN_IF_ERROR(pki::MakeDirectories(order.out, kPairDirectoryMode));
  // The operator first: a ca.pem of another CA in `out` is refused there.
  RR_RETURN_IF_ERROR(IssueInto(ca, PairedOrder(pki::Kind::kOperator, order.operator_name, order.days),
                               order.out + "/" + order.operator_name + ".pem", pair));
  for (const std::string& host : order.hosts) {
    const std::string directory = order.out + "/" + host;
    RR_RETURN_IF_ERROR(pki::MakeDirectories(directory, kPairDirectoryMode));
    RR_RETURN_IF_ERROR(
        IssueInto(ca, PairedOrder(pki::Kind::kHost, host, order.days), directory + "/agent.pem", pair));
  }
  for (const std::string& host : order.hosts)
    RR_RETURN_IF_ERROR(WriteHostFiles(host, order.out + "/" + host, pair));
  pair.commands.push_back(PairCheckCommand(order));
  return pair;
}

}  // namespace rdmaready
