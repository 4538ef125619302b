// SPDX-License-Identifier: Apache-2.0
// CheckedAgent: an agent that says what the test wants; and two of them, as hosts of a check.
#pragma once

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "api/convert/facts.h"
#include "api/convert/records.h"
#include "api/model/cases.h"
#include "api/profile/profile_proto.h"
#include "checks/judge.h"
#include "checks/live/transfer.h"
#include "checks/readiness.h"
#include "cli/fleet/hosts_check.h"
#include "rdmaready/v1/agent.grpc.pb.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {

class CheckedAgent final : public v1::Agent::Service {
 public:
  explicit CheckedAgent(const std::string& address) {
    facts_ = WithNetdev([&](Netdev& netdev) {
      netdev.addresses = std::vector<IpAddress>{{.address = address, .prefix_length = 24}};
    });
    grpc::ServerBuilder builder;
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~CheckedAgent() override { server_->Shutdown(std::chrono::system_clock::now()); }

  HostClient Client(const std::string& name) {
    HostClient host{.name = name};
    host.remote = std::make_unique<AgentClient>(name, server_->InProcessChannel({}), ClientOptions{});
    host.agent = host.remote.get();
    return host;
  }

  grpc::Status Check(grpc::ServerContext* context, const v1::CheckRequest* request,
                     grpc::ServerWriter<v1::CheckEvent>* writer) override {
    std::vector<Finding> findings = JudgeHost(facts_, profile_);
    for (const TransferCase& test : CheckedCasesOn(Rung::kLoopback)) {
      findings.push_back(
          JudgeTransfer(Good(std::string(test.name)), {.rung = Rung::kLoopback, .subject = "rxe0/1 dcb0"}));
    }
    v1::CheckEvent event;
    std::uint32_t told = 0;
    const auto say = [&](std::span<const Finding> said) {
      for (const Finding& finding : said) {
        *event.mutable_finding() = ToProto(finding);
        writer->Write(event);
        ++told;
      }
    };
    if (hangs) {
      say(std::span(findings).first(1));
      say(early);
      while (hangs && !context->IsCancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      say(std::span(findings).subspan(1));
    } else {
      say(findings);
    }
    v1::CheckDone* done = event.mutable_done();
    *done->mutable_report() = WithoutFindings(
        {.agent_version = "0.1.0", .kernel_release = "6.12", .profiles = {{profile_.name, profile_.digest}}});
    done->set_findings(told + miscounted);
    *done->add_profiles() = ToProto(profile_);
    done->set_software_devices_only(AllSoftware(facts_));
    asked_for_facts = request->with_facts();
    for (const v1::ProfileChoice& chosen : request->profiles())
      asked_profiles.push_back(chosen.profile().name());
    if (request->with_facts()) *done->mutable_facts() = ToProto(facts_);
    writer->Write(event);
    return grpc::Status::OK;
  }

  grpc::Status TestPeer(grpc::ServerContext* context,
                        grpc::ServerReaderWriter<v1::TransferEvent, v1::PeerTestRequest>* stream) override {
    v1::PeerTestRequest first;
    if (!stream->Read(&first)) return {grpc::StatusCode::INVALID_ARGUMENT, "no start"};
    const int mine = ++peer_tests;
    if (mine > dies_after) return {grpc::StatusCode::UNAVAILABLE, "Socket closed"};
    while (mine > waits_after && !context->IsCancelled())
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (busy) return {grpc::StatusCode::RESOURCE_EXHAUSTED, "port rxe0/1 is in use by root@c"};
    v1::TransferEvent event;
    TransferResult result = Good(first.start().case_name());
    if (fails.kind != FailureKind::kNone) result = {.case_name = result.case_name, .failure = fails};
    *event.mutable_result()->mutable_result() = ToProto(result);
    stream->Write(event);
    return grpc::Status::OK;
  }

  // A server that speaks SMB 3 over RDMA, or a port that is busy.
  grpc::Status Probe(grpc::ServerContext*, const v1::ProbeRequest* request,
                     grpc::ServerWriter<v1::ProbeEvent>* writer) override {
    probed = request->target();
    time_ms = request->timeout_ms();
    if (busy) return {grpc::StatusCode::RESOURCE_EXHAUSTED, "port rxe0/1 is in use by root@c"};
    v1::ProbeEvent event;
    event.mutable_done()->mutable_result()->set_target(request->target());
    *event.mutable_done()->add_findings() = ToProto(Finding{.id = "server.smb2-over-rdma",
                                                            .scope = Scope::kTarget,
                                                            .rung = Rung::kServer,
                                                            .subject = "smb fs1",
                                                            .outcome = Outcome::kPass,
                                                            .blocking = true});
    writer->Write(event);
    return grpc::Status::OK;
  }

  void LoseWindows() {
    std::vector<Port> ports = *facts_.ports;
    ports[0].limits = DeviceLimits{.fast_registration = true};
    facts_.ports = ports;
  }

  void BeHardware() {
    std::vector<Port> ports = *facts_.ports;
    ports[0].software = false;
    facts_.ports = ports;
  }

  // Every test of it fails in that way.
  Failure fails{};

  void Change(const std::function<void(Facts&)>& change) { change(facts_); }

  std::uint32_t miscounted = 0;  // findings that are told of and not sent
  std::string probed{};
  std::atomic<bool> asked_for_facts = false;
  std::vector<std::string> asked_profiles{};  // read when the check is over
  std::uint32_t time_ms = 0;
  std::vector<Finding> early{};  // said before it hangs
  std::atomic<bool> hangs = false;
  std::atomic<bool> busy = false;
  std::atomic<int> peer_tests = 0;
  std::atomic<int> dies_after = 1000;
  std::atomic<int> waits_after = 1000;

 private:
  static TransferResult Good(const std::string& name) {
    return {.case_name = name, .messages = 1, .bytes = 8, .bytes_verified = 8, .elapsed_ns = 1};
  }

  Facts facts_;
  Profile profile_ = VirtualFabricProfile();
  std::unique_ptr<grpc::Server> server_;
};

class HostsCheckTest : public ::testing::Test {
 protected:
  HostsCheckTest() {
    hosts_.push_back(a_.Client("a"));
    hosts_.push_back(b_.Client("b"));
  }

  // What Ctrl-C would show at the first moment at which `enough` holds, while the check runs; then `release`.
  CheckSummary SnapshotWhen(HostsCheck& check, const std::function<bool(const CheckSummary&)>& enough,
                            const std::function<void()>& release) {
    CheckSummary sofar;
    const std::jthread run([&] { check.Run(); });
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    do {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      sofar = check.Snapshot();
    } while (!enough(sofar) && std::chrono::steady_clock::now() < deadline);
    EXPECT_TRUE(enough(sofar));
    release();
    return sofar;
  }

  std::vector<Finding> PeerFindings(const CheckSummary& check) {
    std::vector<Finding> findings;
    for (const PairReport& pair : check.report.pairs) {
      for (const Finding& finding : pair.findings) {
        if (finding.id.starts_with("peer.")) findings.push_back(finding);
      }
    }
    return findings;
  }

  CheckedAgent a_{"10.0.0.1"};
  CheckedAgent b_{"10.0.0.2"};
  std::vector<HostClient> hosts_;
};

}  // namespace rdmaready
