// SPDX-License-Identifier: Apache-2.0
// Bundles in the file system.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace rdmaready::bundle {

// The whole of a plain file. kInvalidArgument in one line that names it: it cannot be read, is no plain file,
// or is larger than a bundle may be.
absl::StatusOr<std::string> ReadBundleFile(const std::string& path);

// Writes one file, under a name of its own beside the place until it is whole: there is never half a bundle.
// Errors, in one line that names the place: kAlreadyExists, kFailedPrecondition (nothing can be written there),
// kInternal (the disk is full, or fails). Threads: all methods may be called from any thread.
class BundleFile {
 public:
  // `replace`: also where a file is already.
  BundleFile(std::string path, bool replace) : path_(std::move(path)), replace_(replace) {}
  BundleFile(const BundleFile&) = delete;
  BundleFile& operator=(const BundleFile&) = delete;
  ~BundleFile() { Abandon(); }

  // Makes the unfinished file, so that a caller that cannot write learns it before a host is asked.
  absl::Status Prepare();
  // Mode 0600.
  absl::Status Write(std::string_view bytes);
  // Removes what is unfinished; a Write that goes on ends with an error.
  void Abandon();

 private:
  absl::Status Failed(int error_number) const;
  absl::Status CheckPlace() const;
  absl::Status CommitLocked();
  void AbandonLocked();

  const std::string path_;
  const bool replace_;
  std::mutex mutex_;  // guards what follows
  std::string unfinished_{};
  int fd_ = -1;
};

}  // namespace rdmaready::bundle
