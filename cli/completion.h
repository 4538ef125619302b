// SPDX-License-Identifier: Apache-2.0
// Completion: what may stand at the end of a command line that is being typed, for the shells' own completion
// (packaging/config/completion.*). It reads files of this user at most, asks no host and no hub, and fails
// never.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11 is called so
class App;
}

namespace rdmaready {

// `rdmaready __complete WORD...` prints CompletionText; the last word is the one that is being typed.
inline constexpr std::string_view kCompletionWord = "__complete";

struct Completions {
  struct Candidate {
    std::string word{};
    std::string meaning{};  // in one line; may be empty
  };
  std::vector<Candidate> words{};  // each begins with what is typed
  bool files = false;              // names of files are meant as well
};

// `words`: behind the name of the program, the last one as far as it is typed.
Completions Complete(const CLI::App& root, const std::vector<std::string>& words);

// "WORD<tab>MEANING" in a line each; a last line ":files" where names of files are meant as well.
std::string CompletionText(const Completions& completions);

}  // namespace rdmaready
