// SPDX-License-Identifier: Apache-2.0
#include "tests/property/hosts.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "api/base/status.h"
#include "collectors/collect.h"
#include "collectors/recording/folder.h"
#include "collectors/recording/recording_host.h"
#include "tests/fixtures/made/made_host.h"
#include "tests/support/source_tree.h"

namespace rdmaready::property {
namespace {

Recording Described(const std::filesystem::path& file) {
  made::MadeHost host(made::Load(file.string(), test::SourceTree() + "/tests/fixtures/made/drivers"));
  RecordingHost recorder(host);
  CollectFacts(recorder);
  return recorder.Take();
}

void AddRecorded(const std::filesystem::path& folder, std::vector<Host>& hosts) {
  auto saved = LoadRecordings((folder / "saved").string());
  if (!saved.ok()) throw std::runtime_error(Message(saved.status()));
  for (SavedRecording& one : *saved) {
    if (!one.recording.ok()) throw std::runtime_error(Message(one.recording.status()));
    hosts.push_back({folder.filename(), *std::move(one.recording)});
  }
}

}  // namespace

std::vector<Host> Hosts() {
  std::vector<Host> hosts;
  for (const char* kind : {"/tests/fixtures/hosts", "/tests/fixtures/corpus"}) {
    for (const auto& entry : std::filesystem::directory_iterator(test::SourceTree() + kind)) {
      const std::filesystem::path folder = entry.path();
      if (std::filesystem::exists(folder / "host.yaml")) {
        hosts.push_back({folder.filename(), Described(folder / "host.yaml")});
      } else if (std::filesystem::exists(folder / "saved")) {
        AddRecorded(folder, hosts);
      }
    }
  }
  std::ranges::sort(hosts, {}, &Host::name);
  return hosts;
}

Share ShareToTry() {
  const char* said = std::getenv("RDMAREADY_PROPERTY");
  return {.all = said != nullptr && std::string_view(said) == "all"};
}

}  // namespace rdmaready::property
