// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/kernel_modules.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/base/status.h"
#include "api/model/rdma_drivers.h"
#include "collectors/lines.h"

namespace rdmaready {
namespace {

constexpr std::string_view kRdmaCm = "rdma_cm";

// The options that decide whether a module was built with RDMA.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kRdmaOptions{
    {{"cifs", "CONFIG_CIFS_SMB_DIRECT"}, {"ksmbd", "CONFIG_SMB_SERVER_SMBDIRECT"}}};

constexpr std::array<std::string_view, 10> kOptions{"CONFIG_CIFS",
                                                    "CONFIG_CIFS_SMB_DIRECT",
                                                    "CONFIG_SMB_SERVER",
                                                    "CONFIG_SMB_SERVER_SMBDIRECT",
                                                    "CONFIG_SMBDIRECT",
                                                    "CONFIG_NVME_RDMA",
                                                    "CONFIG_NVME_TARGET_RDMA",
                                                    "CONFIG_INFINIBAND_ISER",
                                                    "CONFIG_INFINIBAND_ISERT",
                                                    "CONFIG_SUNRPC_XPRT_RDMA"};

bool Contains(std::span<const std::string> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// depmod puts "extra" and "updates" before the tree that the kernel was installed with.
bool IsOfKernel(std::string_view path) { return path.starts_with("kernel/"); }

// "kernel/drivers/nvme/host/nvme-rdma.ko.xz" -> "nvme_rdma"; empty for what is no module.
std::string ModuleOfPath(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);  // npos + 1 is 0
  const std::size_t end = path.find(".ko");
  if (end == std::string_view::npos || end == 0) return {};
  std::string name(path.substr(0, end));
  std::ranges::replace(name, '-', '_');
  return name;
}

// The files are named with either sign.
std::vector<std::string> FileWords(std::span<const std::string_view> names) {
  std::vector<std::string> words;
  for (const std::string_view name : names) {
    words.push_back(std::string(name) + ".ko");
    std::string dashed = words.back();
    std::ranges::replace(dashed, '_', '-');
    if (dashed != words.back()) words.push_back(std::move(dashed));
  }
  return words;
}

// No such file: a kernel without modules has none.
absl::StatusOr<std::vector<ModuleLine>> ReadIndex(HostReader& host, const std::string& path,
                                                  std::vector<std::string_view> names) {
  const absl::StatusOr<std::vector<std::string>> lines = host.FindLines(path, FileWords(names));
  if (lines.ok()) return DecodeModuleLines(*lines);
  if (lines.status().code() == absl::StatusCode::kNotFound) return std::vector<ModuleLine>{};
  return lines.status();
}

const ModuleLine* Find(const std::vector<ModuleLine>& lines, std::string_view name) {
  const auto found = std::ranges::find(lines, name, &ModuleLine::name);
  return found == lines.end() ? nullptr : &*found;
}

// What the kernel said of modules as a whole.
struct Sources {
  absl::StatusOr<std::vector<std::string>> loaded;    // /sys/module: also built-in ones that have parameters
  absl::StatusOr<std::vector<ModuleLine>> installed;  // modules.dep
  absl::StatusOr<std::vector<ModuleLine>> built_in;   // modules.builtin
  absl::StatusOr<std::vector<std::string>> cm_users;  // who, of the loaded ones, needs rdma_cm
  absl::StatusOr<std::vector<std::string>> smbdirect_users;  // and smbdirect, which needs rdma_cm
  absl::StatusOr<std::string> core_taint;                    // of ib_core; not found: it is not a loaded module
};

Fact<ModuleState> StateOf(const Sources& sources, std::string_view name) {
  if (sources.built_in.ok() && Find(*sources.built_in, name) != nullptr) return ModuleState::kBuiltIn;
  if (!sources.loaded.ok()) return MissingFrom(sources.loaded.status());
  if (Contains(*sources.loaded, name)) return ModuleState::kLoaded;
  if (!sources.installed.ok()) return MissingFrom(sources.installed.status());
  if (Find(*sources.installed, name) != nullptr) return ModuleState::kInstalled;
  if (!sources.built_in.ok()) return MissingFrom(sources.built_in.status());
  return ModuleState::kAbsent;
}

// Where modules cannot tell, because rdma_cm or the module itself is built into the kernel.
Fact<bool> RdmaByOption(std::string_view name, const Fact<std::vector<KernelOption>>& options) {
  const auto* const row =
      std::ranges::find(kRdmaOptions, name, &std::pair<std::string_view, std::string_view>::first);
  if (row == kRdmaOptions.end()) return Missing{Missing::Kind::kUnsupported, "built into the kernel: not told"};
  if (!options) return options.missing();
  const auto option = std::ranges::find(*options, row->second, &KernelOption::name);
  return option != options->end() &&
         option->value == "y";  // an option whose own needs are not met is not listed
}

// The modules that use it; of one that is not there, or built in, there is no such directory.
absl::StatusOr<std::vector<std::string>> HoldersOfModule(HostReader& host, std::string_view module) {
  const absl::StatusOr<std::vector<std::string>> holders =
      host.ListDirectory("/sys/module/" + std::string(module) + "/holders");
  if (!holders.ok() && holders.status().code() == absl::StatusCode::kNotFound)
    return std::vector<std::string>{};
  return holders;
}

Fact<bool> RdmaOfLoaded(const Sources& sources, std::string_view name) {
  if (!sources.cm_users.ok()) return MissingFrom(sources.cm_users.status());
  if (Contains(*sources.cm_users, name)) return true;
  if (!sources.smbdirect_users.ok()) return MissingFrom(sources.smbdirect_users.status());
  return Contains(*sources.smbdirect_users, name);
}

Fact<bool> UsesRdma(const Sources& sources, std::string_view name, const Fact<ModuleState>& state,
                    const Fact<std::vector<KernelOption>>& options) {
  if (!state) return state.missing();
  if (*state == ModuleState::kAbsent) return Missing{Missing::Kind::kUnsupported, "there is no such module"};
  if (*state == ModuleState::kBuiltIn) return RdmaByOption(name, options);
  if (!sources.built_in.ok()) return MissingFrom(sources.built_in.status());
  if (Find(*sources.built_in, kRdmaCm) != nullptr) return RdmaByOption(name, options);
  if (*state == ModuleState::kLoaded) return RdmaOfLoaded(sources, name);
  return Contains(Find(*sources.installed, name)->needs, kRdmaCm);
}

Fact<bool> HasForeignCore(const Sources& sources, std::string_view name, const Fact<ModuleState>& state) {
  if (!state) return state.missing();
  if (*state != ModuleState::kInstalled)
    return Missing{Missing::Kind::kUnsupported, "the question is of installed modules that are not loaded"};
  const ModuleLine& line = *Find(*sources.installed, name);
  if (line.foreign_core || !line.kernels_core) return line.foreign_core;
  if (sources.core_taint.status().code() == absl::StatusCode::kNotFound) return false;
  if (!sources.core_taint.ok()) return MissingFrom(sources.core_taint.status());
  // The core that runs may be older than the one on disk: a vendor's was installed or removed since.
  const bool runs_kernels = sources.core_taint->find('O') == std::string::npos;
  return runs_kernels != *line.kernels_core;
}

// The RDMA drivers of the adapters on the bus, each once.
std::vector<std::string_view> WantedDrivers(const std::vector<PciDevice>& functions) {
  std::vector<std::string_view> names;
  for (const PciDevice& function : functions) {
    const RdmaDriver* driver = RdmaDriverOf(function);
    if (driver != nullptr && std::ranges::find(names, driver->module) == names.end())
      names.push_back(driver->module);
  }
  return names;
}

}  // namespace

