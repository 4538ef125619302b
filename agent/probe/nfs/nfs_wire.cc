// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/nfs/nfs_wire.h"

#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

namespace rdmaready::nfs {
namespace {

constexpr std::uint32_t kMagic = 0xf6ab0e18;
constexpr std::uint8_t kPrivateVersion = 1;
constexpr std::uint32_t kProgram = 100003;
constexpr std::uint32_t kRpcVersion = 2;
constexpr std::uint32_t kRdmaVersion = 1;
constexpr std::uint32_t kRdmaMessage = 0;
constexpr std::uint32_t kRdmaError = 4;
constexpr std::size_t kMaxVerifierBytes = 400;

class NfsWriter {
 public:
  NfsWriter& Word(std::uint32_t value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + 4);
    PutBig(MutableOctets(bytes_), at, value);
    return *this;
  }
  std::vector<std::byte> Take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_{};
};

// Words one after the other; once one is missing, all further ones are.
class Reader {
 public:
  explicit Reader(Octets bytes) : bytes_(bytes) {}

  std::uint32_t Word() {
    if (bytes_.size() < 4) good_ = false;
    if (!good_) return 0;
    const std::uint32_t value = GetBig<std::uint32_t>(bytes_, 0);
    bytes_ = bytes_.subspan(4);
    return value;
  }
  void Skip(std::size_t size) {
    if (size > bytes_.size()) good_ = false;
    if (good_) bytes_ = bytes_.subspan(size);
  }
  void Fail() { good_ = false; }
  bool good() const { return good_; }
  Octets rest() const { return bytes_; }

 private:
  Octets bytes_;
  bool good_ = true;
};

NfsWriter Call(std::uint32_t id, std::uint32_t credits, std::uint32_t version, std::uint32_t procedure) {
  NfsWriter writer;
  writer.Word(id).Word(kRdmaVersion).Word(credits).Word(kRdmaMessage);
  writer.Word(0).Word(0).Word(0);  // no memory is offered
  writer.Word(id).Word(0).Word(kRpcVersion).Word(kProgram).Word(version).Word(procedure);
  writer.Word(0).Word(0).Word(0).Word(0);  // no credentials, no verifier
  return writer;
}

Verdict AcceptVerdict(std::uint32_t status) {
  switch (status) {
    case 0:
      return Verdict::kSuccess;
    case 1:
      return Verdict::kProgramUnavailable;
    case 2:
      return Verdict::kProgramMismatch;
    case 3:
      return Verdict::kProcedureUnavailable;
    case 4:
      return Verdict::kGarbageArguments;
    case 5:
      return Verdict::kSystemError;
    default:
      return Verdict::kUnknown;
  }
}

void ReadAccepted(Reader& reader, Reply& reply) {
  reader.Word();  // the verifier's flavour
  const std::uint32_t verifier_bytes = reader.Word();
  if (verifier_bytes > kMaxVerifierBytes) return reader.Fail();
  reader.Skip((verifier_bytes + 3) & ~3u);
  const std::uint32_t status = reader.Word();
  reply.verdict = AcceptVerdict(status);
  if (reply.verdict == Verdict::kProgramMismatch) {
    reply.low = reader.Word();
    reply.high = reader.Word();
  }
  if (reply.verdict == Verdict::kUnknown) reply.detail = status;
  if (reply.verdict == Verdict::kSuccess) reply.results = reader.rest();
}

void ReadDenied(Reader& reader, Reply& reply) {
  const std::uint32_t status = reader.Word();
  if (status == 0) {
    reply.verdict = Verdict::kRpcMismatch;
    reply.low = reader.Word();
    reply.high = reader.Word();
  } else {
    reply.verdict = status == 1 ? Verdict::kAuthenticationError : Verdict::kUnknown;
    reply.detail = reader.Word();
  }
}

void ReadRdmaError(Reader& reader, Reply& reply) {
  const std::uint32_t error = reader.Word();
  if (error == 1) {
    reply.verdict = Verdict::kRdmaVersion;
    reply.low = reader.Word();
    reply.high = reader.Word();
  } else if (error == 2) {
    reply.verdict = Verdict::kRdmaChunk;
  } else {
    reply.detail = error;
  }
}

std::string Range(std::string_view what, const Reply& reply) {
  return absl::StrCat(absl::string_view(what.data(), what.size()), ": it serves versions ", reply.low, " to ",
                      reply.high);
}

}  // namespace

