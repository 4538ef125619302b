// SPDX-License-Identifier: Apache-2.0
// BootStore: writes and removes files for the next boot, at the places of checks/plan/boot_files.h and nowhere
// else.
//
// Folder. The path is opened from the root, one name at a time, by openat2 with RESOLVE_NO_SYMLINKS and
// RESOLVE_BENEATH. Each folder belongs to root or to this user, and nobody else may write it. A folder for
// drop-ins or links that is not there is made with mode 0755 and the label of its parent.
//
// Write. A temporary file in the same folder gets the text, the mode and the label. Then fsync, renameat2, and
// fsync of the folder. A new file never takes the name of another one (RENAME_NOREPLACE). An earlier file of
// ours is exchanged for the new one (RENAME_EXCHANGE) and read afterwards: where it was edited since, it goes
// back.
//
// Remove. The file is renamed first and read then, so that an edit of the last moment is seen and goes back.
//
// After a power cut the file is whole: the new one, the earlier one, or absent. A temporary file may stay;
// Sweep() removes it.
//
// Some file systems, such as NFS, have no flags of renameat2. There a file gets its name by linkat(2), which
// takes no name of another file either. An earlier file of ours is renamed first, so that the name is absent
// for a moment. Sweep() gives it back after a power cut in that moment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/apply/disk.h"
#include "api/base/handle.h"

namespace rdmaready::apply {

// One thread at a time, but DigestOf(), which any thread may call. Errors of all: kInvalidArgument (no path of
// the closed list), kFailedPrecondition (a folder or the file is not what it must be), else ErrnoStatus; the
// words name the path.
class BootStore {
 public:
  // `root`: the folder that is "/"; a test gives another one.
  // `renames_in_steps`: as on a file system without the flags of renameat2, which is found out otherwise.
  BootStore(Disk& disk, std::string root, bool renames_in_steps = false)
      : disk_(disk), root_(std::move(root)), renames_in_steps_(renames_in_steps) {}

  // SHA-256 of the content; of a link, of its target. kNotFound: there is no such file, or no such folder.
  absl::StatusOr<std::string> DigestOf(const std::string& path) const;

  absl::StatusOr<bool> HasFolder(const std::string& path) const;
  // Whether Write() makes the folder of that path.
  static bool MayMakeFolder(const std::string& path);

  // The file is `content` when it returns; of a link path, the link goes there. `before`: the digest of what is
  // there, empty where nothing is. kAborted: something else is there, which stays. Returns whether the folder
  // was made.
  absl::StatusOr<bool> Write(const std::string& path, std::string_view content, std::string_view before);

  // kAborted: the digest is another one, and the file stays. kNotFound: it was not there. `with_folder`: its
  // folder goes too, where it is empty.
  absl::Status Remove(const std::string& path, std::string_view sha256, bool with_folder);

  // Removes the temporary file that a cut write or removal of this path left. Errors are not reported: the file
  // is in nobody's way.
  // `with_folder`: the folder too, where it is empty.
  void Sweep(const std::string& path, bool with_folder = false);

 private:
  struct Place {
    UniqueFd folder{};
    UniqueFd above{};  // the folder that holds it
    std::string folder_name{};
    std::string name{};
    bool made = false;
  };
  absl::StatusOr<Place> Open(const std::string& path, bool make) const;
  absl::StatusOr<std::string> DigestAt(const Place& place, const std::string& name,
                                       const std::string& path) const;
  absl::Status Stage(const Place& place, const std::string& path, std::string_view content);
  absl::Status Rename(int folder, const std::string& from, const std::string& to, unsigned flags) const;
  static absl::Status RemoveFolder(const Place& place, const std::string& path);
  // `in_use`: the temporary name has a file of the site, and nothing may remove it.
  absl::Status TakeName(const Place& place, const std::string& path, std::string_view before, bool& in_use);

  Disk& disk_;
  const std::string root_;
  const bool renames_in_steps_;
};

}  // namespace rdmaready::apply
