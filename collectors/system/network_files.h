// SPDX-License-Identifier: Apache-2.0
// The interfaces that network managers have in their configuration: connections of NetworkManager and files of
// systemd-networkd, netplan's among them.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

struct NetworkFolder {
  std::string_view path;
  std::string_view ending;  // of a file's name
  std::string_view key;     // of the lines that name interfaces
};

// Only root may read connections: they hold passwords.
inline constexpr std::string_view kConnectionKey = "interface-name";
inline constexpr std::string_view kRunningConnections = "/run/NetworkManager/system-connections";

inline constexpr std::array<NetworkFolder, 4> kNetworkFolders{
    {{"/etc/NetworkManager/system-connections", ".nmconnection", kConnectionKey},
     {kRunningConnections, ".nmconnection", kConnectionKey},
     {"/etc/systemd/network", ".network", "Name"},
     {"/run/systemd/network", ".network", "Name"}}};

// The words of HostReader::FindLines for lines that give the key a value: blanks may be around the '='.
std::vector<std::string> WordsOfKey(std::string_view key);

// The value that such a line gives the key, without the blanks around it; empty: it gives the key none.
std::string_view ValueOfKey(std::string_view line, std::string_view key);

// Lines to the interfaces that they name: "interface-name=ens1f0np0", also with blanks around the '=' and in
// quotes. Patterns and lists are left out.
std::vector<NamedDevice> DecodeNetworkLines(std::span<const std::string> lines, std::string_view key,
                                            const std::string& source);

struct ManagedInterfaces {
  // Missing where something could not be read and nothing was found.
  Fact<std::vector<NamedDevice>> named{};
  // Files and folders of a manager that runs, or may run, which could not be read, or not whole: the interfaces
  // in them have no known owner.
  std::vector<std::string> unread{};
};

// Interfaces of the managers that run here, by their folders below /run.
ManagedInterfaces ReadManagedInterfaces(HostReader& host);

}  // namespace rdmaready