// A size byte n stands for (n + 1) KiB.
std::array<std::byte, kConnectPrivateBytes> EncodeConnectPrivate() {
  std::array<std::byte, kConnectPrivateBytes> bytes{};
  constexpr auto kSize = static_cast<std::byte>(kOurInlineBytes / 1024 - 1);
  PutBig(bytes, 0, kMagic);
  bytes[4] = static_cast<std::byte>(kPrivateVersion);
  bytes[6] = kSize;
  bytes[7] = kSize;
  return bytes;
}

std::optional<ConnectAccept> DecodeConnectAccept(Octets bytes) {
  if (bytes.size() < kConnectPrivateBytes || GetBig<std::uint32_t>(bytes, 0) != kMagic ||
      GetBig<std::uint8_t>(bytes, 4) != kPrivateVersion)
    return std::nullopt;
  return ConnectAccept{.remote_invalidation = (GetBig<std::uint8_t>(bytes, 5) & 1) != 0,
                       .send_bytes = (GetBig<std::uint8_t>(bytes, 6) + 1u) * 1024,
                       .receive_bytes = (GetBig<std::uint8_t>(bytes, 7) + 1u) * 1024};
}

std::vector<std::byte> EncodeNull(std::uint32_t id, std::uint32_t credits, std::uint32_t version) {
  return Call(id, credits, version, 0).Take();
}

std::vector<std::byte> EncodeEmptyCompound(std::uint32_t id, std::uint32_t credits, std::uint32_t minor) {
  return Call(id, credits, 4, 1).Word(0).Word(minor).Word(0).Take();  // an empty tag, no operations
}

std::optional<Reply> DecodeReply(Octets bytes) {
  Reader reader(bytes);
  Reply reply{.id = reader.Word()};
  const std::uint32_t version = reader.Word();
  reply.credits = reader.Word();
  const std::uint32_t type = reader.Word();
  if (!reader.good() || version != kRdmaVersion) return std::nullopt;
  if (type == kRdmaError) {
    ReadRdmaError(reader, reply);
    return reader.good() ? std::optional(reply) : std::nullopt;
  }
  const std::uint32_t lists = reader.Word() | reader.Word() | reader.Word();
  const std::uint32_t id = reader.Word();
  const std::uint32_t direction = reader.Word();
  if (type != kRdmaMessage || lists != 0 || id != reply.id || direction != 1) return std::nullopt;
  switch (reader.Word()) {
    case 0:
      ReadAccepted(reader, reply);
      break;
    case 1:
      ReadDenied(reader, reply);
      break;
    default:
      return std::nullopt;
  }
  return reader.good() ? std::optional(reply) : std::nullopt;
}

std::string ReplyText(const Reply& reply) {
  switch (reply.verdict) {
    case Verdict::kSuccess:
      return "success";
    case Verdict::kProgramUnavailable:
      return "program unavailable: no NFS is served here (PROG_UNAVAIL)";
    case Verdict::kProgramMismatch:
      return Range("this version of NFS is not served (PROG_MISMATCH)", reply);
    case Verdict::kProcedureUnavailable:
      return "procedure unavailable (PROC_UNAVAIL)";
    case Verdict::kGarbageArguments:
      return "garbage arguments (GARBAGE_ARGS)";
    case Verdict::kSystemError:
      return "system error (SYSTEM_ERR)";
    case Verdict::kRpcMismatch:
      return Range("this version of RPC is not served (RPC_MISMATCH)", reply);
    case Verdict::kAuthenticationError:
      return absl::StrCat("authentication error ", reply.detail, " (AUTH_ERROR)");
    case Verdict::kRdmaVersion:
      return Range("this version of RPC-over-RDMA is not served (ERR_VERS)", reply);
    case Verdict::kRdmaChunk:
      return "the server did not understand the transport header (ERR_CHUNK)";
    case Verdict::kUnknown:
      return absl::StrCat("status ", reply.detail);
  }
  return "unknown";
}

std::optional<std::uint32_t> DecodeCompoundStatus(Octets results) {
  Reader reader(results);
  const std::uint32_t status = reader.Word();
  return reader.good() ? std::optional(status) : std::nullopt;
}

}  // namespace rdmaready::nfs
