// SPDX-License-Identifier: Apache-2.0
// Control messages of a live test to and from the wire. The engine checks what they say; here only shape is
// checked: a port or a nonce of the wrong size, or a field that is left out, gives a message of kind kUnknown,
// which ends the test.
#pragma once

#include "api/model/peer_message.h"
#include "rdmaready/v1/agent.pb.h"

namespace rdmaready {

v1::PeerMessage ToProto(const PeerMessage& message);
PeerMessage FromProto(const v1::PeerMessage& message);

}  // namespace rdmaready