std::vector<ModuleLine> DecodeModuleLines(std::span<const std::string> lines) {
  std::vector<ModuleLine> decoded;
  for (const std::string_view line : lines) {
    const std::string_view path = line.substr(0, line.find(':'));
    ModuleLine module{.name = ModuleOfPath(path)};
    if (module.name.empty()) continue;
    for (const std::string_view need : WordsOf(line.substr(std::min(line.size(), path.size() + 1)))) {
      std::string name = ModuleOfPath(need);
      if (name.empty()) continue;
      const bool core = name == kRdmaCm || name == "ib_core";
      module.foreign_core = module.foreign_core || (core && IsOfKernel(path) && !IsOfKernel(need));
      if (core) module.kernels_core = module.kernels_core.value_or(true) && IsOfKernel(need);
      module.needs.push_back(std::move(name));
    }
    decoded.push_back(std::move(module));
  }
  return decoded;
}

std::vector<KernelOption> DecodeOptions(std::span<const std::string> lines) {
  std::vector<KernelOption> options;
  for (const std::string_view line : lines) {
    if (!line.starts_with("#")) {
      const std::size_t equals = line.find('=');
      const std::string_view value = equals == std::string_view::npos ? "" : line.substr(equals + 1);
      if (value == "y" || value == "m")
        options.push_back({std::string(line.substr(0, equals)), std::string(value)});
      continue;
    }
    const std::vector<std::string_view> words = WordsOf(line);
    const bool off = words.size() == 5 && words[2] == "is" && words[3] == "not" && words[4] == "set";
    if (off) options.push_back({std::string(words[1]), "n"});
  }
  return options;
}

