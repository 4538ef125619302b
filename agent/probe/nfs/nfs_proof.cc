// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/nfs/nfs_proof.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "agent/link/arena.h"
#include "agent/link/failure.h"
#include "agent/probe/abandoned_files.h"
#include "agent/probe/proof.h"
#include "api/base/handle.h"
#include "api/base/status.h"
#include "api/model/probe_walk.h"

namespace rdmaready {
namespace {

using std::chrono::seconds;

constexpr std::uint32_t kBlockBytes = 256 << 10;
constexpr std::uint64_t kFileBytes = 2 << 20;
constexpr std::size_t kMostPathBytes = 1024;
constexpr ProofFileNames kNames{.digits = 16};

// Covered for one thread, whatever is in it: no folder has to be made, and none to be removed.
std::string MountPoint() {
  struct stat told {};
  for (const char* folder : {"/mnt", "/media", "/run", "/tmp"}) {
    if (::stat(folder, &told) == 0 && S_ISDIR(told.st_mode)) return folder;
  }
  return "/";
}

absl::Status Fail(const std::string& what) {
  const int error = errno;
  const bool refused =
      error == EACCES || error == EPERM || error == EROFS || error == ENOENT || error == ENOSPC;
  return ErrnoFailure(refused ? FailureKind::kRejected : FailureKind::kCompletion, error, what);
}

class Mount {
 public:
  explicit Mount(std::string point) : point_(std::move(point)) {}
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;
  ~Mount() { static_cast<void>(Undo()); }

  // A slave and not private: what is unmounted elsewhere meanwhile is not held here.
  absl::Status Make(const std::string& source, const std::string& options) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0)
      return ErrnoFailure(FailureKind::kSetup, errno, "make a mount namespace of our own");
    if (::mount(source.c_str(), point_.c_str(), "nfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options.c_str()) != 0)
      return ErrnoFailure(KindOfMountFailure(errno), errno, "mount " + source + " (" + options + ")");
    mounted_ = true;
    return absl::OkStatus();
  }

  absl::Status Undo() {
    if (!mounted_) return absl::OkStatus();
    mounted_ = false;
    if (::umount2(point_.c_str(), 0) == 0) return absl::OkStatus();
    const absl::Status status = ErrnoFailure(FailureKind::kSetup, errno, "unmount");
    static_cast<void>(::umount2(point_.c_str(), MNT_DETACH));
    return status;
  }

  const std::string& point() const { return point_; }

 private:
  const std::string point_;
  bool mounted_ = false;
};

// A new file whose name nobody guesses; removed with the object.
class ProofFile {
 public:
  explicit ProofFile(const std::string& folder)
      : folder_(folder),
        path_(folder + "/" + kNames.Make(fmt::format("{:016x}", RandomNumber()))),
        seed_(RandomNumber()) {}
  ProofFile(const ProofFile&) = delete;
  ProofFile& operator=(const ProofFile&) = delete;
  ~ProofFile() {
    if (fd_) ::unlink(path_.c_str());
  }

  absl::Status Write(TransferResult& result, const Patience& patience) {
    fd_ = UniqueFd(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_DIRECT | O_CLOEXEC, 0600));
    if (!fd_) return Fail("make a file in the export");
    return Each(result, std::string(kProofNfsWrite), Operation::kWrite, patience,
                [&](ProofMeter& meter, auto bytes, off_t at) {
                  FillPattern(bytes, seed_ + static_cast<std::uint64_t>(at));
                  return meter.Time(
                      [&] { return Whole(::pwrite(fd_.get(), bytes.data(), bytes.size(), at), "write"); });
                });
  }

