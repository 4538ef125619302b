// SPDX-License-Identifier: Apache-2.0
// Files that bring an MTU back at boot, as the applier would write them: closed places, and contents that are
// computed here from facts. Pure. No command and no method of the service leads here yet.
//
// The design for `apply --persist`:
// - The order names settings and values, never a path or a text. The applier reads the host itself, and
// computes
//   the file by BootFileFor() from its own facts, as it makes its own plan.
// - apply.yaml says `files: true`; without it each file is refused. The kind and the place of the setting must
// be
//   allowed as for a step.
// - A path must pass IsBootFilePath() again before it is written: a folder of the closed list and a name of
// this
//   program's own form. So no file of a site is ever opened for writing, and none that can hold secrets is read
//   into a journal: of netplan and NetworkManager a file of its own is added beside theirs.
// - The folder is opened by openat2 with RESOLVE_NO_SYMLINKS and RESOLVE_BENEATH, step by step from "/". A
// folder
//   for drop-ins is made with 0755 where it is missing, with the label of its parent.
// - The text goes to a temporary file in the same folder with owner root, mode and label (fsetxattr of
//   security.selinux, from the file that it replaces, else from the folder's default), then fsync, renameat2,
//   fsync of the folder. netplan's file has mode 0600, as netplan warns of any other one.
// - Journal: path, the digest of what was there (or "absent"), and the digest of what is written. A rollback
//   renames the saved copy of this program's own earlier file back, or removes the file. `forget --persist`
//   removes a file only while its digest is that of the journal: one that was edited stays, and is named.
// - Then the manager is asked whether it takes the file: `netplan generate` and `networkctl reload` are
// programs
//   of the host, which the applier does not start. So it checks the text with a parser of its own before, and
//   the caller is told the command. A file that a person's manager refuses is put back by `forget --persist`.
// - What BootFile::unkept names is listed for the person, as `plan --persist` does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/model/facts.h"

namespace rdmaready {

// A file of this program's own. Either `path` or `unkept` is empty.
struct BootFile {
  std::string path{};  // "/etc/systemd/network/50-a.link.d/rdma.conf"
  std::string content{};
  std::uint32_t mode = 0;  // permission bits: 0644, or 0600
  std::string unkept{};    // why no such file keeps it: "/etc/rc.local sets MTU of dcb0 again at each boot"

  bool operator==(const BootFile&) const = default;
};

// Whether the path is one that this program may write: a folder of the closed list, and a name as BootFileFor()
// gives it. No "..", no empty part, no byte that is not printable.
bool IsBootFilePath(std::string_view path);

// The file by which the interface has the MTU at the next boot, through the program that keeps it: a drop-in of
// its .link or .network file, a .link file, a file beside netplan's or NetworkManager's, or a unit. Both
// members are empty where a file of the host keeps it already.
BootFile BootFileFor(const Facts& host, const std::string& netdev, std::uint32_t mtu_bytes);

}  // namespace rdmaready
