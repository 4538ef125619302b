// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "api/base/handle.h"
#include "api/base/status.h"
#include "collectors/rdma/rdma_devices.h"
#include "collectors/recording/folder.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMaxManifestBytes = std::size_t{64} << 10;
constexpr std::size_t kMaxDigestsBytes = std::size_t{24} << 20;
constexpr std::size_t kMaxHosts = 1000;

absl::Status Bad(const std::string& object, const std::string& why) {
  return absl::InvalidArgumentError(object + ": " + why);
}

// What is wrong with a file of the recording, as the decoder says it.
absl::Status Inside(const std::string& folder, const absl::Status& status) {
  return absl::InvalidArgumentError(folder + "/" + Message(status));
}

// Why openat(O_NOFOLLOW) failed.
absl::Status WhyNotOpened(int parent, const std::string& part, int error_number, const std::string& shown) {
  struct stat information {};
  if (::fstatat(parent, part.c_str(), &information, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(information.st_mode)) {
    return Bad(shown, "a symbolic link: refused");
  }
  return Bad(shown, std::strerror(error_number));
}

// Reads below one folder, and never leaves it. Keeps the folders on the way to the last file open: the next one
// is mostly near.
class FolderReader {
 public:
  FolderReader(UniqueFd root, std::string name) : root_(std::move(root)), name_(std::move(name)) {}

  // `path` is safe in the sense of recording::IsSafePath. kInvalidArgument.
  absl::StatusOr<std::string> Read(const std::string& path, std::size_t most_bytes) {
    const std::string shown = name_ + "/" + path;
    RR_ASSIGN_OR_RETURN(const int parent, Enter(path));
    const std::string part = path.substr(path.rfind('/') + 1);  // npos + 1 is the whole path
    const UniqueFd file(
        ::openat(parent, part.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!file) return WhyNotOpened(parent, part, errno, shown);
    struct stat information {};
    if (::fstat(file.get(), &information) != 0) return Bad(shown, std::strerror(errno));
    if (!S_ISREG(information.st_mode)) return Bad(shown, "not a plain file");
    return ReadAll(file.get(), shown, most_bytes);
  }

 private:
  struct Open {
    std::string part{};
    UniqueFd fd{};
  };

  // The folder that holds the last part of `path`.
  absl::StatusOr<int> Enter(const std::string& path) {
    std::size_t depth = 0;
    std::size_t begin = 0;
    for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', begin)) {
      const std::string part = path.substr(begin, slash - begin);
      if (depth >= way_.size() || way_[depth].part != part) {
        way_.resize(depth);
        UniqueFd folder(::openat(Last(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!folder) return WhyNotOpened(Last(), part, errno, name_ + "/" + path.substr(0, slash));
        way_.push_back({part, std::move(folder)});
      }
      ++depth;
      begin = slash + 1;
    }
    way_.resize(depth);
    return Last();
  }

  int Last() const { return way_.empty() ? root_.get() : way_.back().fd.get(); }

  static absl::StatusOr<std::string> ReadAll(int file, const std::string& shown, std::size_t most_bytes) {
    std::string text;
    std::array<char, 65536> buffer;
    for (;;) {
      const ssize_t count = ::read(file, buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return Bad(shown, std::strerror(errno));
      if (count == 0) return text;
      text.append(buffer.data(), static_cast<std::size_t>(count));
      if (text.size() > most_bytes) return Bad(shown, "too large for a recording");
    }
  }

  UniqueFd root_;
  std::string name_;
  std::vector<Open> way_{};
};

// Takes what it reads off `budget_bytes`.
absl::StatusOr<Recording> LoadOne(UniqueFd root, const std::string& name, std::size_t& budget_bytes) {
  FolderReader folder(std::move(root), name);
  RR_ASSIGN_OR_RETURN(std::string manifest, folder.Read(std::string(kManifestFile), kMaxManifestBytes));
  // Before anything else: a newer format may look different in everything.
  if (const absl::Status status = CheckManifest(manifest); !status.ok()) return Inside(name, status);
  RR_ASSIGN_OR_RETURN(std::string digests, folder.Read(std::string(kDigestsFile), kMaxDigestsBytes));
  const absl::StatusOr<std::vector<std::string>> listed = ListedFiles(digests);
  if (!listed.ok()) return Inside(name, listed.status());

  RecordingFiles files;
  files.emplace(kDigestsFile, std::move(digests));
  std::size_t left = kMaxRecordingFolderBytes;
  for (const std::string& path : *listed) {
    const std::size_t most = path == kJudgedByFile ? kMaxJudgedByText : left;
    RR_ASSIGN_OR_RETURN(std::string text, folder.Read(path, std::min({most, left, budget_bytes})));
    left -= text.size();
    budget_bytes -= text.size();
    files.insert_or_assign(path, std::move(text));
  }
  absl::StatusOr<Recording> recording = DecodeRecording(files);
  if (!recording.ok()) return Inside(name, recording.status());
  return recording;
}

bool HasManifest(int folder) {
  struct stat information {};
  return ::fstatat(folder, std::string(kManifestFile).c_str(), &information, AT_SYMLINK_NOFOLLOW) == 0;
}

// The folders right below, by name, and the symbolic links, which nobody follows: what they lead to was not
// saved here.
absl::StatusOr<std::vector<std::string>> HostFolders(int parent, const std::string& directory) {
  const int copy = ::openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // closedir closes it
  const Handle<DIR, ::closedir> listing(copy < 0 ? nullptr : ::fdopendir(copy));
  if (!listing) return Bad(directory, std::strerror(errno));
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string name(&entry->d_name[0]);
    struct stat information {};
    if (name.starts_with('.')) continue;
    if (::fstatat(parent, name.c_str(), &information, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISDIR(information.st_mode) && !S_ISLNK(information.st_mode)) continue;
    names.push_back(name);
    if (names.size() > kMaxHosts) return Bad(directory, fmt::format("more than {} folders", kMaxHosts));
  }
  std::ranges::sort(names, NaturalLess);
  return names;
}

// The recording in the folder `name` of `parent`, which is shown as `folder`.
absl::StatusOr<Recording> LoadChild(int parent, const std::string& name, const std::string& folder,
                                    std::size_t& budget_bytes) {
  UniqueFd child(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!child) return WhyNotOpened(parent, name, errno, folder);
  if (!HasManifest(child.get())) return Bad(folder, "no recording: it has no " + std::string(kManifestFile));
  return LoadOne(std::move(child), folder, budget_bytes);
}

absl::Status Named(const absl::Status& status) {
  return absl::InvalidArgumentError("read recording " + Message(status));
}

// The recording in it, or those right below it.
absl::StatusOr<std::vector<SavedRecording>> LoadAll(const std::string& directory, std::size_t budget_bytes) {
  UniqueFd root(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root) return Named(Bad(directory, std::strerror(errno)));
  std::vector<SavedRecording> saved;
  if (HasManifest(root.get())) {
    absl::StatusOr<Recording> recording = LoadOne(std::move(root), directory, budget_bytes);
    if (!recording.ok()) return Named(recording.status());
    saved.push_back({directory, *std::move(recording)});
    return saved;
  }
  const absl::StatusOr<std::vector<std::string>> names = HostFolders(root.get(), directory);
  if (!names.ok()) return Named(names.status());
  if (names->empty()) {
    return Named(Bad(directory, "no recording is in it (`rdmaready facts --save` makes them)"));
  }
  bool any = false;
  for (const std::string& name : *names) {
    const std::string folder = directory + "/" + name;
    absl::StatusOr<Recording> recording = LoadChild(root.get(), name, folder, budget_bytes);
    any = any || recording.ok();
    saved.push_back({folder, recording.ok() ? std::move(recording) : Named(recording.status())});
  }
  if (!any) return saved.front().recording.status();
  return saved;
}

}  // namespace

absl::StatusOr<std::vector<SavedRecording>> LoadRecordings(const std::string& directory,
                                                           std::size_t budget_bytes) {
  std::string plain = directory;
  while (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
  return LoadAll(plain, budget_bytes);
}

}  // namespace rdmaready
