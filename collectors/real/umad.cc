// SPDX-License-Identifier: Apache-2.0
// A question to a port's own InfiniBand management agents, by /dev/infiniband/umadN and libibumad. Nothing is
// registered that would be sent datagrams unasked.
#include <fmt/format.h>
#include <infiniband/umad.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>

#include "api/base/status.h"
#include "collectors/questions/rdma.h"
#include "collectors/rdma/mad.h"
#include "collectors/real/files.h"

namespace rdmaready {
namespace {

// The agent is in this host, and answers within milliseconds or not at all.
constexpr int kTimeoutMs = 250;
constexpr int kRetries = 1;
constexpr int kLongestMs = 1'000;  // all in all

constexpr int kWellKnownQkey = static_cast<int>(0x80010000);  // of QP 1

// An open /dev/infiniband/umadN; closing it takes its agent away too.
class OpenPort {
 public:
  explicit OpenPort(int id) : id_(id) {}
  OpenPort(const OpenPort&) = delete;
  OpenPort& operator=(const OpenPort&) = delete;
  ~OpenPort() {
    if (id_ >= 0) ::umad_close_port(id_);
  }
  int id() const { return id_; }

 private:
  int id_;
};

struct FreeUmad {
  void operator()(void* umad) const { ::umad_free(umad); }
};
using Umad = std::unique_ptr<void, FreeUmad>;

// Its node is there only when its module is: opening nothing, we make the kernel load nothing.
absl::Status RequireUmad() {
  constexpr const char* kClass = "/sys/class/infiniband_mad";
  const absl::Status status = ListWholeDirectory(kClass).status();
  if (status.code() != absl::StatusCode::kNotFound) return status;
  return absl::UnimplementedError("look at " + std::string(kClass) + ": ib_umad is not loaded");
}

// libibumad's own answer to any failure of open(2) is EIO; errno has the kernel's.
int ReasonOf(int answer) { return answer == -EIO && errno != 0 ? errno : -answer; }

Umad Envelope(const MadRequest& request) {
  Umad umad(::umad_alloc(1, ::umad_size() + kMadBytes));
  if (!umad) return umad;
  std::memcpy(::umad_get_mad(umad.get()), request.mad.data(), kMadBytes);
  const bool performance = request.mad[1] == std::byte{kMadPerformance};
  ::umad_set_addr(umad.get(), request.lid, performance ? 1 : 0, 0, performance ? kWellKnownQkey : 0);
  ::umad_set_grh(umad.get(), nullptr);
  ::umad_set_pkey(umad.get(), 0);
  return umad;
}

// Sends the datagram and returns what comes back.
absl::StatusOr<std::vector<std::byte>> Exchange(int port, const MadRequest& request, const std::string& what) {
  const int management_class = std::to_integer<int>(request.mad[1]);
  errno = 0;
  const int agent = ::umad_register(port, management_class, 1, 0, nullptr);
  if (agent < 0) return ErrnoStatus(errno != 0 ? errno : -agent, what);
  const Umad umad = Envelope(request);
  if (!umad) return ErrnoStatus(ENOMEM, what);
  if (const int sent = ::umad_send(port, agent, umad.get(), kMadBytes, kTimeoutMs, kRetries); sent < 0)
    return ErrnoStatus(ReasonOf(sent), what);
  int length = kMadBytes;
  errno = 0;
  if (const int received = ::umad_recv(port, umad.get(), &length, kLongestMs); received < 0)
    return ErrnoStatus(ReasonOf(received), what);
  if (const int status = ::umad_status(umad.get()); status != 0) return ErrnoStatus(status, what);
  if (length < static_cast<int>(kMadBytes)) return ErrnoStatus(EBADMSG, what);
  std::vector<std::byte> answer(kMadBytes);
  std::memcpy(answer.data(), ::umad_get_mad(umad.get()), kMadBytes);
  ClearTransaction(answer);
  return answer;
}

}  // namespace

absl::StatusOr<std::vector<std::byte>> MadRequest::AskThisHost() const {
  RR_RETURN_IF_ERROR(CheckMadQuestion(mad));
  RR_RETURN_IF_ERROR(RequireUmad());
  const std::string name = fmt::format("{}/{}", device, port);
  if (port == 0 || port > std::numeric_limits<std::uint8_t>::max())
    return ErrnoStatus(EINVAL, "open umad of " + name);
  errno = 0;
  const OpenPort opened(::umad_open_port(device.c_str(), static_cast<int>(port)));
  if (opened.id() < 0) return ErrnoStatus(ReasonOf(opened.id()), "open umad of " + name);
  return Exchange(opened.id(), *this, What());
}

}  // namespace rdmaready