Fact<std::vector<KernelOption>> ReadKernelOptions(HostReader& host, const Fact<Kernel>& kernel) {
  return ReadOptionsNamed(host, kernel, kOptions);
}

Fact<std::vector<KernelOption>> ReadOptionsNamed(HostReader& host, const Fact<Kernel>& kernel,
                                                 std::span<const std::string_view> names) {
  if (!kernel) return kernel.missing();
  std::vector<std::string> words;
  for (const std::string_view option : names) {
    words.push_back(std::string(option) + "=");
    words.push_back(std::string(option) + " is not set");
  }
  for (const std::string& path :
       {"/boot/config-" + kernel->release, "/lib/modules/" + kernel->release + "/config"}) {
    const absl::StatusOr<std::vector<std::string>> lines = host.FindLines(path, words);
    if (lines.ok()) return DecodeOptions(*lines);
    if (lines.status().code() != absl::StatusCode::kNotFound) return MissingFrom(lines.status());
  }
  return Missing{Missing::Kind::kUnsupported, "the configuration of this kernel is not installed"};
}

Fact<std::vector<KernelModule>> ReadStorageModules(HostReader& host, const Fact<Kernel>& kernel,
                                                   const Fact<std::vector<KernelOption>>& options) {
  if (!kernel) return kernel.missing();
  const std::string installed = "/lib/modules/" + kernel->release;
  std::vector<std::string_view> names(kStorageModules.begin(), kStorageModules.end());
  names.push_back(kRdmaCm);
  const Sources sources{.loaded = host.ListDirectory("/sys/module"),
                        .installed = ReadIndex(host, installed + "/modules.dep", names),
                        .built_in = ReadIndex(host, installed + "/modules.builtin", names),
                        .cm_users = HoldersOfModule(host, kRdmaCm),
                        .smbdirect_users = HoldersOfModule(host, "smbdirect"),
                        .core_taint = host.ReadFile("/sys/module/ib_core/taint")};
  std::vector<KernelModule> modules;
  for (const std::string_view name : kStorageModules) {
    KernelModule module{.name = std::string(name), .state = StateOf(sources, name)};
    module.uses_rdma = UsesRdma(sources, name, module.state, options);
    module.foreign_core = HasForeignCore(sources, name, module.state);
    modules.push_back(std::move(module));
  }
  return modules;
}

std::vector<KernelModule> ReadAdapterModules(HostReader& host, const Fact<Kernel>& kernel,
                                             const Fact<std::vector<PciDevice>>& functions) {
  if (!kernel || !functions) return {};
  std::vector<std::string_view> names = WantedDrivers(*functions);
  if (names.empty()) return {};
  names.push_back(kRdmaCm);
  names.push_back("ib_core");
  const std::string folder = "/lib/modules/" + kernel->release;
  const Sources sources{.loaded = host.ListDirectory("/sys/module"),
                        .installed = ReadIndex(host, folder + "/modules.dep", names),
                        .built_in = ReadIndex(host, folder + "/modules.builtin", names),
                        .cm_users = std::vector<std::string>{},
                        .smbdirect_users = std::vector<std::string>{},
                        .core_taint = absl::NotFoundError("not asked")};
  const bool whole = sources.installed.ok() && sources.built_in.ok();
  const bool tells = whole && !(sources.installed->empty() && sources.built_in->empty());
  std::vector<KernelModule> modules;
  for (const std::string_view name : names) {
    KernelModule module{.name = std::string(name), .state = StateOf(sources, name)};
    if (!tells && module.state && *module.state == ModuleState::kAbsent)
      module.state = Missing{Missing::Kind::kFailed, "the list of modules has nothing of RDMA"};
    modules.push_back(std::move(module));
  }
  modules.resize(modules.size() - 2);  // the core's own
  return modules;
}

}  // namespace rdmaready
