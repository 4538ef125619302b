// SPDX-License-Identifier: Apache-2.0
// BootStore: writes and removes files for the next boot, at the places of checks/plan/boot_files.h and nowhere
// else.
//
// Folder. The path is opened from the root, one name at a time, by openat2 with RESOLVE_NO_SYMLINKS and
// RESOLVE_BENEATH. Each folder belongs to root or to this user, and nobody else may write it. A folder for
// drop-ins or links that is not there is made with mode 0755 and the label of its parent.
//
// Write. A temporary file in the same folder gets the text, the label, and its mode when the text is whole.
// Then fsync, renameat2, and fsync of the folder. A new file never takes the name of another one
// (RENAME_NOREPLACE). An earlier file of ours is exchanged for the new one (RENAME_EXCHANGE) and read
// afterwards: where it was edited since, it goes back.
//
// Remove. The file is renamed first and read then, so that an edit of the last moment is seen and goes back.
//
// After a power cut the file is whole: the new one, the earlier one, or absent. A temporary file may stay. It
// holds a text of ours, a part of one (its mode says so), or the site's edited file. Sweep() deletes the first
// two, by their digests and that mode. The site's file gets its name back where it is free or holds the text
// that took it. Else it stays under its temporary name, and nothing is written or removed at this path until a
// person moves it.
//
// Temporary names are ".NAME.new" and ".NAME.new.old". No manager reads them: systemd's conf_files_list() takes
// names that end with ".link", ".network", ".conf" or ".rules" and no hidden file (src/basic/conf-files.c), its
// units need a name of unit_name_is_valid(), netplan reads "*.yaml", NetworkManager "conf.d/*.conf".
//
// Some file systems, such as NFS, have no flags of renameat2. There a file gets its name by linkat(2), which
// takes no name of another file either. An earlier file of ours is renamed first, so that the name is absent
// for a moment. Sweep() gives it back after a power cut in that moment.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/apply/disk.h"
#include "api/base/handle.h"

namespace rdmaready::apply {

// SHA-256 of texts of this program at one path. Every other text is the site's.
struct OwnTexts {
  std::string planned{};               // of the write that may have been cut; empty: there was none
  std::vector<std::string> earlier{};  // an empty one is of no text
};

// One thread at a time, but DigestOf(), which any thread may call. Errors of all: kInvalidArgument (no path of
// the closed list), kFailedPrecondition (a folder or the file is not what it must be), else ErrnoStatus; the
// words name the path.
class BootStore {
 public:
  // `root`: the folder that is "/"; a test gives another one.
  // `renames_in_steps`: as on a file system without the flags of renameat2, which is found out otherwise.
  // `renamed`: is called after each change of a name; a test cuts there.
  BootStore(Disk& disk, std::string root, bool renames_in_steps = false, std::function<void()> renamed = {})
      : disk_(disk),
        root_(std::move(root)),
        renames_in_steps_(renames_in_steps),
        renamed_(std::move(renamed)) {}

  // SHA-256 of the content; of a link, of its target. kNotFound: there is no such file, or no such folder.
  absl::StatusOr<std::string> DigestOf(const std::string& path) const;

  absl::StatusOr<bool> HasFolder(const std::string& path) const;
  // Whether Write() makes the folder of that path.
  static bool MayMakeFolder(const std::string& path);

  // The file is `content` when it returns; of a link path, the link goes there. `before`: the digest of what is
  // there, empty where nothing is. kAborted: something else is there, which stays. kFailedPrecondition, too: a
  // temporary name holds a file of the site. Returns whether the folder was made.
  absl::StatusOr<bool> Write(const std::string& path, std::string_view content, std::string_view before);

  // kAborted: the digest is another one, and the file stays. kNotFound: it was not there. kFailedPrecondition,
  // too: a temporary name holds a file of the site. `with_folder`: its folder goes too, where it is empty.
  absl::Status Remove(const std::string& path, std::string_view sha256, bool with_folder);

  // Completes or undoes a write or removal of this path that was cut. Returns the path under which a file of
  // the site is left, empty where none is. Errors are not reported: what could not be moved or deleted stays.
  // `with_folder`: the folder is removed, too, where it is empty.
  std::string Sweep(const std::string& path, const OwnTexts& own, bool with_folder = false);

 private:
  struct Place {
    UniqueFd folder{};
    UniqueFd above{};  // the folder that holds it
    std::string folder_name{};
    std::string name{};
    bool made = false;
  };
  absl::StatusOr<Place> Open(const std::string& path, bool make) const;
  // A folder for drop-ins or links in `above`, with the label of its parent. `walked` is its path.
  absl::StatusOr<UniqueFd> MakeFolder(int above, const std::string& name, const std::string& walked) const;
  absl::StatusOr<std::string> DigestAt(const Place& place, const std::string& name,
                                       const std::string& path) const;
  absl::Status Stage(const Place& place, const std::string& path, std::string_view content);
  absl::Status Rename(int folder, const std::string& from, const std::string& to, unsigned flags) const;
  static absl::Status RemoveFolder(const Place& place, const std::string& path);
  absl::Status TakeName(const Place& place, const std::string& path, std::string_view before,
                        const OwnTexts& own) const;
  // Gives the site's text in the temporary file the name that a text of ours has.
  absl::Status ExchangeBack(const Place& place, const std::string& path, const OwnTexts& own) const;
  // Whether there is such a file, and whether it may be deleted.
  enum class Left { kNothing, kOwn, kOfSite };
  Left Look(const Place& place, const std::string& path, const std::string& name, const OwnTexts& own) const;
  void GiveBack(const Place& place, const std::string& path, const OwnTexts& own) const;
  // Deletes the temporary files of ours. Returns the path of one that is the site's, empty where none is.
  std::string Clear(const Place& place, const std::string& path, const OwnTexts& own);

  Disk& disk_;
  const std::string root_;
  const bool renames_in_steps_;
  const std::function<void()> renamed_;
};

}  // namespace rdmaready::apply
