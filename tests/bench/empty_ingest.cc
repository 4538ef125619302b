// SPDX-License-Identifier: Apache-2.0
// empty_ingest ADDRESS PERIOD_S [CERTIFICATE KEY CA]: a server of rdmaready.v1.Ingest that keeps nothing and
// judges nothing: one stream for each client, one answer to each message. What a hub costs beyond this is its
// own work.
#include <grpcpp/grpcpp.h>

#include <csignal>
#include <cstdlib>
#include <memory>

#include "api/daemon/listening.h"
#include "api/daemon/process.h"
#include "api/daemon/server_tls.h"
#include "rdmaready/v1/ingest.grpc.pb.h"

namespace rdmaready {
namespace {

class EmptyCall final : public grpc::ServerBidiReactor<v1::FromAgent, v1::FromHub> {
 public:
  explicit EmptyCall(std::uint32_t period_s) : period_s_(period_s) { StartRead(&in_); }

  void OnReadDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::OK);
    if (in_.has_hello()) {
      out_.mutable_welcome()->set_period_s(period_s_);
    } else {
      out_.mutable_ack()->set_sequence(in_.report().sequence());
      out_.mutable_ack()->set_result(v1::ReportAck::RESULT_KEPT);
      out_.mutable_ack()->set_period_s(period_s_);
    }
    in_ = {};
    StartWrite(&out_);
  }
  void OnWriteDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::OK);
    StartRead(&in_);
  }
  void OnDone() override { delete this; }

 private:
  const std::uint32_t period_s_;
  v1::FromAgent in_{};
  v1::FromHub out_{};
};

class EmptyIngest final : public v1::Ingest::CallbackService {
 public:
  explicit EmptyIngest(std::uint32_t period_s) : period_s_(period_s) {}
  grpc::ServerBidiReactor<v1::FromAgent, v1::FromHub>* Attach(grpc::CallbackServerContext*) override {
    return new EmptyCall(period_s_);
  }

 private:
  const std::uint32_t period_s_;
};

int Main(int argc, char** argv) {
  if (argc != 3 && argc != 6) return 2;
  const ::sigset_t signals = BecomeDaemon();
  EmptyIngest service(static_cast<std::uint32_t>(std::atoi(argv[2])));
  // Callers are let in as a hub lets them in: by TLS a fleet that comes at once would never be there else.
  ListenOptions listen{.listen = {argv[1]}, .credentials = grpc::InsecureServerCredentials()};
  if (argc == 6) {
    const TlsFiles files{.certificate = argv[3], .key = argv[4], .ca = argv[5]};
    listen.tls = MakeServerCredentials(files, MakeCallerJudge(files, {})).value();
  }
  grpc::ServerBuilder builder;
  builder.RegisterService(&service);
  absl::StatusOr<ListeningServer> server = StartListening(builder, listen);
  if (!server.ok()) return 1;
  int signal = 0;
  ::sigwait(&signals, &signal);
  server->Shutdown(std::chrono::system_clock::now());
  return 0;
}

}  // namespace
}  // namespace rdmaready

int main(int argc, char** argv) { return rdmaready::Main(argc, argv); }
