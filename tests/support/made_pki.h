// SPDX-License-Identifier: Apache-2.0
// A CA and what it signs, made in memory and written to files of a directory of the test's own.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "api/base/handle.h"
#include "api/client/tls.h"

namespace rdmaready {

class MadePki {
 public:
  using Key = Handle<::EVP_PKEY, ::EVP_PKEY_free>;
  using Made = Handle<::X509, ::X509_free>;

  struct Wish {
    std::string names{};  // "DNS:a.example,URI:spiffe://example/x"; empty: none
    std::string usage{};  // "serverAuth"; empty: any
    long from_s = -60;    // from now
    long until_s = 3600;
    std::string key_type = "EC";  // or "RSA", "ED25519"
  };

  explicit MadePki(const std::string& name)
      : name_(name),
        directory_(std::filesystem::temp_directory_path() /
                   ("rdmaready pki " + std::to_string(::getpid()) + " " + name)) {
    std::filesystem::create_directories(directory_);
    key_ = Fresh("EC");
    ca_ = Sign("CA " + name, *key_, {}, nullptr);
    Write("ca.pem", Pem(*ca_));
  }
  ~MadePki() { std::filesystem::remove_all(directory_); }
  MadePki(const MadePki&) = delete;
  MadePki& operator=(const MadePki&) = delete;

  // The files of one who has a certificate of this CA, and trusts it.
  TlsFiles Identity(const std::string& common_name, const Wish& wish) {
    const Key key = Fresh(wish.key_type);
    const Made made = Sign(common_name, *key, wish, ca_.get());
    Write(common_name + ".pem", Pem(*made));
    Write(common_name + ".key", Pem(*key));
    return {Path(common_name + ".pem"), Path(common_name + ".key"), Path("ca.pem")};
  }

  std::string Path(const std::string& file) const { return directory_ / file; }
  void Write(const std::string& file, const std::string& text) const { std::ofstream(Path(file)) << text; }

 private:
  static Key Fresh(const std::string& type) {
    if (type == "RSA") return Key(EVP_RSA_gen(2048));
    if (type == "ED25519") return Key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
    return Key(EVP_EC_gen("P-256"));
  }

  static void Add(::X509& to, ::X509* issuer, int kind, const std::string& value) {
    ::X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    ::X509V3_set_ctx(&context, issuer, &to, nullptr, nullptr, 0);
    const Handle<::X509_EXTENSION, ::X509_EXTENSION_free> extension(
        ::X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
    if (extension) ::X509_add_ext(&to, extension.get(), -1);
  }

  // By itself where there is no issuer.
  Made Sign(const std::string& common_name, ::EVP_PKEY& key, const Wish& wish, ::X509* issuer) {
    Made made(::X509_new());
    ::X509_set_version(made.get(), 2);
    ::ASN1_INTEGER_set(::X509_get_serialNumber(made.get()), ++serial_);
    ::X509_gmtime_adj(::X509_getm_notBefore(made.get()), wish.from_s);
    ::X509_gmtime_adj(::X509_getm_notAfter(made.get()), wish.until_s);
    ::X509_set_pubkey(made.get(), &key);
    ::X509_NAME* subject = ::X509_get_subject_name(made.get());
    ::X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                                 reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1, 0);
    ::X509_set_issuer_name(made.get(), issuer == nullptr ? subject : ::X509_get_subject_name(issuer));
    if (issuer == nullptr) Add(*made, made.get(), NID_basic_constraints, "critical,CA:TRUE");
    if (!wish.names.empty()) Add(*made, issuer, NID_subject_alt_name, wish.names);
    if (!wish.usage.empty()) Add(*made, issuer, NID_ext_key_usage, wish.usage);
    ::X509_sign(made.get(), key_.get(), ::EVP_sha256());
    return made;
  }

  using Bio = Handle<::BIO, ::BIO_free>;
  static std::string Text(::BIO* bio) {
    char* text = nullptr;
    const long size = BIO_get_mem_data(bio, &text);
    return {text, static_cast<std::size_t>(size)};
  }
  static std::string Pem(::X509& certificate) {
    const Bio bio(::BIO_new(::BIO_s_mem()));
    ::PEM_write_bio_X509(bio.get(), &certificate);
    return Text(bio.get());
  }
  static std::string Pem(::EVP_PKEY& key) {
    const Bio bio(::BIO_new(::BIO_s_mem()));
    ::PEM_write_bio_PrivateKey(bio.get(), &key, nullptr, nullptr, 0, nullptr, nullptr);
    return Text(bio.get());
  }

  std::string name_;
  std::filesystem::path directory_;
  long serial_ = 0;
  Key key_{};
  Made ca_{};
};

}  // namespace rdmaready
