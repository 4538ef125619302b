// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/nvme/nvme_kernel.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "agent/link/arena.h"
#include "agent/link/failure.h"
#include "agent/probe/nvme/nvme_sysfs.h"
#include "agent/probe/proof.h"
#include "api/base/handle.h"
#include "api/base/number.h"
#include "api/base/status.h"
#include "api/model/probe_walk.h"

namespace rdmaready::nvme {
namespace {

constexpr std::string_view kFabrics = "/dev/nvme-fabrics";
constexpr std::chrono::milliseconds kLook{20};
constexpr std::uint32_t kReadBytes = 128 << 10;
constexpr std::uint64_t kMostReadBytes = 2 << 20;
constexpr std::uint64_t kSectorBytes = 512;  // of /sys/block/*/size, whatever the device's blocks are

std::uint64_t ReadNumber(const std::string& path) {
  return ParseNumber<std::uint64_t>(ReadLine(path)).value_or(0);
}

bool Exists(const std::string& path) {
  struct stat told {};
  return ::stat(path.c_str(), &told) == 0;
}

absl::Status Wait(const Patience& patience, const std::string& what) {
  if (patience.interrupted) RR_RETURN_IF_ERROR(patience.interrupted());
  if (patience.clock->Now() >= patience.deadline)
    return MakeFailure(FailureKind::kStalled, what + ": not in time");
  patience.clock->SleepUntil(patience.clock->Now() + kLook, {});
  return absl::OkStatus();
}

// Digits from `at` on; moves it behind them.
bool SkipNumber(const std::string& text, std::size_t& at) {
  const std::size_t begin = at;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  return at > begin;
}

constexpr std::string_view kConnecting = "connect by this host's NVMe initiator";

absl::Status ConnectedAlready(const std::string& where) {
  return MakeFailure(FailureKind::kSetup, fmt::format("{}: this host is connected to that subsystem already{}: "
                                                      "left alone",
                                                      kConnecting, where));
}

absl::Status ConnectFailure(int error_number) {
  if (error_number == EALREADY) return ConnectedAlready("");
  const bool refused = error_number == EIO || error_number == ECONNREFUSED || error_number == ECONNRESET;
  return ErrnoFailure(refused ? FailureKind::kRejected : FailureKind::kSetup, error_number, kConnecting);
}

// Of an answer that does not say: what is there now and was not before. Empty unless it is one.
std::string NewController(const std::vector<std::string>& before, const std::string& subsystem_name) {
  std::vector<std::string> now = ControllersOf(subsystem_name);
  std::erase_if(now, [&](const std::string& name) { return std::ranges::find(before, name) != before.end(); });
  return now.size() == 1 ? now.front() : std::string();
}

absl::Status ReadAt(int fd, std::span<std::byte> to, std::uint64_t offset) {
  const ssize_t count = ::pread(fd, to.data(), to.size(), static_cast<off_t>(offset));
  if (count == static_cast<ssize_t>(to.size())) return absl::OkStatus();
  if (count < 0) return ErrnoFailure(FailureKind::kCompletion, errno, fmt::format("read at {}", offset));
  return MakeFailure(FailureKind::kCompletion,
                     fmt::format("read at {}: {} bytes instead of {}", offset, count, to.size()));
}

}  // namespace

std::string KernelOptions(const Endpoint& target, const std::string& local_address, const Identity& identity,
                          const std::string& subsystem_name, int mark) {
  std::string options = fmt::format(
      "transport=rdma,traddr={},trsvcid={},nqn={},hostnqn={},hostid={},nr_io_queues=1,ctrl_loss_tmo=0,"
      "reconnect_delay={}",
      target.address, target.port, subsystem_name, identity.host_name, HostIdText(identity.host_id), mark);
  if (!local_address.empty()) options += ",host_traddr=" + local_address;
  return options;
}

std::string BlockDeviceOf(const std::string& name) {
  if (!name.starts_with("nvme")) return {};
  std::size_t at = 4;
  if (!SkipNumber(name, at)) return {};
  const std::string subsystem = name.substr(0, at);
  if (at < name.size() && name[at] == 'c') {
    ++at;
    if (!SkipNumber(name, at)) return {};
  }
  if (at == name.size() || name[at] != 'n') return {};
  const std::string space = name.substr(at);
  ++at;
  return SkipNumber(name, at) && at == name.size() ? subsystem + space : std::string();
}

std::string ControllerIn(std::string_view answer) {
  constexpr std::string_view kHead = "instance=";
  if (!answer.starts_with(kHead)) return {};
  answer.remove_prefix(kHead.size());
  const std::optional<unsigned> instance = TakeNumber<unsigned>(answer);
  return instance ? fmt::format("nvme{}", *instance) : std::string();
}

absl::Status IsAlone(const std::string& controller, const std::vector<std::string>& paths) {
  if (paths == std::vector<std::string>{controller}) return absl::OkStatus();
  const std::string told =
      paths.empty() ? "the kernel does not tell which controllers share its block device"
                    : fmt::format("{} share a block device, which others may use", fmt::join(paths, ", "));
  return MakeFailure(FailureKind::kSetup, fmt::format("{}: {}: given up", kConnecting, told));
}

absl::StatusOr<Kernel> Kernel::Connect(const std::string& options, const std::string& subsystem_name,
                                       Clock& clock) {
  const std::vector<std::string> already = ControllersOf(subsystem_name);
  if (!already.empty()) return ConnectedAlready(fmt::format(" ({})", fmt::join(already, ", ")));
  const UniqueFd fd(::open(std::string(kFabrics).c_str(), O_RDWR | O_CLOEXEC));
  if (fd.get() < 0) {
    return ErrnoFailure(FailureKind::kSetup, errno,
                        "open " + std::string(kFabrics) + " (this host's NVMe initiator, modprobe nvme-rdma)");
  }
  const std::vector<std::string> before = Controllers();
  if (::write(fd.get(), options.data(), options.size()) < 0) return ConnectFailure(errno);
  std::array<char, 128> answer{};
  const ssize_t size = ::read(fd.get(), answer.data(), answer.size() - 1);
  std::string controller = ControllerIn({answer.data(), size > 0 ? static_cast<std::size_t>(size) : 0});
  if (controller.empty()) controller = NewController(before, subsystem_name);
  if (controller.empty())
    return MakeFailure(FailureKind::kSetup, fmt::format("{}: it does not name the controller", kConnecting));
  Kernel kernel(std::move(controller), subsystem_name, clock);
  // Somebody may have connected meanwhile. Going out of scope takes ours down.
  RR_RETURN_IF_ERROR(IsAlone(kernel.controller_, PathsBeside(kernel.controller_)));
  return kernel;
}

Kernel::Kernel(Kernel&& other) noexcept
    : controller_(std::exchange(other.controller_, {})),
      subsystem_name_(std::move(other.subsystem_name_)),
      clock_(other.clock_) {}

Kernel::~Kernel() {
  if (controller_.empty()) return;
  static_cast<void>(Disconnect({.deadline = clock_.Now() + std::chrono::seconds(5), .clock = &clock_}));
}

std::string Kernel::Folder() const { return "/sys/class/nvme/" + controller_; }

bool Kernel::IsThere() const { return ReadLine(Folder() + "/subsysnqn") == subsystem_name_; }

std::string Kernel::Transport() const { return ReadLine(Folder() + "/transport"); }

absl::StatusOr<NamespaceDevice> Kernel::FindNamespace(const Patience& patience) const {
  while (true) {
    for (const std::string& name : NamesIn(Folder())) {
      const std::string block = BlockDeviceOf(name);
      const std::string folder = "/sys/block/" + block;
      if (block.empty() || !Exists("/dev/" + block)) continue;
      const NamespaceDevice device{
          .name = block,
          .size_bytes = ReadNumber(folder + "/size") * kSectorBytes,
          .block_bytes = static_cast<std::uint32_t>(ReadNumber(folder + "/queue/logical_block_size"))};
      if (device.size_bytes > 0 && device.block_bytes > 0) return device;
    }
    RR_RETURN_IF_ERROR(Wait(patience, "wait for a block device of " + controller_));
  }
}

absl::Status Kernel::Disconnect(const Patience& patience) {
  // A connection that was lost is gone by itself.
  if (!IsThere()) controller_.clear();
  if (controller_.empty()) return absl::OkStatus();
  const std::string file = Folder() + "/delete_controller";
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (fd.get() < 0 && errno != ENOENT && errno != ENODEV)
    return ErrnoFailure(FailureKind::kSetup, errno, "open " + file);
  if (fd.get() >= 0 && ::write(fd.get(), "1", 1) < 0 && errno != ENODEV)
    return ErrnoFailure(FailureKind::kSetup, errno, "disconnect by " + file);
  while (IsThere()) RR_RETURN_IF_ERROR(Wait(patience, "disconnect " + controller_));
  controller_.clear();
  return absl::OkStatus();
}

absl::Status ReadNamespace(const NamespaceDevice& device, TransferResult& result, const Patience& patience) {
  const std::string path = "/dev/" + device.name;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC));
  if (fd.get() < 0) return ErrnoFailure(FailureKind::kSetup, errno, "open " + path);
  const auto block = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(std::max(kReadBytes, device.block_bytes), device.size_bytes));
  absl::StatusOr<Arena> first = Arena::Make(block);
  absl::StatusOr<Arena> second = Arena::Make(block);
  if (!first.ok()) return first.status();
  if (!second.ok()) return second.status();
  ProofMeter meter(result, std::string(kProofNvmeRead), Operation::kRead, block, *patience.clock,
                   patience.pace);
  absl::Status status;
  for (std::uint64_t at = 0; status.ok() && at + block <= std::min(device.size_bytes, kMostReadBytes);
       at += block) {
    if (patience.interrupted) status = patience.interrupted();
    if (patience.clock->Now() >= patience.deadline)
      status = MakeFailure(FailureKind::kStalled, "read " + path + ": not in time");
    if (!status.ok()) break;
    status = ReadTwice(
        {first->bytes(), second->bytes()},
        [&](int buffer) { return ReadAt(fd.get(), (buffer == 0 ? *first : *second).bytes(), at); }, meter);
  }
  meter.Finish(status);
  return status;
}

}  // namespace rdmaready::nvme
