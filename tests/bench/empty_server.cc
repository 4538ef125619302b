// SPDX-License-Identifier: Apache-2.0
// A gRPC server of the agent's methods, none of which does anything: what any agent of this kind costs at least.
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <csignal>
#include <memory>

#include "rdmaready/v1/agent.grpc.pb.h"

int main() {
  ::sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  grpc::EnableDefaultHealthCheckService(true);
  rdmaready::v1::Agent::Service service;
  grpc::ServerBuilder builder;
  builder.RegisterService(&service);
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials());
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  int signal = 0;
  ::sigwait(&signals, &signal);
  server->Shutdown();
  return 0;
}
