// SPDX-License-Identifier: Apache-2.0
// rdmaready-ask TARGET [CERT KEY CA]              asks every RPC, each with every argument that has a row of
// its own, and prints a
//                                                 line for each: what, the code of the answer, its words
// rdmaready-ask TARGET greedy THREADS SECONDS     so many callers at once, each asking as fast as it can for
// what takes longest TARGET: as gRPC takes it ("unix:/run/x.sock", "127.0.0.1:7471").
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "rdmaready/v1/agent.grpc.pb.h"

namespace rdmaready {
namespace {

using Clock = std::chrono::system_clock;

std::string TextOf(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::shared_ptr<grpc::Channel> Connect(const std::string& target, char** tls) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a connection of its own
  auto credentials = grpc::InsecureChannelCredentials();
  if (tls != nullptr) {
    credentials = grpc::SslCredentials({.pem_root_certs = TextOf(tls[2]),
                                        .pem_private_key = TextOf(tls[1]),
                                        .pem_cert_chain = TextOf(tls[0])});
  }
  return grpc::CreateCustomChannel(target, credentials, arguments);
}

class Asker {
 public:
  explicit Asker(const std::shared_ptr<grpc::Channel>& channel)
      : channel_(channel), stub_(v1::Agent::NewStub(channel)) {}

  void AskAll() {
    Say("GetVersion", [this](grpc::ClientContext& context) {
      v1::GetVersionResponse answer;
      return stub_->GetVersion(&context, {}, &answer);
    });
    Say("GetFacts", [this](grpc::ClientContext& context) {
      v1::GetFactsResponse answer;
      return stub_->GetFacts(&context, {}, &answer);
    });
    Say("GetRecording", [this](grpc::ClientContext& context) {
      return Drained<v1::RecordingPart>(stub_->GetRecording(&context, {}));
    });
    Say("ListHistory", [this](grpc::ClientContext& context) {
      return Drained<v1::HistoryEntry>(stub_->ListHistory(&context, {}));
    });
    Say("Baseline", [this](grpc::ClientContext& context) {
      return Drained<v1::CaseBaseline>(stub_->Baseline(&context, {}));
    });
    Say("GetEvents", [this](grpc::ClientContext& context) {
      return Drained<v1::LoggedEvent>(stub_->GetEvents(&context, {}));
    });
    for (const v1::Rung level : {v1::RUNG_HOST, v1::RUNG_LOOPBACK}) {
      Say(level == v1::RUNG_HOST ? "Check level host" : "Check level loopback",
          [this, level](grpc::ClientContext& context) {
            v1::CheckRequest request;
            request.set_level(level);
            return Drained<v1::CheckEvent>(stub_->Check(&context, request));
          });
    }
    Say("TestLoopback", [this](grpc::ClientContext& context) {
      v1::TestLoopbackRequest request;
      request.add_cases("none-such");
      return Drained<v1::TransferEvent>(stub_->TestLoopback(&context, request));
    });
    Say("TestPeer", [this](grpc::ClientContext& context) {
      const auto stream = stub_->TestPeer(&context);
      v1::PeerTestRequest request;
      request.mutable_start()->set_role(v1::PeerTestRequest::Start::ROLE_INITIATOR);
      request.mutable_start()->set_case_name("none-such");
      stream->Write(request);
      stream->WritesDone();
      for (v1::TransferEvent event; stream->Read(&event);) {
      }
      return stream->Finish();
    });
    for (const bool prove : {false, true}) {
      Say(prove ? "Probe prove" : "Probe", [this, prove](grpc::ClientContext& context) {
        v1::ProbeRequest request;
        request.set_protocol(v1::PROTOCOL_NVME);
        request.set_prove(prove);
        return Drained<v1::ProbeEvent>(stub_->Probe(&context, request));
      });
    }
    Say("MakePlan", [this](grpc::ClientContext& context) {
      v1::Plan answer;
      return stub_->MakePlan(&context, {}, &answer);
    });
    Say("GetApplier", [this](grpc::ClientContext& context) {
      v1::ApplierStatus answer;
      return stub_->GetApplier(&context, {}, &answer);
    });
    Say("Apply", [this](grpc::ClientContext& context) {
      return Drained<v1::Change>(stub_->Apply(&context, {}));
    });
    Say("ProvePeer", [this](grpc::ClientContext& context) {
      v1::Change answer;
      return stub_->ProvePeer(&context, {}, &answer);
    });
    Say("Confirm", [this](grpc::ClientContext& context) {
      v1::Change answer;
      return stub_->Confirm(&context, {}, &answer);
    });
    Say("RollBack", [this](grpc::ClientContext& context) {
      v1::Change answer;
      return stub_->RollBack(&context, {}, &answer);
    });
    Say("Forget", [this](grpc::ClientContext& context) {
      v1::ForgetResponse answer;
      return stub_->Forget(&context, {}, &answer);
    });
    Say("SendPauses", [this](grpc::ClientContext& context) {
      return Drained<v1::SendPausesEvent>(stub_->SendPauses(&context, {}));
    });
    Raw("health", "/grpc.health.v1.Health/Check");
    Raw("reflection", "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo");
  }