  absl::Status Read(TransferResult& result, const Patience& patience) {
    RR_ASSIGN_OR_RETURN(Arena expected, Arena::Make(kBlockBytes));
    return Each(result, std::string(kProofNfsRead), Operation::kRead, patience,
                [&](ProofMeter& meter, auto bytes, off_t at) -> absl::Status {
                  FillPattern(bytes, ~seed_);
                  RR_RETURN_IF_ERROR(meter.Time(
                      [&] { return Whole(::pread(fd_.get(), bytes.data(), bytes.size(), at), "read"); }));
                  FillPattern(expected.bytes(), seed_ + static_cast<std::uint64_t>(at));
                  meter.Compared(expected.bytes(), bytes);
                  if (std::ranges::equal(expected.bytes(), bytes)) return absl::OkStatus();
                  return MakeFailure(FailureKind::kCorrupt,
                                     fmt::format("read at {}: other bytes than were written", at));
                });
  }

  // What earlier proofs left, old by the time at which the server made this file.
  void RemoveThoseBefore() const {
    struct stat made {};
    const UniqueFd folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder && ::fstat(fd_.get(), &made) == 0) RemoveAbandoned(folder.get(), kNames, made.st_mtime);
  }

  absl::Status Remove() {
    if (!fd_) return absl::OkStatus();
    fd_ = UniqueFd();
    return ::unlink(path_.c_str()) == 0 ? absl::OkStatus() : Fail("remove the file in the export");
  }

 private:
  static absl::Status Whole(ssize_t count, const std::string& what) {
    if (count == static_cast<ssize_t>(kBlockBytes)) return absl::OkStatus();
    if (count < 0) return Fail(what);
    return MakeFailure(FailureKind::kLost, fmt::format("{}: {} bytes instead of {}", what, count, kBlockBytes));
  }

  template <class Do>
  absl::Status Each(TransferResult& result, const std::string& name, Operation operation,
                    const Patience& patience, const Do& each) {
    RR_ASSIGN_OR_RETURN(Arena buffer, Arena::Make(kBlockBytes));
    ProofMeter meter(result, name, operation, kBlockBytes, *patience.clock, patience.pace);
    absl::Status status;
    for (std::uint64_t at = 0; status.ok() && at < kFileBytes; at += kBlockBytes) {
      if (patience.interrupted) status = patience.interrupted();
      if (status.ok() && patience.clock->Now() >= patience.deadline)
        status = MakeFailure(FailureKind::kStalled, name + ": not in time");
      if (status.ok()) status = each(meter, buffer.bytes(), static_cast<off_t>(at));
    }
    meter.Finish(status);
    return status;
  }

  const std::string folder_;
  const std::string path_;
  const std::uint64_t seed_;
  UniqueFd fd_{};
};

std::string ReadAll(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The thread's namespace, not the process's; by its id, because /proc/thread-self has no such file.
std::optional<NfsTransport> TransportOf(const Mount& mount) {
  return ParseMountStats(ReadAll(fmt::format("/proc/{}/mountstats", ::gettid())), mount.point());
}

void TellTransport(const std::optional<NfsTransport>& before, const std::optional<NfsTransport>& after,
                   NfsAnswers& answers) {
  if (!before || !after) return;
  const NfsTransport moved = Since(*before, *after);
  answers.mount_transport = moved.protocol;
  answers.rdma_request_bytes = moved.rdma_request_bytes;
  answers.rdma_reply_bytes = moved.rdma_reply_bytes;
}

std::string SourceOf(const std::string& address, const std::string& path) {
  const bool six = address.find(':') != std::string::npos;
  return (six ? "[" + address + "]" : address) + ":" + path;
}

absl::Status MountExport(const KernelProof& proof, Mount& mount, Walk& walk) {
  const std::string path = proof.volume.empty() ? "/" : proof.volume;
  walk.answers().nfs.proof_export = path;
  if (path.front() != '/' || path.size() > kMostPathBytes)
    return MakeFailure(FailureKind::kSetup, path + ": not the path of an export");
  return mount.Make(SourceOf(proof.address, path),
                    NfsMountOptions(proof.address, proof.local_address, proof.port_number, proof.version));
}

bool Prove(const KernelProof& proof, Walk& walk) {
  Mount mount(MountPoint());
  const bool mounted =
      walk.Step(kStepNfsMount, seconds(30), [&](const Patience&) { return MountExport(proof, mount, walk); });
  if (!mounted) return false;
  const std::optional<NfsTransport> before = TransportOf(mount);
  ProofFile file(mount.point());
  auto& transfers = walk.result().transfers;
  const bool written = walk.Step(kStepNfsWrite, seconds(30), [&](const Patience& patience) {
    return file.Write(transfers.emplace_back(), patience);
  });
  if (written) {
    file.RemoveThoseBefore();
    walk.Step(kStepNfsRead, seconds(30),
              [&](const Patience& patience) { return file.Read(transfers.emplace_back(), patience); });
  }
  TellTransport(before, TransportOf(mount), walk.answers().nfs);
  walk.Step(kStepNfsUnmount, seconds(10), [&](const Patience&) {
    const absl::Status removed = file.Remove();
    const absl::Status undone = mount.Undo();
    return removed.ok() ? undone : removed;
  });
  return true;
}

}  // namespace

