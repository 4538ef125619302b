// SPDX-License-Identifier: Apache-2.0
// The reader's verbs for files of root's below /etc and /var: lines of them that hold known words, and names.
#pragma once

#include <vector>

#include "agent/helper/reader/questions.h"

namespace rdmaready::helper {

std::vector<ReaderQuestion> SettingsQuestions();

}  // namespace rdmaready::helper
