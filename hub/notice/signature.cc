// SPDX-License-Identifier: Apache-2.0
#include "hub/notice/signature.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <span>

#include "api/base/text.h"

namespace rdmaready::hub {

std::string SignatureOf(std::string_view secret, std::int64_t unix_s, std::string_view body) {
  const std::string text = fmt::format("{}.{}", unix_s, body);
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (::HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
             reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), digest.data(), &size) == nullptr)
    return {};
  return "v1=" + Hex(std::span<const std::uint8_t>(digest.data(), size));
}

}  // namespace rdmaready::hub
