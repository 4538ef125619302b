// SPDX-License-Identifier: Apache-2.0
#include "api/pki/sign.h"

#include <openssl/bn.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready::pki {
namespace {

using Made = Handle<::X509, ::X509_free>;
using List = Handle<::X509_CRL, ::X509_CRL_free>;
using Entry = Handle<::X509_REVOKED, ::X509_REVOKED_free>;
using Time = Handle<::ASN1_TIME, ::ASN1_TIME_free>;
using Integer = Handle<::ASN1_INTEGER, ::ASN1_INTEGER_free>;
using BigNumber = Handle<::BIGNUM, ::BN_free>;
using Extension = Handle<::X509_EXTENSION, ::X509_EXTENSION_free>;
using Name = Handle<::GENERAL_NAME, ::GENERAL_NAME_free>;

constexpr std::int64_t kDayS = 86'400;
constexpr std::size_t kSerialDigits = 32;

void FreeAltNames(GENERAL_NAMES* names) { ::GENERAL_NAMES_free(names); }
using AltNames = Handle<GENERAL_NAMES, FreeAltNames>;

Integer SerialNumber(const std::string& serial) {
  ::BIGNUM* number = nullptr;
  const bool read = ::BN_hex2bn(&number, serial.c_str()) == static_cast<int>(serial.size());
  const BigNumber owned(number);
  return Integer(read ? ::BN_to_ASN1_INTEGER(number, nullptr) : nullptr);
}

bool SetSerial(::X509& certificate, const std::string& serial) {
  const Integer number = SerialNumber(serial);
  return number && ::X509_set_serialNumber(&certificate, number.get()) == 1;
}

bool SetTimes(::X509& certificate, std::int64_t from, std::int64_t until) {
  return ::ASN1_TIME_set(::X509_getm_notBefore(&certificate), static_cast<std::time_t>(from)) != nullptr &&
         ::ASN1_TIME_set(::X509_getm_notAfter(&certificate), static_cast<std::time_t>(until)) != nullptr;
}

bool SetCommonName(::X509_NAME* name, const std::string& text) {
  return ::X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_UTF8,
                                      reinterpret_cast<const unsigned char*>(text.data()),
                                      static_cast<int>(text.size()), -1, 0) == 1;
}

// `value` is a literal: OpenSSL's little language for extensions is no place for a name that somebody chose.
bool AddExtension(::X509& certificate, ::X509& issuer, int kind, const char* value) {
  ::X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  ::X509V3_set_ctx(&context, &issuer, &certificate, nullptr, nullptr, 0);
  const Extension extension(::X509V3_EXT_conf_nid(nullptr, &context, kind, value));
  return extension && ::X509_add_ext(&certificate, extension.get(), -1) == 1;
}

bool AddText(GENERAL_NAMES& names, int type, const std::string& text) {
  Name name(::GENERAL_NAME_new());
  Handle<::ASN1_IA5STRING, ::ASN1_IA5STRING_free> value(::ASN1_IA5STRING_new());
  if (!name || !value || ::ASN1_STRING_set(value.get(), text.data(), static_cast<int>(text.size())) != 1)
    return false;
  ::GENERAL_NAME_set0_value(name.get(), type, value.release());
  return sk_GENERAL_NAME_push(&names, name.get()) != 0 && name.release() != nullptr;  // the list has it now
}

bool AddAddress(GENERAL_NAMES& names, const std::string& text) {
  Name name(::GENERAL_NAME_new());
  Handle<::ASN1_OCTET_STRING, ::ASN1_OCTET_STRING_free> value(::a2i_IPADDRESS(text.c_str()));
  if (!name || !value) return false;
  ::GENERAL_NAME_set0_value(name.get(), GEN_IPADD, value.release());
  return sk_GENERAL_NAME_push(&names, name.get()) != 0 && name.release() != nullptr;  // the list has it now
}

