// SPDX-License-Identifier: Apache-2.0
// What is fuzzed: the text of a role map of an agent and of a hub, a certificate's octets, and names before a
// map.
#include "tests/fuzz/target.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agent/access/role_map.h"
#include "api/base/handle.h"
#include "hub/access/fleet_roles.h"
#include "tests/support/made_certificate.h"

namespace rdmaready {
namespace {

using access::Role;
using access::RoleMap;

void Demand(bool holds) {
  if (!holds) std::abort();
}

constexpr char kMap[] = R"(observe: ["URI:spiffe://example.org/monitoring/*", "DNS:*.example.org"]
test: "DNS:admin[1-4].example.org"
prove: ["URI:spiffe://example.org/storage/?*"]
agent: ["DNS:*.storage.example.org"]
)";

constexpr char kHubMap[] = R"(roles:
  - who: ["DNS:a.example.org", "URI:rdmaready:operator/*"]
    may: admit
  - who: ["DNS:*"]
    groups: [storage, "gpu-*"]
)";

void DemandNames(const std::vector<SubjectName>& names) {
  Demand(names.size() <= kMaxNames);
  for (const SubjectName& name : names) {
    Demand(!name.text.empty() && name.text.size() <= kMaxNameBytes);
    Demand(std::ranges::all_of(name.text, [](char c) { return c > ' ' && c <= '~'; }));
  }
}

// A map, or the file, line and words of what is wrong.
void Map(std::string_view text) {
  const absl::StatusOr<RoleMap> map = access::ParseRoleMap(text, "r.yaml");
  if (!map.ok()) return Demand(map.status().message().substr(0, 7) == "r.yaml:");
  Demand(map->rows().size() <= access::kMaxPatterns);
  for (const RoleMap::Row& row : map->rows()) {
    Demand(row.role != Role::kNone && !row.who.pattern.empty() && row.who.pattern.size() <= kMaxPatternBytes);
  }
  Demand(map->RolesOf({}).empty());
}

// As TLS brings it: DER behind a signature that nobody has verified yet.
void Der(std::string_view octets) {
  const auto* at = reinterpret_cast<const unsigned char*>(octets.data());
  const Handle<::X509, ::X509_free> certificate(::d2i_X509(nullptr, &at, static_cast<long>(octets.size())));
  ::ERR_clear_error();
  if (certificate) DemandNames(SubjectNames(*certificate));
}

void Pem(std::string_view text) { DemandNames(SubjectNames(text)); }

// What is in the map by no pattern has no role.
void Names(std::string_view text) {
  static const RoleMap map = *access::ParseRoleMap(kMap, "r.yaml");
  const bool uri = text.starts_with('u');
  const SubjectName name{uri ? SubjectName::Kind::kUri : SubjectName::Kind::kDns,
                         std::string(text.substr(text.empty() ? 0 : 1))};
  const access::RoleSet roles = map.RolesOf(std::span(&name, 1));
  Demand(!roles.Has(Role::kApply));
  if (uri) {
    Demand(!roles.Has(Role::kAgent) && roles.Has(Role::kTest) == roles.Has(Role::kProve));
    Demand(roles.empty() || name.text.starts_with("spiffe://example.org/"));
  } else {
    Demand(!roles.Has(Role::kProve));
    Demand(roles.empty() || name.text.ends_with(".example.org"));
  }
}

// Who has no name may do nothing, and who may do more may do less.
void HubMap(std::string_view text) {
  const auto roles = hub::FleetRoles::Parse(text, "r.yaml");
  if (!roles.ok()) return Demand(roles.status().message().substr(0, 7) == "r.yaml:");
  Demand(!(*roles)->GroupsOf({}, hub::FleetAsk::kObserve));
  const SubjectName name{SubjectName::Kind::kDns, "a.example.org"};
  if ((*roles)->GroupsOf(std::span(&name, 1), hub::FleetAsk::kAdmit))
    Demand((*roles)->GroupsOf(std::span(&name, 1), hub::FleetAsk::kObserve).has_value());
}

constexpr void (*kDecoders[])(std::string_view) = {Map, Der, Pem, Names, HubMap};

std::vector<std::uint8_t> Seed(std::uint8_t decoder, std::string_view text) {
  std::vector<std::uint8_t> seed{decoder};
  seed.insert(seed.end(), text.begin(), text.end());
  return seed;
}

std::string DerOf(const std::string& pem) {
  const Handle<::BIO, ::BIO_free> bio(::BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const Handle<::X509, ::X509_free> certificate(::PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  unsigned char* octets = nullptr;
  const int size = ::i2d_X509(certificate.get(), &octets);
  const std::string der(reinterpret_cast<const char*>(octets), static_cast<std::size_t>(size));
  ::OPENSSL_free(octets);
  return der;
}

}  // namespace

std::vector<std::vector<std::uint8_t>> FuzzSeeds() {
  std::vector<std::vector<std::uint8_t>> seeds = {Seed(0, kMap),
                                                  Seed(0, "prove:\nagent: ['DNS:a']\n"),
                                                  Seed(3, "uspiffe://example.org/storage/anna"),
                                                  Seed(3, "dadmin3.example.org"),
                                                  Seed(4, kHubMap),
                                                  Seed(3, "dn1.storage.example.org")};
  for (const char* names : {"DNS:a.example.org", "URI:spiffe://example.org/a,DNS:b,IP:10.0.0.1", ""}) {
    const std::string pem = MadeCertificate("x", names);
    seeds.push_back(Seed(1, DerOf(pem)));
    seeds.push_back(Seed(2, pem));
  }
  return seeds;
}

}  // namespace rdmaready

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data + 1), size - 1);
  rdmaready::kDecoders[data[0] % std::size(rdmaready::kDecoders)](rest);
  return 0;
}
