// SPDX-License-Identifier: Apache-2.0
// Recordings in the file system: DIR/HOST/..., one folder for each host. What is read there was written by
// anybody: symbolic links and special files are refused, nothing outside of the folder is touched, and nothing
// is read that the digests do not name.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "collectors/recording/format.h"

namespace rdmaready {

// Saves recordings below one folder. Errors, in one line that names the place: kAlreadyExists (that name is
// taken), kFailedPrecondition (nothing can be written there), kInternal (the disk is full, or fails).
// Threads: all methods may be called from any thread.
class RecordingSaver {
 public:
  explicit RecordingSaver(std::string directory) : directory_(std::move(directory)) {}
  RecordingSaver(const RecordingSaver&) = delete;
  RecordingSaver& operator=(const RecordingSaver&) = delete;
  ~RecordingSaver() { Abandon(); }

  // Makes the folder where it is missing, but not its parents, so that a caller that cannot save learns it
  // before a host is asked.
  absl::Status Prepare();
  // OK when `host` can be saved: nothing has its folder's name.
  absl::Status CheckFree(const std::string& host) const;

  // Writes all files into a hidden folder beside the place, then gives it its name: there is never half a
  // recording of that name. Returns DIRECTORY/NAME.
  absl::StatusOr<std::string> Save(const RecordingFiles& files, const std::string& host);

  // Removes what an unfinished Save has written; it ends with an error.
  void Abandon();

 private:
  std::string PathFor(const std::string& host) const;
  absl::Status Begin(const std::string& place);
  absl::Status Write(const std::string& path, const std::string& text);
  absl::Status Commit(const std::string& place);

  const std::string directory_;
  std::mutex saving_;  // one Save at a time
  std::mutex mutex_;   // guards what follows; held for one step at a time
  std::string unfinished_{};
};

// What of several recordings may be read at once; what is beyond it is an error of its own folder.
inline constexpr std::size_t kMaxLoadedBytes = std::size_t{1} << 30;

struct SavedRecording {
  std::string folder{};
  // kInvalidArgument, in one line that names the file: no recording, damaged, foreign, or of a newer format.
  absl::StatusOr<Recording> recording{};
};

// The recording in `directory`, or all in the folders right below it, by name. Hidden names, and plain files
// beside the folders, are passed over; a folder that is no recording is an error of its own. kInvalidArgument,
// as above, when not one recording could be read. `budget_bytes` is for tests.
absl::StatusOr<std::vector<SavedRecording>> LoadRecordings(const std::string& directory,
                                                           std::size_t budget_bytes = kMaxLoadedBytes);

}  // namespace rdmaready
