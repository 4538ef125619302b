// SPDX-License-Identifier: Apache-2.0
// Recordings for tests: made of a fake host, taken apart, and sealed again, so that a test gets past the
// digests to what lies behind them.
#pragma once

#include <string>

#include "api/base/digest.h"
#include "collectors/collect.h"
#include "collectors/recording/format.h"
#include "collectors/recording/recording_host.h"
#include "tests/unit/collectors/good_fake_host.h"

namespace rdmaready {

inline Recording RecordFacts(HostReader& host) {
  RecordingHost recorder(host);
  CollectFacts(recorder);
  Recording recording = recorder.Take();
  recording.host = "node1";
  recording.hostname = "node1";
  recording.kernel = "6.12.1";
  recording.rdmaready = "0.0.9";
  recording.recorded_unix_ns = 1'700'000'000'000'000'000;
  recording.apply_state = ApplyState{.changes = {{.id = "1a2b3c4d",
                                                  .state = ChangeState::kAwaitingConfirm,
                                                  .requester = "anna",
                                                  .settings = 5,
                                                  .back_in_ms = 41'001}},
                                     .notices = {"the audit is full"}};
  return recording;
}

inline RecordingFiles GoodFiles() {
  FakeHost host = GoodFakeHost();
  return *EncodeRecording(RecordFacts(host));
}

// Replaces `from`, which must be there, in one file.
inline void Edit(RecordingFiles& files, const std::string& file, const std::string& from,
                 const std::string& to) {
  std::string& text = files.at(file);
  text.replace(text.find(from), from.size(), to);
}

// The digests, and the number of files, as the author of these files would have written them.
inline void Seal(RecordingFiles& files) {
  files.erase(std::string(kDigestsFile));
  std::string& manifest = files.at(std::string(kManifestFile));
  const std::size_t begin = manifest.find("\"files\": ");
  const std::size_t end = manifest.find(',', begin);
  if (begin != std::string::npos && end != std::string::npos) {
    manifest.replace(begin, end - begin, "\"files\": " + std::to_string(files.size()));
  }
  std::string digests;
  for (const auto& [path, text] : files) digests += *Sha256(text) + "  " + path + "\n";
  files[std::string(kDigestsFile)] = digests;
}

}  // namespace rdmaready