std::string NfsMountOptions(const std::string& address, const std::string& local_address, std::uint16_t port,
                            const std::string& version) {
  std::string options =
      fmt::format("vers={},proto=rdma,port={},addr={},soft,timeo=50,retrans=1,sec=sys,nosharecache", version,
                  port, address);
  if (version.starts_with("4") && !local_address.empty()) options += ",clientaddr=" + local_address;
  if (version.starts_with("3")) options += ",nolock";
  return options;
}

// "device SOURCE mounted on POINT with fstype nfs4 statvers=1.1", then, indented, what was counted, among it
// "xprt: rdma 0 ...", whose 14th and 15th numbers are the payload of requests and replies.
std::optional<NfsTransport> ParseMountStats(std::string_view text, std::string_view mount_point) {
  std::istringstream lines{std::string(text)};
  const std::string wanted = fmt::format(" mounted on {} with fstype nfs", mount_point);
  std::optional<NfsTransport> found;
  bool ours = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("device ")) {
      ours = line.find(wanted) != std::string::npos;
      if (ours) found.reset();
    }
    std::istringstream words(line);
    std::string word;
    if (!ours || found || !(words >> word) || word != "xprt:") continue;
    NfsTransport& transport = found.emplace();
    words >> transport.protocol;
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t number = 0; words >> number;) numbers.push_back(number);
    if (transport.protocol != "rdma" || numbers.size() < 15) continue;
    transport.rdma_request_bytes = numbers[13];
    transport.rdma_reply_bytes = numbers[14];
  }
  return found;
}

NfsTransport Since(const NfsTransport& earlier, const NfsTransport& later) {
  const auto moved = [](const std::optional<std::uint64_t>& from, const std::optional<std::uint64_t>& to) {
    // Less than before: the transport was made again, and counts from zero.
    return from && to ? std::optional(*to >= *from ? *to - *from : *to) : std::nullopt;
  };
  return {.protocol = later.protocol,
          .rdma_request_bytes = moved(earlier.rdma_request_bytes, later.rdma_request_bytes),
          .rdma_reply_bytes = moved(earlier.rdma_reply_bytes, later.rdma_reply_bytes)};
}

FailureKind KindOfMountFailure(int error_number) {
  switch (error_number) {
    case EACCES:
    case ENOENT:
    case ENOTDIR:
    case ESTALE:
      return FailureKind::kRejected;
    case ETIMEDOUT:
    case ECONNREFUSED:
    case EHOSTUNREACH:
    case ENETUNREACH:
      return FailureKind::kUnreachable;
    case EPERM:
    case EPROTONOSUPPORT:  // no xprtrdma, or no such version in this kernel
    case ENODEV:
    case EINVAL:
    case EBUSY:
    case ENOMEM:
      return FailureKind::kSetup;
    default:
      return FailureKind::kCompletion;
  }
}

// A thread of its own, because a mount namespace is a thread's and cannot be given back.
bool ProveNfs(const KernelProof& proof, Walk& walk) {
  bool mounted = false;
  std::thread thread([&] { mounted = Prove(proof, walk); });
  thread.join();
  return mounted;
}

}  // namespace rdmaready
