// SPDX-License-Identifier: Apache-2.0
// What a hub answered to a request for a certificate, judged before it is used. Pure.
#pragma once

#include <openssl/evp.h>

#include <string>

#include "absl/status/statusor.h"
#include "agent/enrol/identity_files.h"
#include "rdmaready/v1/enrolment.pb.h"

namespace rdmaready::enrol {

// The certificate is for `key`, is the host's that the answer names (`host_id` not empty: that one), valid,
// signed by one of the roots of the answer, and not on its lists, which those roots signed. kInvalidArgument in
// words.
absl::StatusOr<Generation> JudgeGranted(const v1::HostCertificate& answer, const ::EVP_PKEY& key,
                                        const std::string& host_id);

}  // namespace rdmaready::enrol
