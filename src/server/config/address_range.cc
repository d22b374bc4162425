#include "server/config/address_range.h"

#include <algorithm>

#include <arpa/inet.h>

#include "base/integer.h"

namespace laurel::server {
namespace {

constexpr std::array<std::uint8_t, 12> kMappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

int AddressBits(const IpAddress& address) { return address.is_v4() ? 32 : 128; }

// Returns the bits of byte `index` that belong to a prefix of `prefix_bits` bits.
std::uint8_t Mask(int prefix_bits, std::size_t index) {
  const int bits = std::clamp(prefix_bits - static_cast<int>(8 * index), 0, 8);
  return static_cast<std::uint8_t>(0xff00U >> bits);
}

}  // namespace

std::optional<IpAddress> IpAddress::Parse(std::string_view text) {
  // inet_pton reads up to the first zero byte.
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  const std::string terminated(text);
  IpAddress address;
  if (inet_pton(AF_INET, terminated.c_str(), address.bytes_.data()) == 1) {
    address.is_v4_ = true;
    return address;
  }
  std::array<std::uint8_t, 16> parsed{};
  if (inet_pton(AF_INET6, terminated.c_str(), parsed.data()) != 1) return std::nullopt;
  if (std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), parsed.begin())) {
    std::copy(parsed.begin() + kMappedPrefix.size(), parsed.end(), address.bytes_.begin());
    address.is_v4_ = true;
    return address;
  }
  address.bytes_ = parsed;
  return address;
}

std::string IpAddress::ToString() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(is_v4_ ? AF_INET : AF_INET6, bytes_.data(), text.data(), text.size());
  return text.data();
}

std::optional<AddressRange> AddressRange::Parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::optional<IpAddress> address = IpAddress::Parse(text.substr(0, slash));
  if (!address) return std::nullopt;
  AddressRange range;
  range.first_ = *address;
  range.prefix_bits_ = AddressBits(*address);
  if (slash == std::string_view::npos) return range;
  // The bits of a mapped IPv4 address would count from a different start.
  const bool is_mapped = address->is_v4() && text.substr(0, slash).find(':') != text.npos;
  std::int64_t bits = 0;
  if (is_mapped || !base::ParseInteger(text.substr(slash + 1), &bits) || bits < 0 ||
      bits > range.prefix_bits_) {
    return std::nullopt;
  }
  range.prefix_bits_ = static_cast<int>(bits);
  for (std::size_t i = 0; i < address->bytes().size(); ++i) {
    if ((address->bytes()[i] & ~Mask(range.prefix_bits_, i)) != 0) return std::nullopt;
  }
  return range;
}

bool AddressRange::Contains(const IpAddress& address) const {
  if (address.is_v4() != first_.is_v4()) return false;
  for (std::size_t i = 0; i < address.bytes().size(); ++i) {
    if ((address.bytes()[i] & Mask(prefix_bits_, i)) != first_.bytes()[i]) return false;
  }
  return true;
}

std::string AddressRange::ToString() const {
  if (prefix_bits_ == AddressBits(first_)) return first_.ToString();
  return first_.ToString() + "/" + std::to_string(prefix_bits_);
}

}  // namespace laurel::server