bool AddAltNames(::X509& certificate, const Contents& contents) {
  const AltNames names(sk_GENERAL_NAME_new_null());
  if (!names || !AddText(*names, GEN_URI, IdentityUri(contents.kind, contents.identity))) return false;
  for (const std::string& dns : contents.dns) {
    if (!AddText(*names, GEN_DNS, dns)) return false;
  }
  for (const std::string& address : contents.addresses) {
    if (!AddAddress(*names, address)) return false;
  }
  return ::X509_add1_ext_i2d(&certificate, NID_subject_alt_name, names.get(), 0, X509V3_ADD_DEFAULT) == 1;
}

absl::StatusOr<std::string> PemOfCertificate(const ::X509& certificate) {
  const Bio bio = WritingBio();
  if (!bio || ::PEM_write_bio_X509(bio.get(), &certificate) != 1) return CryptoFailure("write a certificate");
  return WrittenTo(*bio);
}

bool AddRevoked(::X509_CRL& list, const Revoked& revoked) {
  Entry entry(::X509_REVOKED_new());
  const Integer serial = SerialNumber(revoked.serial);
  const Time at(::ASN1_TIME_set(nullptr, static_cast<std::time_t>(revoked.at_unix_s)));
  if (!entry || !serial || !at || ::X509_REVOKED_set_serialNumber(entry.get(), serial.get()) != 1 ||
      ::X509_REVOKED_set_revocationDate(entry.get(), at.get()) != 1 ||
      ::X509_CRL_add0_revoked(&list, entry.get()) != 1) {
    return false;
  }
  return entry.release() != nullptr;  // the list has it now
}

// Which of two lists is the newer one.
bool AddListNumber(::X509_CRL& list, std::int64_t number) {
  const Integer value(::ASN1_INTEGER_new());
  return value && ::ASN1_INTEGER_set_int64(value.get(), number) == 1 &&
         ::X509_CRL_add1_ext_i2d(&list, NID_crl_number, value.get(), 0, X509V3_ADD_DEFAULT) == 1;
}

bool AddListIssuer(::X509_CRL& list, ::X509& root) {
  ::X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  ::X509V3_set_ctx(&context, &root, nullptr, nullptr, &list, 0);
  const Extension extension(
      ::X509V3_EXT_conf_nid(nullptr, &context, NID_authority_key_identifier, "keyid:always"));
  return extension && ::X509_CRL_add_ext(&list, extension.get(), -1) == 1;
}

}  // namespace

absl::StatusOr<std::string> NewSerial() {
  const CleanErrors clean;
  std::array<std::uint8_t, 16> bits{};
  if (::RAND_bytes(bits.data(), static_cast<int>(bits.size())) != 1)
    return CryptoFailure("make a serial number");
  if (std::ranges::all_of(bits, [](std::uint8_t bit) { return bit == 0; })) bits.back() = 1;
  return Hex(bits);
}

std::string SerialOf(const ::X509& certificate) {
  const CleanErrors clean;
  const BigNumber number(::ASN1_INTEGER_to_BN(::X509_get0_serialNumber(&certificate), nullptr));
  if (!number) return {};
  std::vector<std::uint8_t> octets(static_cast<std::size_t>(BN_num_bytes(number.get())));
  ::BN_bn2bin(number.get(), octets.data());
  const std::string digits = Hex(octets);
  return std::string(kSerialDigits - std::min(kSerialDigits, digits.size()), '0') + digits;
}

std::string SerialOfText(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c == ':') continue;
    const char small = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    if (!((small >= '0' && small <= '9') || (small >= 'a' && small <= 'f'))) return {};
    digits.push_back(small);
  }
  return digits.size() == kSerialDigits ? digits : std::string();
}

std::int64_t NotAfterUnixS(const ::X509& certificate) {
  std::tm date{};
  if (::ASN1_TIME_to_tm(::X509_get0_notAfter(&certificate), &date) != 1) return 0;
  return static_cast<std::int64_t>(::timegm(&date));
}

