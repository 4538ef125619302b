// SPDX-License-Identifier: Apache-2.0
#include "agent/server/proofs_of_life.h"

#include <grpcpp/grpcpp.h>

#include <memory>
#include <utility>
#include <vector>

#include "agent/agent.h"
#include "agent/server/server.h"
#include "api/base/clock.h"
#include "api/base/status.h"
#include "api/daemon/watchdog.h"
#include "rdmaready/v1/agent.grpc.pb.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;

// A call that everybody may make, through the server that serves all.
absl::Status CallIsAnswered(v1::Agent::Stub& stub, milliseconds patience) {
  grpc::ClientContext context;
  context.set_deadline(DeadlineIn(patience));
  v1::GetVersionResponse version;
  const grpc::Status answered = stub.GetVersion(&context, {}, &version);
  if (answered.ok()) return absl::OkStatus();
  return absl::DeadlineExceededError("GetVersion: " + answered.error_message());
}

// Behind a long queue it is enough that the queue moves.
class WorkerProof {
 public:
  explicit WorkerProof(HostWorker& worker) : worker_(worker) {}

  absl::Status Prove(milliseconds patience) {
    if (!asked_.valid()) asked_ = worker_.Begin<bool>([](HostReader&) { return true; });
    if (asked_.wait_for(patience) == std::future_status::ready) return asked_.get().status();
    const std::uint64_t finished = worker_.finished();
    if (std::exchange(finished_, finished) != finished) return absl::OkStatus();
    return absl::DeadlineExceededError("readings of this host are not answered");
  }

 private:
  HostWorker& worker_;
  std::future<absl::StatusOr<bool>> asked_{};
  std::uint64_t finished_ = 0;  // when it was last asked
};

}  // namespace

ProofOfLife ProofOfReading(HostWorker& worker) {
  const auto proof = std::make_shared<WorkerProof>(worker);
  return {"the host is read", [proof](milliseconds patience) { return proof->Prove(patience); }};
}

std::vector<ProofOfLife> HostedAgent::ProofsOfLife() {
  std::vector<ProofOfLife> proofs;
  // That of the network, that of the local sockets: whichever there is.
  for (grpc::Server* server : {network_.server.get(), local_.get()}) {
    if (server == nullptr) continue;
    std::shared_ptr<v1::Agent::Stub> stub = v1::Agent::NewStub(server->InProcessChannel(grpc::ChannelArguments()));
    proofs.push_back({"calls are answered", [stub](milliseconds patience) { return CallIsAnswered(*stub, patience); }});
  }
  proofs.push_back(ProofOfListening(network_));
  proofs.push_back(ProofOfReading(agent_->worker()));
  if (schedule_)
    proofs.push_back({"the schedule goes on", [this](milliseconds) { return schedule_->OnTime(); }});
  if (test_schedule_)
    proofs.push_back({"the schedule of tests goes on", [this](milliseconds) { return test_schedule_->OnTime(); }});
  proofs.push_back({"the watch for drift goes on", [this](milliseconds) {
                      const std::lock_guard lock(drift_mutex_);
                      return drift_ ? drift_->GoesOn() : absl::OkStatus();
                    }});
  return proofs;
}

}  // namespace rdmaready
