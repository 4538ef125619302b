// SPDX-License-Identifier: Apache-2.0
// A YAML file that is one message, and nothing else: the settings of a daemon.
#pragma once

#include <google/protobuf/message.h>

#include <string>

#include "absl/status/statusor.h"
#include "api/profile/yaml_message.h"

namespace rdmaready {

// Fills `message`, which is empty before, and returns where each key stands. kInvalidArgument:
// "hub.yaml:3: unknown key ...". Blocks on file access.
absl::StatusOr<FieldPlaces> ReadYamlFile(const std::string& path, google::protobuf::Message& message);

}  // namespace rdmaready
