// SPDX-License-Identifier: Apache-2.0
// Abandoned files: what a proof on somebody's share or export leaves there when its process is ended by force.
#pragma once

#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>

namespace rdmaready {

// How the files of one kind of proof are called: ".rdmaready-", so many lower-case hexadecimal digits that
// nobody guesses, and a suffix.
struct ProofFileNames {
  std::size_t digits = 0;
  std::string_view suffix{};

  bool Match(std::string_view name) const;
  // `digits` are as many as above.
  std::string Make(std::string_view digits_of_this) const;
};

// Removes files of that name from the directory that are ten minutes older than `server_now`: no proof lasts
// that long, and a proof writes to its file all the time. Both times are the server's own. Bounded, however
// full the directory is; what cannot be removed stays, and is no failure of anybody.
void RemoveAbandoned(int directory, const ProofFileNames& names, std::time_t server_now);

}  // namespace rdmaready
