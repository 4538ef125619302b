// SPDX-License-Identifier: Apache-2.0
// Files that bring an MTU back at boot, as the applier would write them: closed places, and contents that are
// computed here from facts. Pure. No command and no method of the service leads here yet.
//
// The design for `apply --persist`:
//
// Order. It names settings and values, never a path or a text. The applier reads the host itself and computes
// each file by BootFileFor() from its own facts, as it makes its own plan.
//
// Permission. apply.yaml says `files: true`; without it each file is refused. The kind and the place of the
// setting must be allowed as for a step.
//
// Path. IsBootFilePath() holds again before a write: a folder of the closed list, and a name of this program's
// own form. No file of a site is opened for writing. No file that can hold secrets goes into a journal: a file
// of this program is added beside those of netplan and NetworkManager.
//
// Folder. The applier opens it by openat2 with RESOLVE_NO_SYMLINKS, step by step from "/". It makes a missing
// folder for drop-ins with mode 0755 and the label of the parent.
//
// Write. A temporary file in the same folder gets the text, root as its owner, the mode and the label. Then
// fsync, renameat2, and fsync of the folder. netplan's file has mode 0600, as netplan warns of any other.
//
// Journal. It holds the path, the digest of the earlier content or "absent", and the digest of the new content.
// A rollback restores this program's own earlier file, or removes the new one. `forget --persist` removes a
// file only while its digest is that of the journal. It names a file that was edited, and leaves it.
//
// Manager. `netplan generate` and `networkctl reload` are programs of the host, and the applier starts none. It
// checks the text with a parser of its own, and the answer names the command. A file that the manager refuses
// goes away by `forget --persist`. BootFile::unkept is listed for a person, as by `plan --persist`.
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

// The file that keeps the MTU of the interface through the program that owns it. It is a drop-in of a .link or
// .network file, a .link file, a file beside those of netplan or NetworkManager, or a unit. Both texts are
// empty where a file of the host keeps the MTU already.
BootFile BootFileFor(const Facts& host, const std::string& netdev, std::uint32_t mtu_bytes);

}  // namespace rdmaready