  // Looks at the ports for a minute, which is the longest that a caller without a right to test can ask for.
  grpc::Status Hog(std::chrono::seconds longest) {
    grpc::ClientContext context;
    context.set_deadline(Clock::now() + longest);
    v1::CheckRequest request;
    request.set_level(v1::RUNG_HOST);
    request.set_watch_seconds(60);
    return Drained<v1::CheckEvent>(stub_->Check(&context, request));
  }

 private:
  template <class Message, class Reader>
  static grpc::Status Drained(const Reader& reader) {
    for (Message message; reader->Read(&message);) {
    }
    return reader->Finish();
  }

  static void Say(const std::string& what, const std::function<grpc::Status(grpc::ClientContext&)>& call) {
    grpc::ClientContext context;
    context.set_deadline(Clock::now() + std::chrono::seconds(30));
    const grpc::Status status = call(context);
    std::printf("%s\t%d\t%s\n", what.c_str(), static_cast<int>(status.error_code()),
                status.error_message().c_str());
  }

  // A method whose messages we have no code for.
  void Raw(const std::string& what, const std::string& method) {
    Say(what, [&](grpc::ClientContext& context) {
      grpc::GenericStub stub(channel_);
      grpc::CompletionQueue queue;
      const grpc::Slice slice("");
      const grpc::ByteBuffer nothing(&slice, 1);
      const auto call = stub.PrepareCall(&context, method, &queue);
      void* tag = nullptr;
      bool ok = false;
      grpc::Status status;
      call->StartCall(nullptr);
      queue.Next(&tag, &ok);
      call->WriteLast(nothing, grpc::WriteOptions(), nullptr);
      queue.Next(&tag, &ok);
      for (grpc::ByteBuffer answer; ok;) {
        call->Read(&answer, nullptr);
        queue.Next(&tag, &ok);
      }
      call->Finish(&status, nullptr);
      queue.Next(&tag, &ok);
      return status;
    });
  }

  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::Agent::Stub> stub_;
};

int BeGreedy(const std::string& target, int threads, std::chrono::seconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  std::atomic<long> refused = 0;
  std::atomic<long> other = 0;
  std::vector<std::jthread> callers;
  callers.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) {
    callers.emplace_back([&] {
      Asker asker(Connect(target, nullptr));
      while (std::chrono::steady_clock::now() < end) {
        const auto left = std::chrono::ceil<std::chrono::seconds>(end - std::chrono::steady_clock::now());
        ++(asker.Hog(left).error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED ? refused : other);
      }
    });
  }
  callers.clear();
  std::printf("refused %ld other %ld\n", refused.load(), other.load());
  return 0;
}

int Main(int argc, char** argv) {
  if (argc == 5 && std::string(argv[2]) == "greedy")
    return BeGreedy(argv[1], std::atoi(argv[3]), std::chrono::seconds(std::atoi(argv[4])));
  if (argc != 2 && argc != 5) return 2;
  Asker(Connect(argv[1], argc == 5 ? argv + 2 : nullptr)).AskAll();
  return 0;
}

}  // namespace
}  // namespace rdmaready

int main(int argc, char** argv) { return rdmaready::Main(argc, argv); }
