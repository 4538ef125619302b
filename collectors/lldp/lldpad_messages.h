// SPDX-License-Identifier: Apache-2.0
// Messages of lldpad's client interface: what we ask of it, and its answers. Pure; an answer is foreign text.
//
// A question is one datagram,
//   M MODULE C 3 COMMAND OPERATIONS LENGTH NETDEV GROUP [TLV] [LENGTH ARGUMENT]
// and so is its answer,
//   R STATUS C 3 COMMAND OPERATIONS LENGTH NETDEV [TLV] what was asked for
// without spaces. Numbers are hexadecimal: MODULE, OPERATIONS and TLV of 8 digits, the rest of 2. lldptool of
// lldpad 1.1 writes and reads the same (render_cmd, mand_clif_cmd).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace rdmaready {

inline constexpr std::string_view kLldpadSocket = "/com/intel/lldpad";  // abstract: of a network namespace
inline constexpr std::size_t kLongestLldpadAnswer = 4096;               // lldpad's own buffer

// What lldpad does with frames to the group of the nearest bridge on a netdev. It is "adminStatus" there.
enum class LldpadMode { kDisabled, kTx, kRx, kRxTx };

// Whose TLVs: those that lldpad sent last, or of the frame that it received last and that has not aged.
enum class LldpadTlvs { kOwn, kNeighbour };

std::string LldpadModeQuestion(std::string_view netdev);
std::string LldpadTlvsQuestion(std::string_view netdev, LldpadTlvs whose);

// OK for questions of these two kinds. They change nothing: lldpad also takes orders at the same socket.
absl::Status CheckLldpadQuestion(std::string_view question);

// Whether it is lldpad's answer to somebody who is not root.
bool LldpadRefused(std::string_view answer);

// kUnimplemented: lldpad does not manage the netdev. kPermissionDenied: the question came from somebody who is
// not root. kDataLoss: no answer to that question.
absl::StatusOr<LldpadMode> DecodeLldpadMode(std::string_view netdev, std::string_view answer);

// A data unit (collectors/lldp/lldp.h); empty: there is none. Errors as above.
absl::StatusOr<std::vector<std::byte>> DecodeLldpadTlvs(std::string_view netdev, LldpadTlvs whose,
                                                        std::string_view answer);

}  // namespace rdmaready
