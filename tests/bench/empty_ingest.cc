// SPDX-License-Identifier: Apache-2.0
// empty_ingest ADDRESS PERIOD_S [CERTIFICATE KEY CA]: a server of rdmaready.v1.Ingest that keeps nothing and
// judges nothing: one stream for each client, one answer to each message. What a hub costs beyond this is its
// own work.
#include <grpcpp/grpcpp.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

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
    if (ok) StartRead(&in_);
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

std::string TextOf(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Those of a hub: callers show a certificate.
std::shared_ptr<grpc::ServerCredentials> CredentialsOf(int argc, char** argv) {
  if (argc == 3) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions tls(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  tls.pem_key_cert_pairs.push_back({TextOf(argv[4]), TextOf(argv[3])});
  tls.pem_root_certs = TextOf(argv[5]);
  return grpc::SslServerCredentials(tls);
}

int Main(int argc, char** argv) {
  if (argc != 3 && argc != 6) return 2;
  ::rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ::sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM}) ::sigaddset(&signals, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  EmptyIngest service(static_cast<std::uint32_t>(std::atoi(argv[2])));
  grpc::ServerBuilder builder;
  builder.AddListeningPort(argv[1], CredentialsOf(argc, argv));
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) return 1;
  int signal = 0;
  ::sigwait(&signals, &signal);
  server->Shutdown(std::chrono::system_clock::now());
  return 0;
}

}  // namespace
}  // namespace rdmaready

int main(int argc, char** argv) { return rdmaready::Main(argc, argv); }
