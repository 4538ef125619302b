// SPDX-License-Identifier: Apache-2.0
// By what a receiver knows that a notice is of this hub, and of now.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rdmaready::hub {

inline constexpr char kTimestampHeader[] = "Rdmaready-Timestamp";
inline constexpr char kSignatureHeader[] = "Rdmaready-Signature";

// "v1=" and 64 hexadecimal digits: HMAC-SHA256 of "TIMESTAMP.BODY", the time in seconds since 1970.
std::string SignatureOf(std::string_view secret, std::int64_t unix_s, std::string_view body);

}  // namespace rdmaready::hub
