// IP addresses and IP networks, for `trusted-proxies`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace laurel::server {

// An IPv4 or IPv6 address. An IPv4 address mapped into IPv6 (::ffff:10.0.0.1) equals the plain one,
// because a peer may appear in either form.
class IpAddress {
 public:
  // None if `text` is not an address. Names, ports, brackets and zones are not accepted.
  static std::optional<IpAddress> Parse(std::string_view text);

  [[nodiscard]] bool is_v4() const { return is_v4_; }
  // The bytes of the address, most significant first: 4 or 16 of them, then zeros.
  [[nodiscard]] const std::array<std::uint8_t, 16>& bytes() const { return bytes_; }
  [[nodiscard]] std::string ToString() const;

  bool operator==(const IpAddress&) const = default;

 private:
  std::array<std::uint8_t, 16> bytes_{};
  bool is_v4_ = false;
};

// One address, or all addresses with a common prefix, such as 10.0.0.0/8.
class AddressRange {
 public:
  // None unless `text` is an address, or an address, '/' and a number of bits. The bits after the
  // prefix must be 0: 10.0.0.1/8 is more likely a mistake than a network of 16 million trusted
  // addresses.
  static std::optional<AddressRange> Parse(std::string_view text);

  // A range of IPv6 addresses contains no IPv4 address, not even ::/0.
  [[nodiscard]] bool Contains(const IpAddress& address) const;
  // In the form that Parse accepts, without "/bits" if the range is one address.
  [[nodiscard]] std::string ToString() const;

  bool operator==(const AddressRange&) const = default;

 private:
  IpAddress first_;
  int prefix_bits_ = 0;
};

}  // namespace laurel::server
