// SPDX-License-Identifier: Apache-2.0
// rdmaready-test-relay ATTACK INITIATOR RESPONDER [CERT KEY CA]: a peer test (write-8k on rxe0/1) whose caller
// lies.
//
// Prints one line a word: what each agent said in the end. ATTACK is what becomes of the messages that it
// relays.
#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "api/base/small_file.h"
#include "api/convert/records.h"
#include "rdmaready/v1/agent.grpc.pb.h"

namespace rdmaready {
namespace {

using Message = v1::PeerMessage;
using Start = v1::PeerTestRequest::Start;

struct Side {
  std::unique_ptr<v1::Agent::Stub> stub;
  grpc::ClientContext context;
  std::unique_ptr<grpc::ClientReaderWriter<v1::PeerTestRequest, v1::TransferEvent>> stream;
  std::mutex mutex;
  bool closed = false;
  std::string result = "none";

  void Send(const Message& message) {
    const std::lock_guard lock(mutex);
    if (closed) return;
    v1::PeerTestRequest request;
    *request.mutable_peer() = message;
    stream->Write(request);
  }
  void Close() {
    const std::lock_guard lock(mutex);
    if (!std::exchange(closed, true)) stream->WritesDone();
  }
};

// What a signed message holds, or the message itself.
Message Inside(const Message& message) {
  Message body;
  return message.kind() == Message::KIND_SIGNED && body.ParseFromString(message.body()) ? body : message;
}

// The same message with that inside, under the signature that it had.
Message With(const Message& message, const Message& inside) {
  if (message.kind() != Message::KIND_SIGNED) return inside;
  Message changed = message;
  changed.set_body(inside.SerializeAsString());
  return changed;
}

using MessageChange = std::function<void(Message&)>;

struct Attack {
  Message::Kind kind = Message::KIND_UNKNOWN;  // of the messages that change
  MessageChange change{};
};

const std::map<std::string, Attack>& Changes() {
  static const std::map<std::string, Attack> changes{
      {"address", {Message::KIND_OFFER, [](Message& offer) { offer.set_endpoint_address("192.168.77.1"); }}},
      {"port",
       {Message::KIND_OFFER, [](Message& offer) { offer.set_endpoint_port(offer.endpoint_port() ^ 1); }}},
      {"case", {Message::KIND_OFFER, [](Message& offer) { offer.set_case_name("write-512k"); }}},
      {"lane", {Message::KIND_OFFER, [](Message& offer) { offer.set_lane(1); }}},
      {"rkey",
       {Message::KIND_READY, [](Message& ready) { ready.set_memory_rkey(ready.memory_rkey() ^ 0x100); }}},
      {"memory",
       {Message::KIND_READY,
        [](Message& ready) { ready.set_memory_address(ready.memory_address() + 65'536); }}},
      {"length", {Message::KIND_READY, [](Message& ready) { ready.set_memory_length_bytes(1ull << 40); }}},
      {"key", {Message::KIND_HELLO, [](Message& hello) {
                 if (!hello.hello_key().empty()) hello.set_hello_key(std::string(31, 'k') + "9");
               }}}};
  return changes;
}

class Relay {
 public:
  Relay(std::string attack, Side& from, Side& to) : attack_(std::move(attack)), from_(from), to_(to) {}

  void Carry(Side& source, Side& sink) {
    for (v1::TransferEvent event; source.stream->Read(&event);) {
      if (event.has_peer()) Pass(event.peer(), source, sink);
      if (event.has_result()) {
        const TransferResult result = FromProto(event.result().result());
        source.result = result.failure.kind == FailureKind::kNone ? "passed" : result.failure.detail;
        source.Close();
      }
    }
    sink.Close();
  }

 private:
  void Pass(const Message& message, Side& source, Side& sink) {
    const Message inside = Inside(message);
    const auto change = Changes().find(attack_);
    if (attack_ == "mirror") {
      source.Send(message);
    } else if (attack_ == "bare" && message.kind() == Message::KIND_SIGNED &&
               inside.kind() == Message::KIND_OFFER) {
      sink.Send(inside);
    } else if (attack_ == "twice" && inside.kind() == Message::KIND_OFFER) {
      sink.Send(message);
      sink.Send(message);
    } else if (attack_ == "reorder" && &source == &to_ && message.kind() == Message::KIND_SIGNED &&
               inside.kind() == Message::KIND_HELLO) {
      held_ = message;
    } else if (held_) {
      sink.Send(message);
      sink.Send(*std::exchange(held_, std::nullopt));
    } else if (change != Changes().end() && inside.kind() == change->second.kind) {
      Message changed = inside;
      change->second.change(changed);
      sink.Send(With(message, changed));
    } else {
      sink.Send(message);
    }
  }

  const std::string attack_;
  Side& from_;
  Side& to_;
  std::optional<Message> held_{};  // of the responder's thread alone
};

std::shared_ptr<grpc::Channel> Open(const std::string& address, const std::vector<std::string>& files) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  if (files.size() < 3) {
    return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
  }
  constexpr std::size_t kMost = 1 << 20;
  arguments.SetSslTargetNameOverride("127.0.0.1");
  return grpc::CreateCustomChannel(
      address,
      grpc::SslCredentials({.pem_root_certs = ReadSmallFile(files[2], kMost).value_or(""),
                            .pem_private_key = ReadSmallFile(files[1], kMost).value_or(""),
                            .pem_cert_chain = ReadSmallFile(files[0], kMost).value_or("")}),
      arguments);
}

void Begin(Side& side, const std::string& address, const std::vector<std::string>& files, Start::Role role) {
  side.stub = v1::Agent::NewStub(Open(address, files));
  side.context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  side.stream = side.stub->TestPeer(&side.context);
  v1::PeerTestRequest request;
  Start& start = *request.mutable_start();
  start.set_role(role);
  start.mutable_port()->set_device("rxe0");
  start.mutable_port()->set_number(1);
  start.set_case_name("write-8k");
  start.set_caller("an attacker");
  start.set_peer_name("somebody");
  *start.mutable_options() = ToProto(TransferOptions{});
  side.stream->Write(request);
}

int Main(const std::vector<std::string>& words) {
  if (words.size() != 3 && words.size() != 6) {
    std::fputs("usage: rdmaready-test-relay ATTACK INITIATOR RESPONDER [CERT KEY CA]\n", stderr);
    return 2;
  }
  const std::vector<std::string> files(words.begin() + 3, words.end());
  Side from;
  Side to;
  Begin(from, words[1], files, words[0] == "responders" ? Start::ROLE_RESPONDER : Start::ROLE_INITIATOR);
  Begin(to, words[2], files, Start::ROLE_RESPONDER);
  Relay relay(words[0], from, to);
  {
    const std::jthread back([&] { relay.Carry(to, from); });
    relay.Carry(from, to);
  }
  for (Side* side : {&from, &to}) {
    const grpc::Status status = side->stream->Finish();
    std::fputs(fmt::format("{}: {}\n", side == &from ? "initiator" : "responder",
                           status.ok() ? side->result : status.error_message())
                   .c_str(),
               stdout);
  }
  return 0;
}

}  // namespace
}  // namespace rdmaready

int main(int argc, char** argv) { return rdmaready::Main({argv + 1, argv + argc}); }
