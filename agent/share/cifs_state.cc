// SPDX-License-Identifier: Apache-2.0
#include "agent/share/cifs_state.h"

#include "api/base/number.h"

namespace rdmaready {
namespace {

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The word behind `label`; empty when the label is not there.
std::string_view After(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == line.npos) return {};
  const std::string_view rest = Trimmed(line.substr(at + label.size()));
  return rest.substr(0, rest.find_first_of(" \t,"));
}

std::optional<std::uint64_t> NumberAfter(std::string_view line, std::string_view label, int base) {
  std::string_view word = After(line, label);
  if (word.starts_with("0x")) {
    word.remove_prefix(2);
    base = 16;
  }
  return TakeNumber<std::uint64_t>(word, base);
}

bool HasWord(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
    const bool begins = at == 0 || line[at - 1] == ' ' || line[at - 1] == ',' || line[at - 1] == '\t';
    const std::size_t end = at + word.size();
    if (begins && (end == line.size() || line[end] == ' ' || line[end] == ',')) return true;
  }
  return false;
}

// "1) ConnectionId: 0x1 Hostname: 10.0.0.2": of a server; the channels of a session look the same, but name
// none.
bool BeginsConnection(std::string_view line) {
  return line.find("ConnectionId:") != line.npos && line.find("Hostname:") != line.npos;
}

class Reader {
 public:
  void Take(std::string_view line) {
    if (line.starts_with("Features:")) {
      state_.smb_direct = HasWord(line.substr(9), "SMB_DIRECT");
    } else if (BeginsConnection(line)) {
      state_.connections.push_back({.id = NumberAfter(line, "ConnectionId:", 16).value_or(0),
                                    .server = std::string(After(line, "Hostname:"))});
      listing_ = false;
    } else if (!state_.connections.empty()) {
      TakeOf(state_.connections.back(), line);
    }
  }

  CifsState Done() { return std::move(state_); }

 private:
  void TakeOf(CifsConnection& connection, std::string_view line) {
    if (line.find("Server interfaces:") != line.npos) {
      listing_ = true;
    } else if (listing_) {
      TakeOfInterfaces(connection, line);
    } else if (line.starts_with("SMBDirect (") || line.starts_with("SMBDirect protocol") || line == "RDMA") {
      connection.rdma = true;
    } else if (line.starts_with("Security type:") || line.find("Dialect 0x") != line.npos) {
      connection.is_signed = connection.is_signed || HasWord(line, "signed");
      connection.encrypted = connection.encrypted || HasWord(line, "encrypted");
    }
    if (const auto bytes = NumberAfter(line, "max_readwrite_size:", 16))
      connection.max_read_write_bytes = bytes;
    if (const auto bytes = NumberAfter(line, "rdma_readwrite_threshold:", 16)) {
      connection.rdma_threshold_bytes = bytes;
    }
  }

  void TakeOfInterfaces(CifsConnection& connection, std::string_view line) {
    if (const std::string_view speed = After(line, "Speed:"); !speed.empty()) {
      connection.interfaces.push_back({.speed = std::string(speed)});
      return;
    }
    if (connection.interfaces.empty()) return;
    CifsInterface& last = connection.interfaces.back();
    if (line.starts_with("Capabilities:")) {
      last.rdma = HasWord(line, "rdma");
      last.rss = HasWord(line, "rss");
    } else if (line.starts_with("IPv4:") || line.starts_with("IPv6:")) {
      last.address = std::string(After(line, ":"));
    } else if (line.find("[CONNECTED]") != line.npos) {
      last.connected = true;
    } else if (line.starts_with("MIDs:")) {
      listing_ = false;
    }
  }

  CifsState state_{};
  bool listing_ = false;  // within the list of interfaces
};

}  // namespace

CifsState ParseCifsState(std::string_view debug_data) {
  Reader reader;
  while (!debug_data.empty()) {
    const std::size_t end = debug_data.find('\n');
    reader.Take(Trimmed(debug_data.substr(0, end)));
    debug_data.remove_prefix(end == debug_data.npos ? debug_data.size() : end + 1);
  }
  return reader.Done();
}

}  // namespace rdmaready
