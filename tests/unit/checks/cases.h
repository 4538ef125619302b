// SPDX-License-Identifier: Apache-2.0
// The table of cases: what each check says when all is well, when its thing is wrong, and when it cannot be
// known. A test over the registry holds that no check is without all three.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/report.h"

namespace rdmaready {

struct CheckCase {
  std::string_view id;
  std::string_view name;  // what was done to the good host
  Facts host;             // of a pair: the first one, the other is good
  Outcome expected = Outcome::kUnknown;
  std::string observed{};      // a part of it
  std::string fix{};           // a part of it; empty: not looked at
  Profile profile{};           // the virtual fabric's when it is left out
  std::size_t port = 0;        // which port of the host
  Facts (*other)() = nullptr;  // the second host of a pair; null: the good one
};

std::vector<CheckCase> AllCheckCases();

// Parts of it, each in a file.
void AddEquipmentCases(std::vector<CheckCase>& cases);
void AddBusCases(std::vector<CheckCase>& cases);
void AddNetCases(std::vector<CheckCase>& cases);
void AddPathCases(std::vector<CheckCase>& cases);
void AddFirewallCases(std::vector<CheckCase>& cases);
void AddSecurityCases(std::vector<CheckCase>& cases);
void AddLinkCases(std::vector<CheckCase>& cases);
void AddInfinibandCases(std::vector<CheckCase>& cases);
void AddPfcCases(std::vector<CheckCase>& cases);
void AddNicCases(std::vector<CheckCase>& cases);
void AddMarkCases(std::vector<CheckCase>& cases);
void AddDcbCases(std::vector<CheckCase>& cases);
void AddChainCases(std::vector<CheckCase>& cases);
void AddEtsCases(std::vector<CheckCase>& cases);
void AddAppCases(std::vector<CheckCase>& cases);
void AddSmbCases(std::vector<CheckCase>& cases);
void AddStorageCases(std::vector<CheckCase>& cases);
void AddAgreementCases(std::vector<CheckCase>& cases);
void AddPeerCases(std::vector<CheckCase>& cases);
void AddWindowCases(std::vector<CheckCase>& cases);
void AddDriftCases(std::vector<CheckCase>& cases);

}  // namespace rdmaready
