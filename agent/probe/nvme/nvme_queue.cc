// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/nvme/nvme_queue.h"

#include <algorithm>
#include <chrono>

#include "agent/link/failure.h"
#include "api/base/status.h"

namespace rdmaready::nvme {
namespace {

constexpr std::chrono::milliseconds kReadyLook{20};
constexpr int kMostForeignCompletions = 16;  // completions of other commands, before it is no answer any more

std::string ExplainNvmeReject(Octets private_data) {
  const auto reject = DecodeConnectReject(private_data);
  return reject ? "the NVMe target says " + RejectText(reject->status) : std::string();
}

KeyedBuffer KeyedBufferOf(const Buffer& buffer) {
  const RemoteMemory memory = buffer.remote();
  return {.address = memory.address,
          .length_bytes = static_cast<std::uint32_t>(memory.length_bytes),
          .key = memory.rkey};
}

absl::Status Refused(const std::string& what, const Completion& completion, std::string_view field = {}) {
  std::string text = what + ": " + StatusText(completion.status);
  if (!field.empty()) text += ", because of its field " + std::string(field);
  return MakeFailure(FailureKind::kRejected, text);
}

}  // namespace

// A completion may come for each command, and a controller may send no more than that.
Queue::Queue(const LinkMaker& make_link)
    : link_(make_link, {.receives = kAdminDepth, .receive_bytes = 64, .send_bytes = kCommandBytes}) {}

absl::Status Queue::Connect(const Endpoint& to, const std::string& local_address, const Patience& patience) {
  return link_.Connect(to, local_address, EncodeConnectPrivate(), ExplainNvmeReject, patience);
}

absl::StatusOr<Completion> Queue::Run(const Command& command, std::uint16_t id, const std::string& what,
                                      const Patience& patience) {
  RR_RETURN_IF_ERROR(link_.Send(command, patience));
  for (int i = 0; i < kMostForeignCompletions; ++i) {
    RR_ASSIGN_OR_RETURN(const Octets message, link_.Receive(patience));
    const auto completion = DecodeCompletion(message);
    if (!completion) return MakeFailure(FailureKind::kCorrupt, what + ": the answer is no completion");
    if (completion->id == id) return *completion;
  }
  return MakeFailure(FailureKind::kCorrupt, what + ": only completions of other commands came");
}

absl::StatusOr<std::uint64_t> Queue::ConnectController(const Identity& identity,
                                                       std::string_view subsystem_name,
                                                       const Patience& patience) {
  const auto data = EncodeConnectData(identity.host_id, identity.host_name, subsystem_name);
  RR_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer,
                      link_.Lend(static_cast<std::uint32_t>(data.size()), Access::kRemoteRead));
  std::ranges::copy(data, buffer->all().begin());
  const std::uint16_t id = next_id_++;
  const std::string what = "Connect to " + std::string(subsystem_name);
  RR_ASSIGN_OR_RETURN(const Completion completion,
                      Run(EncodeConnect(id, KeyedBufferOf(*buffer)), id, what, patience));
  if (completion.status != 0) return Refused(what, completion, WrongConnectField(completion.result));
  return completion.result;
}

absl::StatusOr<std::uint64_t> Queue::Property(std::uint32_t property, const Patience& patience) {
  const std::uint16_t id = next_id_++;
  RR_ASSIGN_OR_RETURN(const Completion completion,
                      Run(EncodePropertyGet(id, property), id, "Property Get", patience));
  if (completion.status != 0) return Refused("Property Get", completion);
  return completion.result;
}

absl::Status Queue::SetProperty(std::uint32_t property, std::uint64_t value, const Patience& patience) {
  const std::uint16_t id = next_id_++;
  RR_ASSIGN_OR_RETURN(const Completion completion,
                      Run(EncodePropertySet(id, property, value), id, "Property Set", patience));
  return completion.status == 0 ? absl::OkStatus() : Refused("Property Set", completion);
}

absl::Status Queue::Enable(const Patience& patience) {
  RR_RETURN_IF_ERROR(SetProperty(kPropertyConfiguration, kConfigurationEnabled, patience));
  while (true) {
    RR_ASSIGN_OR_RETURN(const std::uint64_t status, Property(kPropertyStatus, patience));
    if ((status & kStatusFatal) != 0)
      return MakeFailure(FailureKind::kRejected, "enable the controller: it reports a fatal status");
    if ((status & kStatusReady) != 0) return absl::OkStatus();
    if (patience.clock->Now() >= patience.deadline)
      return MakeFailure(FailureKind::kStalled, "enable the controller: not ready in time");
    patience.clock->SleepUntil(patience.clock->Now() + kReadyLook, {});
  }
}

void Queue::Shutdown(const Patience& patience) {
  static_cast<void>(SetProperty(kPropertyConfiguration, kConfigurationShutdown, patience));
  link_.Disconnect();
}

absl::StatusOr<std::vector<std::byte>> Queue::Fetch(
    std::uint32_t length_bytes, const std::string& what,
    const std::function<Command(std::uint16_t, const KeyedBuffer&)>& encode, const Patience& patience) {
  RR_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, link_.Lend(length_bytes, Access::kRemoteWrite));
  const std::uint16_t id = next_id_++;
  RR_ASSIGN_OR_RETURN(const Completion completion, Run(encode(id, KeyedBufferOf(*buffer)), id, what, patience));
  if (completion.status != 0) return Refused(what, completion);
  const std::span<std::byte> bytes = buffer->all();
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

absl::StatusOr<IdentifyController> Queue::Identify(const Patience& patience) {
  RR_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes,
                      Fetch(kIdentifyBytes, "Identify Controller", EncodeIdentifyController, patience));
  return *DecodeIdentifyController(bytes);
}

absl::StatusOr<std::vector<std::byte>> Queue::DiscoveryLog(std::uint64_t offset_bytes,
                                                           std::uint32_t length_bytes,
                                                           const Patience& patience) {
  return Fetch(
      length_bytes, "Get Log Page (discovery)",
      [&](std::uint16_t id, const KeyedBuffer& to) { return EncodeDiscoveryLog(id, to, offset_bytes); },
      patience);
}

}  // namespace rdmaready::nvme