absl::StatusOr<std::string> SignRoot(::EVP_PKEY& key, const std::string& common_name, const std::string& serial,
                                     std::int64_t now_unix_s) {
  const CleanErrors clean;
  const Made root(::X509_new());
  const bool made = root && ::X509_set_version(root.get(), X509_VERSION_3) == 1 && SetSerial(*root, serial) &&
                    SetTimes(*root, now_unix_s - kBackdatedS, now_unix_s + kRootDays * kDayS) &&
                    SetCommonName(::X509_get_subject_name(root.get()), common_name) &&
                    ::X509_set_issuer_name(root.get(), ::X509_get_subject_name(root.get())) == 1 &&
                    ::X509_set_pubkey(root.get(), &key) == 1 &&
                    AddExtension(*root, *root, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                    AddExtension(*root, *root, NID_key_usage, "critical,keyCertSign,cRLSign") &&
                    AddExtension(*root, *root, NID_subject_key_identifier, "hash") &&
                    ::X509_sign(root.get(), &key, SigningDigest(key)) > 0;
  if (!made) return CryptoFailure("make a CA's certificate");
  return PemOfCertificate(*root);
}

absl::StatusOr<std::string> SignCertificate(const Contents& contents, ::EVP_PKEY& public_key, ::X509& root,
                                            ::EVP_PKEY& root_key) {
  const CleanErrors clean;
  const char* const usage = contents.kind == Kind::kOperator ? "clientAuth" : "clientAuth,serverAuth";
  const Made made(::X509_new());
  const bool done =
      made && ::X509_set_version(made.get(), X509_VERSION_3) == 1 && SetSerial(*made, contents.serial) &&
      SetTimes(*made, contents.not_before_unix_s, contents.not_after_unix_s) &&
      SetCommonName(::X509_get_subject_name(made.get()), contents.common_name) &&
      ::X509_set_issuer_name(made.get(), ::X509_get_subject_name(&root)) == 1 &&
      ::X509_set_pubkey(made.get(), &public_key) == 1 &&
      AddExtension(*made, root, NID_basic_constraints, "critical,CA:FALSE") &&
      AddExtension(*made, root, NID_key_usage, "critical,digitalSignature") &&
      AddExtension(*made, root, NID_ext_key_usage, usage) &&
      AddExtension(*made, root, NID_subject_key_identifier, "hash") &&
      AddExtension(*made, root, NID_authority_key_identifier, "keyid:always") && AddAltNames(*made, contents) &&
      ::X509_sign(made.get(), &root_key, SigningDigest(root_key)) > 0;
  if (!done) return CryptoFailure("make a certificate");
  return PemOfCertificate(*made);
}

absl::StatusOr<std::string> SignRevocationList(const std::vector<Revoked>& revoked, ::X509& root,
                                               ::EVP_PKEY& root_key, std::int64_t now_unix_s,
                                               std::int64_t number) {
  const CleanErrors clean;
  const List list(::X509_CRL_new());
  const Time now(::ASN1_TIME_set(nullptr, static_cast<std::time_t>(now_unix_s - kBackdatedS)));
  const Time next(::ASN1_TIME_set(nullptr, static_cast<std::time_t>(now_unix_s + kRevocationListDays * kDayS)));
  bool made = list && now && next && ::X509_CRL_set_version(list.get(), X509_CRL_VERSION_2) == 1 &&
              ::X509_CRL_set_issuer_name(list.get(), ::X509_get_subject_name(&root)) == 1 &&
              ::X509_CRL_set1_lastUpdate(list.get(), now.get()) == 1 &&
              ::X509_CRL_set1_nextUpdate(list.get(), next.get()) == 1;
  for (const Revoked& one : revoked) made = made && AddRevoked(*list, one);
  made = made && AddListNumber(*list, number == 0 ? now_unix_s : number) && AddListIssuer(*list, root) &&
         ::X509_CRL_sort(list.get()) == 1 &&
         ::X509_CRL_sign(list.get(), &root_key, SigningDigest(root_key)) > 0;
  const Bio bio = WritingBio();
  if (!made || !bio || ::PEM_write_bio_X509_CRL(bio.get(), list.get()) != 1)
    return CryptoFailure("make a revocation list");
  return WrittenTo(*bio);
}

}  // namespace rdmaready::pki
