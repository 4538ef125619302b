// SPDX-License-Identifier: Apache-2.0
// rdmaready-stress-caller CERT KEY CA DEV/N QPS RECEIVER SENDER SENDER...
// Makes an incast as the command does, without asking the hosts for their facts first, and prints "begun" when
// all transfers begin. A test then ends it by a signal.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/client/tls.h"
#include "cli/fleet/stress_hosts.h"
#include "cli/fleet/test_runner.h"

namespace rdmaready {
namespace {

constexpr int kReceiver = 6;
constexpr std::uint8_t kTos = 104;  // DSCP 26
constexpr std::uint32_t kPriority = 3;
constexpr const char* kCase = "write-8k";

absl::Status Begin(int argc, char** argv) {
  if (argc < kReceiver + 2) return absl::InvalidArgumentError("CERT KEY CA DEV/N QPS RECEIVER SENDER...");
  RR_ASSIGN_OR_RETURN(TlsMaterial tls,
                      LoadTls({.certificate = argv[1], .key = argv[2], .ca = argv[3]}, TlsRole::kCaller));
  RR_ASSIGN_OR_RETURN(const PortSelection port, ParsePort(argv[4]));
  const ClientOptions options{.tls = std::make_shared<const TlsMaterial>(std::move(tls))};
  std::vector<HostClient> hosts;
  for (int i = kReceiver; i < argc; ++i) {
    RR_ASSIGN_OR_RETURN(const HostAddress address, ParseHostAddress(argv[i]));
    HostClient& host = hosts.emplace_back(HostClient{.name = argv[i]});
    RR_ASSIGN_OR_RETURN(host.remote, AgentClient::Connect(address, options));
    host.agent = host.remote.get();
  }
  const TransferOptions how{.qps = static_cast<std::uint32_t>(std::strtoul(argv[5], nullptr, 10)),
                            .depth = StressDepthOf(*FindCase(kCase)),
                            .duration = std::chrono::seconds(20),
                            .tos = kTos,
                            .stress = true,
                            .stress_priority = kPriority};
  std::vector<StressPair> pairs;
  for (std::size_t i = 1; i < hosts.size(); ++i)
    pairs.push_back({.job = {.from = i, .to = 0, .from_port = port, .to_port = port},
                     .flow = {.from = hosts[i].name, .to = hosts[0].name}});
  std::vector<StressTransfer> parts;
  for (const StressPair& pair : pairs) parts.push_back({&pair, kCase, how});
  const StressHosts stress(hosts, MakeRunId(), {});
  return stress.Together(parts, [](const std::atomic<bool>&) { std::puts("begun"), std::fflush(stdout); })
      .status();
}

}  // namespace
}  // namespace rdmaready

int main(int argc, char** argv) {
  const absl::Status status = rdmaready::Begin(argc, argv);
  std::puts(status.ok() ? "over" : rdmaready::Message(status).c_str());
  return status.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
}
