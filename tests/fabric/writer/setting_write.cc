// SPDX-License-Identifier: Apache-2.0
// rdmaready-setting-write KIND WHERE NAME FROM TO: one write of the real HostWriter, in a guest of the fabric
// (suite/write_test.py). WHERE or NAME that the kind has not is "-". Prints "ok", or what the writer says; then
// how many requests were announced before they were sent.
#include <iostream>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "agent/apply/real/real_writer.h"
#include "api/base/status.h"

namespace {

using namespace rdmaready;

std::string OrNothing(const std::string& word) { return word == "-" ? std::string() : word; }

int Run(const std::vector<std::string>& words) {
  const SettingObject object{SettingKindNamed(words[0]), OrNothing(words[1]), OrNothing(words[2])};
  std::set<std::uint32_t> sequences;
  bool known = true;
  const absl::Status written =
      MakeHostWriter()->Write(object, words[3], words[4], [&](const OwnWrite& write) -> absl::Status {
        known = known && write.port_id != 0 && write.sequence != 0 && sequences.insert(write.sequence).second;
        return absl::OkStatus();
      });
  std::cout << (written.ok() ? "ok" : Message(written)) << "\n"
            << (known ? "requests " : "a request without a number of its own, of ") << sequences.size() << "\n";
  return written.ok() ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.size() == 5) return Run(words);
  std::cerr << "usage: rdmaready-setting-write KIND WHERE NAME FROM TO\n";
  return 2;
}
