// SPDX-License-Identifier: Apache-2.0
// recorded_agent RECORDING COUNTER OPTION...
//
// An agent with OPTIONs as rdmaready-agent has them, but of the host that was recorded, whose live tests move
// bytes through memory. The error counter COUNTER (a part of its path in sysfs; empty: none) grows with each
// reading. Ends at SIGTERM or SIGINT.
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "agent/daemon/options.h"
#include "agent/server/server.h"
#include "api/base/status.h"
#include "api/daemon/event_log.h"
#include "api/profile/load.h"
#include "collectors/recording/folder.h"
#include "collectors/recording/recorded_host.h"
#include "tests/unit/agent/link/memory_link.h"

namespace rdmaready {
namespace {

// Facts do not hold the list of queue pairs, nor the driver of the device, so no recording has them. Here
// nobody holds a queue pair, and the driver has no objects beside the kernel's lists.
bool AsksForQueuePairs(const Question& question) {
  const auto* request = std::get_if<NetlinkRequest>(&question);
  return request != nullptr && request->protocol == NETLINK_RDMA &&
         RDMA_NL_GET_OP(request->type) == RDMA_NLDEV_CMD_RES_QP_GET;
}

bool AsksForDriver(const Question& question) {
  const auto* link = std::get_if<LinkQuestion>(&question);
  return link != nullptr && link->path.starts_with("/sys/class/infiniband/") &&
         link->path.ends_with("/device/driver");
}

// The recorded host, with one counter that goes on.
class CountingHost final : public HostReader {
 public:
  CountingHost(Recording recording, std::string counter)
      : recorded_(std::move(recording)), counter_(std::move(counter)) {}

  using HostReader::Ask;
  Answer Ask(const Question& question) override {
    const std::lock_guard lock(mutex_);
    if (AsksForQueuePairs(question)) return AnswerOf<NetlinkRequest>(std::vector<NetlinkMessage>());
    if (AsksForDriver(question)) return AnswerOf<LinkQuestion>(ErrnoStatus(ENOENT, "read the driver"));
    Answer answer = recorded_.Ask(question);
    const auto* file = std::get_if<FileQuestion>(&question);
    if (file == nullptr || counter_.empty() || file->path.find(counter_) == std::string::npos) return answer;
    value_ += 3;
    return AnswerOf<FileQuestion>(std::to_string(value_) + "\n");
  }

 private:
  std::mutex mutex_;  // guards what follows
  RecordedHost recorded_;
  const std::string counter_;
  std::uint64_t value_ = 0;
};

// Both ends of a test come from the same maker, the two in any order.
LinkMaker BothEnds() {
  struct Made {
    std::mutex mutex;
    std::size_t count[2] = {};
    std::vector<std::unique_ptr<MemoryFabric>> fabrics;
  };
  return [made = std::make_shared<Made>()](Role role, std::uint32_t) {
    const std::lock_guard lock(made->mutex);
    const std::size_t test = made->count[static_cast<std::size_t>(role)]++;
    while (made->fabrics.size() <= test) made->fabrics.push_back(std::make_unique<MemoryFabric>());
    return std::make_unique<MemoryLink>(*made->fabrics[test], role);
  };
}

int Fail(const absl::Status& why) {
  std::fprintf(stderr, "recorded_agent: %s\n", Message(why).c_str());
  return 2;
}

int Main(int argc, char** argv) {
  if (argc < 4) return Fail(absl::InvalidArgumentError("recorded_agent RECORDING COUNTER OPTION..."));
  absl::StatusOr<std::vector<SavedRecording>> saved = LoadRecordings(argv[1]);
  if (!saved.ok()) return Fail(saved.status());
  absl::StatusOr<Recording>& recording = saved->front().recording;
  if (!recording.ok()) return Fail(recording.status());
  absl::StatusOr<AgentCommandLine> command = ParseAgentCommandLine(argc - 2, argv + 2);
  if (!command.ok()) return Fail(command.status());
  ServerOptions& options = command->options.server;
  const absl::StatusOr<Profile> profile = LoadProfile(command->options.profile_name);
  if (!profile.ok()) return Fail(profile.status());
  ::sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  options.default_profiles = {*profile};
  options.events = StartLog(command->options.log_format, command->options.log_level);
  options.host = std::make_shared<CountingHost>(*std::move(recording), argv[2]);
  options.make_link = BothEnds();
  const auto agent = HostedAgent::Start(options);
  if (!agent.ok()) return Fail(agent.status());
  if ((*agent)->metrics() != nullptr)
    std::fprintf(stderr, "metrics url=http://%s/metrics\n", (*agent)->metrics()->address().c_str());
  std::fprintf(stderr, "listening address=%s tls=no\n", (*agent)->addresses().front().address.c_str());
  int signal = 0;
  ::sigwait(&signals, &signal);
  (*agent)->Shutdown(std::chrono::milliseconds(500));
  return 0;
}

}  // namespace
}  // namespace rdmaready

int main(int argc, char** argv) { return rdmaready::Main(argc, argv); }
