// SPDX-License-Identifier: Apache-2.0
// The host itself: names, kernel, locked memory, and how far the InfiniBand stack got.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// All facts that are read here; a new one needs a line there and no declaration in this file.
void ReadHostFacts(HostReader& host, Facts& facts);

// Empty when it cannot be read.
std::string ReadHostname(HostReader& host);
std::string ReadMachineId(HostReader& host);

Fact<Kernel> ReadKernel(HostReader& host);
Fact<Memlock> ReadMemlock(HostReader& host);

// Lines of /proc/meminfo. kUnsupported without a line: a kernel without CMA.
Fact<CmaMemory> DecodeCma(std::span<const std::string> lines);
Fact<CmaMemory> ReadCma(HostReader& host);

// Of /proc/self/limits: the calling process.
Fact<OpenFiles> DecodeOpenFiles(std::string_view limits);
Fact<OpenFiles> ReadOpenFiles(HostReader& host);

// The first number of /proc/uptime.
Fact<std::uint64_t> ReadUptime(HostReader& host);

// /sys/class/infiniband there: kLoaded. Else what the modules installed for the running kernel say
// (/lib/modules/<release>/modules.dep and .builtin), and the kernel's configuration where they are unreadable.
Fact<RdmaStack> ReadRdmaStack(HostReader& host, const Fact<Kernel>& kernel);

// Device nodes in /dev/infiniband; none when there is no such directory.
Fact<std::vector<std::string>> ReadRdmaNodes(HostReader& host);

// `names` as ReadRdmaNodes has them; what is gone meanwhile is left out.
Fact<std::vector<DeviceNode>> ReadDeviceNodes(HostReader& host, const Fact<std::vector<std::string>>& names);

// How many NUMA nodes are online; `text` is "0-1,4\n".
Fact<std::uint32_t> DecodeNodeList(std::string_view text);
Fact<std::uint32_t> ReadNumaNodes(HostReader& host);

// CapEff of /proc/self/status: of the calling process. Of a process in a user namespace of its own they count
// only there, and the kernel asks for most of them in the first one.
Fact<std::uint64_t> DecodeCapabilities(std::string_view status);

// Of /proc/self/status too: the name of the calling process, its first 15 characters.
Fact<std::string> DecodeProcessName(std::string_view status);

// And the id of its effective user.
Fact<std::uint32_t> DecodeEffectiveUser(std::string_view status);

// Reads that file once for all three.
void ReadOwnProcess(HostReader& host, Facts& facts);

// The governors of cpufreq in use, sorted, each once. kUnsupported: nothing scales the clocks, or a
// hypervisor does.
Fact<std::vector<std::string>> ReadCpuGovernors(HostReader& host);

// By the folder or socket that it has in /run.
Fact<bool> ReadIrqbalance(HostReader& host);

// Whether an index of modules ("kernel/a/b/ib_core.ko.xz: ..." or one path per line) has the module.
bool ListsModule(std::string_view index, std::string_view module);

}  // namespace rdmaready
