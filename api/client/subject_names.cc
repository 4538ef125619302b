// SPDX-License-Identifier: Apache-2.0
#include "api/client/subject_names.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "api/base/handle.h"

namespace rdmaready {
namespace {

using Kind = SubjectName::Kind;

void FreeSubjectNames(GENERAL_NAMES* names) { ::GENERAL_NAMES_free(names); }

std::optional<SubjectName> NameOf(const GENERAL_NAME& name) {
  if (name.type != GEN_DNS && name.type != GEN_URI) return std::nullopt;
  const ASN1_IA5STRING* value = name.type == GEN_DNS ? name.d.dNSName : name.d.uniformResourceIdentifier;
  const int size = ::ASN1_STRING_length(value);
  if (size <= 0 || static_cast<std::size_t>(size) > kMaxNameBytes) return std::nullopt;
  const std::string_view text(reinterpret_cast<const char*>(::ASN1_STRING_get0_data(value)),
                              static_cast<std::size_t>(size));
  if (!IsPrintableName(text)) return std::nullopt;
  if (name.type == GEN_DNS) return SubjectName{Kind::kDns, InSmallLetters(text)};
  return SubjectName{Kind::kUri, std::string(text)};
}

}  // namespace

std::string_view NamePrefix(Kind kind) { return kind == Kind::kDns ? "DNS:" : "URI:"; }

bool IsPrintableName(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

std::string InSmallLetters(std::string_view text) {
  std::string small(text);
  for (char& c : small) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return small;
}

std::string NameText(const SubjectName& name) { return std::string(NamePrefix(name.kind)) + name.text; }

std::vector<SubjectName> SubjectNames(const ::X509& certificate) {
  const Handle<GENERAL_NAMES, FreeSubjectNames> names(
      static_cast<GENERAL_NAMES*>(::X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
  std::vector<SubjectName> found;
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()) && found.size() < kMaxNames; ++i) {
    if (std::optional<SubjectName> name = NameOf(*sk_GENERAL_NAME_value(names.get(), i)))
      found.push_back(*std::move(name));
  }
  return found;
}

std::vector<SubjectName> SubjectNames(std::string_view pem) {
  const Handle<::BIO, ::BIO_free> bio(::BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (!bio) return {};
  const Handle<::X509, ::X509_free> certificate(::PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  ::ERR_clear_error();
  return certificate ? SubjectNames(*certificate) : std::vector<SubjectName>();
}

}  // namespace rdmaready
