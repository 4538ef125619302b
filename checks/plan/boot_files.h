// SPDX-License-Identifier: Apache-2.0
// The closed list of files that `apply --persist` may write for the next boot: places, names and modes. Pure.
// The contents are those of PersistFile, which `plan --persist` prints (checks/plan/persist.h).
//
// The design of `apply --persist`:
//
// Order. It names profiles and ports, never a path or a text. The applier reads the host itself, and makes each
// file by MakePlan() with its own facts, as it makes its own plan.
//
// Permission. apply.yaml says `files: true`; without it the whole order is refused, and nothing is written. The
// kind and the place of each setting in a file must be allowed as for a step; else that file is not written.
//
// Time. The files are written when the change is confirmed, after its settings were read once more. A change
// that nobody confirms leaves no file, so it never comes back at a boot. A plan without steps has nothing to
// confirm: its files are written at once.
//
// Path. IsBootFilePath() holds before each write: a folder of the closed list, and a name of this program's own
// form. No file of a site is opened for writing. netplan's files and NetworkManager's connections can hold
// secrets: they are never read for this, never rewritten, and in no journal. A file of this program is added
// beside them.
//
// Manager. `netplan generate`, `networkctl reload` and `systemctl daemon-reload` are programs of the host. The
// applier starts none: each manager reads the files at the next boot. A text is parsed before it is written
// (agent/apply/boot_text.h), and one that is odd is not written.
//
// How they are written and removed: agent/apply/boot_store.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rdmaready {

// Whether the path is one that this program may write: a folder of the closed list, and a name as the files of
// PersistFile have it. No "..", no empty part, no letter that a shell or a list would take for another.
bool IsBootFilePath(std::string_view path);

// Permission bits of such a file: 0600 of netplan, which warns of any other, else 0644.
std::uint32_t ModeOfBootFile(std::string_view path);

// A limit of such a file that a person has to know, although its manager reads it. A connection of
// NetworkManager, which is never read for this, may have a value of its own. A bond or bridge of netplan comes
// by the file alone, when the site's definition goes. A copy of a .link file may be in the initramfs. Empty:
// nothing of the kind.
std::string_view LimitOfBootFile(std::string_view path, std::string_view content);

// The link by which systemd starts the unit with its interface, as `systemctl enable` makes it. Empty texts:
// the path is not that of a unit of this program.
struct BootLink {
  std::string
      path{};  // "/etc/systemd/system/sys-subsystem-net-devices-dcb0.device.wants/rdma-mtu-dcb0.service"
  std::string target{};  // "/etc/systemd/system/rdma-mtu-dcb0.service"
};
BootLink LinkOfBootFile(std::string_view path);

// Whether the path is that of such a link.
bool IsBootLinkPath(std::string_view path);

}  // namespace rdmaready
