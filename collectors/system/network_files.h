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
  std::string_view word;    // a line that begins with it names interfaces
};

// Only root may read connections: they hold passwords.
inline constexpr std::string_view kConnectionWord = "interface-name=";
inline constexpr std::string_view kRunningConnections = "/run/NetworkManager/system-connections";

inline constexpr std::array<NetworkFolder, 4> kNetworkFolders{
    {{"/etc/NetworkManager/system-connections", ".nmconnection", kConnectionWord},
     {kRunningConnections, ".nmconnection", kConnectionWord},
     {"/etc/systemd/network", ".network", "Name="},
     {"/run/systemd/network", ".network", "Name="}}};

// Lines to the interfaces that they name: "interface-name=ens1f0np0". Patterns and lists are left out.
std::vector<NamedDevice> DecodeNetworkLines(std::span<const std::string> lines, std::string_view word,
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
