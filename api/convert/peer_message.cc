// SPDX-License-Identifier: Apache-2.0
#include "api/convert/peer_message.h"

#include <algorithm>
#include <limits>

#include "api/convert/absent.h"
#include "api/convert/fact.h"
#include "api/convert/report.h"

namespace rdmaready {

v1::PeerMessage ToProto(const PeerMessage& message) {
  v1::PeerMessage wire;
  wire.set_kind(static_cast<v1::PeerMessage::Kind>(message.kind));
  wire.set_case_name(message.case_name);
  wire.set_message_bytes(message.message_bytes);
  wire.set_depth(message.depth);
  wire.set_verify(message.verify);
  wire.set_endpoint_address(message.endpoint.address);
  wire.set_endpoint_port(message.endpoint.port);
  wire.set_nonce(message.nonce.data(), message.nonce.size());
  wire.set_memory_address(message.memory.address);
  wire.set_memory_length_bytes(message.memory.length_bytes);
  wire.set_memory_rkey(message.memory.rkey);
  v1::PeerMessage::Counts* counts = wire.mutable_counts();
  counts->set_posted(message.counts.posted);
  counts->set_completed(message.counts.completed);
  counts->set_announced(message.counts.announced);
  counts->set_received(message.counts.received);
  counts->set_missing(message.counts.missing);
  *wire.mutable_result() = ToProto(message.result);
  wire.set_lane(message.lane);
  wire.set_lanes(message.lanes);
  return wire;
}

PeerMessage FromProto(const v1::PeerMessage& wire) {
  PeerMessage message;
  if (!convert::Unsaid(wire).empty() || wire.nonce().size() != message.nonce.size() ||
      wire.endpoint_port() > std::numeric_limits<std::uint16_t>::max()) {
    return message;
  }
  message.kind = convert::Enumerator(wire.kind(), PeerMessageKind::kResult);
  message.case_name = wire.case_name();
  message.message_bytes = wire.message_bytes();
  message.depth = wire.depth();
  message.verify = wire.verify();
  message.endpoint = {wire.endpoint_address(), static_cast<std::uint16_t>(wire.endpoint_port())};
  std::copy(wire.nonce().begin(), wire.nonce().end(), message.nonce.begin());
  message.memory = {wire.memory_address(), wire.memory_length_bytes(), wire.memory_rkey()};
  message.counts = {.posted = wire.counts().posted(),
                    .completed = wire.counts().completed(),
                    .announced = wire.counts().announced(),
                    .received = wire.counts().received(),
                    .missing = wire.counts().missing()};
  message.result = FromProto(wire.result());
  message.lane = wire.lane();
  message.lanes = std::max(wire.lanes(), 1u);
  return message;
}

}  // namespace rdmaready
