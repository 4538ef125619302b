// SPDX-License-Identifier: Apache-2.0
// smbd_peer: either end of SMB Direct, for tests on a device.
//
//   smbd_peer serve ADDRESS [port=445] [iwarp=0] [seconds=20]
//       An SMB Direct server that answers NEGOTIATE and lets nobody in. A line for each thing that happens.
//       Exit 0 when a client came, was answered and left.
//   smbd_peer ask ADDRESS [port=445] [iwarp=0] [seconds=5] [min=256] [max=256] [credits=10] [send=1364]
//                 [receive=8192] [fragmented=1048576] [bytes=20]
//       Sends these values, the first `bytes` of the negotiate request, and prints what comes: "refused ...",
//       "dropped", "silence" or "response status=0x00000000 granted=254 ...".
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

#include "agent/link/buffer.h"
#include "agent/link/failure.h"
#include "agent/link/verbs_link.h"
#include "agent/smbdirect/iwarp.h"
#include "agent/smbdirect/wire.h"
#include "api/base/status.h"
#include "tests/support/smb_server/responder.h"

namespace rdmaready {
namespace {

using Numbers = std::map<std::string, std::uint32_t, std::less<>>;

// "key=value" words over the defaults; exits on any other.
Numbers Read(int argc, char** argv, Numbers numbers) {
  for (int i = 3; i < argc; ++i) {
    const std::string_view word = argv[i];
    const std::size_t equals = word.find('=');
    const auto known = numbers.find(word.substr(0, equals));
    const char* const last = word.data() + word.size();
    const bool has = equals != std::string_view::npos && known != numbers.end();
    if (!has || std::from_chars(word.data() + equals + 1, last, known->second).ptr != last) {
      std::fprintf(stderr, "smbd_peer: %s?\n", argv[i]);
      std::exit(2);
    }
  }
  return numbers;
}

void Print(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

Patience For(std::uint32_t seconds) {
  return {.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds)};
}

int Serve(const std::string& address, const Numbers& numbers) {
  VerbsLink link;
  const ResponderOptions options{.address = address,
                                 .port = static_cast<std::uint16_t>(numbers.at("port")),
                                 .iwarp = numbers.at("iwarp") != 0,
                                 .settings = {.receive_credit_max = 32},
                                 .say = &Print};
  const absl::Status status = Respond(link, options, For(numbers.at("seconds")));
  if (!status.ok()) Print("failed: " + FailureOf(status).detail);
  return status.ok() ? 0 : 1;
}

absl::StatusOr<std::string> Ask(RdmaLink& link, const std::string& address, const Numbers& numbers) {
  namespace smbd = smbdirect;
  std::unique_ptr<Buffer> to;
  LinkSettings settings{.receiver_not_ready_retries = 0};
  settings.responder_resources = 32;
  settings.initiator_depth = 1;
  settings.before_connected = [&]() -> absl::Status {
    auto buffer = Buffer::Make(link, smbd::kNegotiateReceiveBytes, 1, Access::kReceiveTarget);
    if (!buffer.ok()) return buffer.status();
    to = *std::move(buffer);
    return link.PostReceive(0, to->slice(0));
  };
  std::vector<std::uint8_t> depths;
  if (numbers.at("iwarp") != 0) {
    for (const std::byte byte : smbd::EncodeDepths({.ird = 32, .ord = 1}, smbd::DepthsOrder::kBigEndian))
      depths.push_back(std::to_integer<std::uint8_t>(byte));
  }
  const Patience patience = For(numbers.at("seconds"));
  RR_RETURN_IF_ERROR(link.Connect({.address = address, .port = static_cast<std::uint16_t>(numbers.at("port"))},
                                  depths, "", settings, patience));
  const auto request = smbd::Encode(
      smbd::NegotiateRequest{.min_version = static_cast<std::uint16_t>(numbers.at("min")),
                             .max_version = static_cast<std::uint16_t>(numbers.at("max")),
                             .credits_requested = static_cast<std::uint16_t>(numbers.at("credits")),
                             .preferred_send_bytes = numbers.at("send"),
                             .max_receive_bytes = numbers.at("receive"),
                             .max_fragmented_bytes = numbers.at("fragmented")});
  auto from = Buffer::Make(link, smbd::kNegotiateRequestBytes, 1, Access::kSendSource);
  if (!from.ok()) return from.status();
  std::ranges::copy(request, (*from)->all().begin());
  Slice slice = (*from)->slice(0);
  slice.length = std::min(slice.length, numbers.at("bytes"));
  RR_RETURN_IF_ERROR(link.PostSend(1, slice));
  while (true) {
    std::array<Completion, 1> completions;
    const absl::StatusOr<std::size_t> count = link.Wait(completions, patience.deadline);
    if (!count.ok()) {
      if (FailureOf(count.status()).kind == FailureKind::kDisconnected) return "dropped";
      return count.status();
    }
    if (*count == 0) return "silence";
    if (completions[0].work != Work::kReceive) continue;
    const auto response = smbd::DecodeNegotiateResponse(to->all().first(completions[0].bytes));
    if (!response) return fmt::format("response of {} bytes", completions[0].bytes);
    return fmt::format(
        "response status={:#010x} version={:#06x} requested={} granted={} max_read_write={} send={} receive={} "
        "fragmented={}",
        response->status, response->negotiated_version, response->credits_requested, response->credits_granted,
        response->max_read_write_bytes, response->preferred_send_bytes, response->max_receive_bytes,
        response->max_fragmented_bytes);
  }
}

int RunAsk(const std::string& address, const Numbers& numbers) {
  VerbsLink link;
  const absl::StatusOr<std::string> answer = Ask(link, address, numbers);
  const Handshake& told = link.handshake();
  Print(answer.ok() ? *answer
                    : fmt::format("refused kind={} reason={}: {}", static_cast<int>(told.refusal),
                                  told.reject_reason, FailureOf(answer.status()).detail));
  link.Disconnect();
  return answer.ok() ? 0 : 1;
}

int Main(int argc, char** argv) {
  const std::string_view verb = argc > 2 ? argv[1] : "";
  if (verb == "serve") return Serve(argv[2], Read(argc, argv, {{"port", 445}, {"iwarp", 0}, {"seconds", 20}}));
  if (verb == "ask") {
    return RunAsk(argv[2], Read(argc, argv,
                                {{"port", 445},
                                 {"iwarp", 0},
                                 {"seconds", 5},
                                 {"min", 0x0100},
                                 {"max", 0x0100},
                                 {"credits", 10},
                                 {"send", 1364},
                                 {"receive", 8192},
                                 {"fragmented", 1'048'576},
                                 {"bytes", 20}}));
  }
  std::fputs("usage: smbd_peer serve|ask ADDRESS [KEY=NUMBER...]\n", stderr);
  return 2;
}

}  // namespace
}  // namespace rdmaready

int main(int argc, char** argv) { return rdmaready::Main(argc, argv); }
