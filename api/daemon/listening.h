// SPDX-License-Identifier: Apache-2.0
// Listening: from addresses as a person writes them to a gRPC server that answers there, or one clear line why
// not.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/base/event.h"
#include "api/daemon/handshake_queue.h"
#include "api/daemon/server_tls.h"
#include "api/daemon/tcp_door.h"
#include "api/daemon/watchdog.h"

namespace grpc {
class Server;
class ServerBuilder;
}  // namespace grpc

namespace rdmaready {

struct ListenOptions {
  std::vector<std::string> listen{};  // HOST[:PORT], as in api/client/address.h
  std::shared_ptr<grpc::ServerCredentials> credentials{};
  // Instead, where callers show certificates: only so many handshakes go on at a time (HandshakeQueue).
  CredentialsOfPlace tls{};
  bool plain_anywhere = false;  // else plain text is listened to on loopback only; set it with TLS, too
  std::chrono::milliseconds
      unacknowledged{};  // as in ListenTcp; that of gRPC's keepalive, which would set it itself
  Clock* clock = &RealClock();
  EventSink events{};
  std::string needs{};  // what plain text off loopback lacks: "--tls-cert, --tls-key and --tls-ca"
};

struct ListeningServer {
  ListeningServer();
  ListeningServer(ListeningServer&& other) noexcept;
  ListeningServer& operator=(ListeningServer&& other) noexcept;
  ~ListeningServer();

  std::unique_ptr<grpc::Server> server{};  // null: nothing listens
  // Each is older than what hands connections to it.
  std::unique_ptr<HandshakeQueue> queue{};  // null: each goes to the server at once
  std::unique_ptr<TcpDoor> door{};
  // In the order of `listen`, with the real port where 0 was asked for: "127.0.0.1:7471", "[::1]:7471".
  std::vector<std::string> addresses{};

  // Lets nobody in any more, and ends the calls that still run by then. Nothing without a server.
  void Shutdown(Clock::WallTime deadline);
};

// Adds the listeners to the builder, which has its services and limits, and starts it. kInvalidArgument (no
// address), kNotFound (does not resolve), kFailedPrecondition (plain text off loopback), kUnavailable (in use,
// not ours).
absl::StatusOr<ListeningServer> StartListening(grpc::ServerBuilder& builder, const ListenOptions& options);

// That callers are let in, as far as it is not gRPC that does it. `server` outlives it, and is shut down after
// it was asked last.
ProofOfLife ProofOfListening(const ListeningServer& server);

// Linking gRPC's reflection turns it on for every server of the process: here each says whether it has it.
void SetReflection(grpc::ServerBuilder& builder, bool on);

// `server` may be null.
void SetHealth(grpc::Server* server, const std::string& service, bool serving);

}  // namespace rdmaready
