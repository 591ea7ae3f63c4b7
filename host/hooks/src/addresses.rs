use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// IPv4 networks that are not on the public internet, by the registry of special-purpose addresses (RFC 6890 and what
/// updates it), with multicast and what is reserved.
const NOT_PUBLIC_V4: [Ipv4Net; 16] = [
    v4([0, 0, 0, 0], 8),
    v4([10, 0, 0, 0], 8),
    v4([100, 64, 0, 0], 10),
    v4([127, 0, 0, 0], 8),
    v4([169, 254, 0, 0], 16),
    v4([172, 16, 0, 0], 12),
    v4([192, 0, 0, 0], 24),
    v4([192, 0, 2, 0], 24),
    v4([192, 88, 99, 0], 24),
    v4([192, 168, 0, 0], 16),
    v4([198, 18, 0, 0], 15),
    v4([198, 51, 100, 0], 24),
    v4([203, 0, 113, 0], 24),
    v4([224, 0, 0, 0], 4),
    v4([240, 0, 0, 0], 4),
    // Looks public, but one large cloud serves its machines' metadata there.
    v4([168, 63, 129, 16], 32),
];

/// The part of IPv6 that has been assigned for the public internet.
const GIVEN_OUT_V6: Ipv6Net = v6([0x2000, 0], 3);

/// The parts of it that are not public: protocol assignments (Teredo among them), documentation, 6to4.
const NOT_PUBLIC_V6: [Ipv6Net; 4] = [
    v6([0x2001, 0], 23),
    v6([0x2001, 0xdb8], 32),
    v6([0x2002, 0], 16),
    v6([0x3fff, 0], 20),
];

const fn v4([a, b, c, d]: [u8; 4], bits: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), bits)
}

const fn v6([a, b]: [u16; 2], bits: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, 0, 0, 0, 0, 0, 0), bits)
}

/// Which addresses may be connected to: all that are public, and what the operator has named.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressRules {
    networks: Vec<IpNet>,
    hosts: Vec<String>,
}

impl AddressRules {
    /// Public addresses and these: networks (`10.1.0.0/16`), addresses (`127.0.0.1`), or the names of hosts, which may
    /// then have any address.
    #[must_use]
    pub fn with(named: &[String]) -> Self {
        let mut rules = Self::default();
        for entry in named {
            let network = entry.parse::<IpNet>();
            match network.or_else(|_| entry.parse::<IpAddr>().map(IpNet::from)) {
                Ok(network) => rules.networks.push(network),
                Err(_) => rules.hosts.push(entry.to_ascii_lowercase()),
            }
        }
        rules
    }

    /// Every address: for what the operator names.
    #[must_use]
    pub fn everything() -> Self {
        Self::with(&["0.0.0.0/0", "::/0"].map(str::to_owned))
    }

    /// Whether this address of the host `name` may be connected to.
    #[must_use]
    pub(crate) fn permit(&self, name: &str, address: IpAddr) -> bool {
        // An IPv4-mapped IPv6 address is judged as IPv4.
        let address = address.to_canonical();
        is_public(address)
            || self
                .networks
                .iter()
                .any(|network| network.contains(&address))
            || self
                .hosts
                .iter()
                .any(|host| host.eq_ignore_ascii_case(name))
    }
}

/// Whether an address lies on the public internet. Networks that translate to IPv4 (NAT64) do not count.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !NOT_PUBLIC_V4
            .iter()
            .any(|network| network.contains(&address)),
        IpAddr::V6(address) => {
            GIVEN_OUT_V6.contains(&address)
                && !NOT_PUBLIC_V6
                    .iter()
                    .any(|network| network.contains(&address))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permitted(rules: &AddressRules, address: &str) -> bool {
        rules.permit("host.example", address.parse().expect("an address"))
    }

    #[test]
    fn only_the_public_internet_is_open() {
        let rules = AddressRules::default();
        for public in [
            "8.8.8.8",
            "100.63.255.255",
            "172.32.0.1",
            "2606:4700::1111",
            "::ffff:8.8.8.8",
        ] {
            assert!(permitted(&rules, public), "{public}");
        }
        for closed in [
            "0.0.0.0",
            "10.0.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.255.255",
            "168.63.129.16",
            "169.254.169.254",
            "172.31.255.255",
            "192.0.0.192",
            "192.168.1.1",
            "198.19.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!permitted(&rules, closed), "{closed}");
        }
    }

    #[test]
    fn the_operator_may_open_networks_addresses_and_hosts() {
        let named = ["10.1.0.0/16", "::1", "Inside.example"].map(str::to_owned);
        let rules = AddressRules::with(&named);
        assert!(permitted(&rules, "10.1.2.3"));
        assert!(permitted(&rules, "::ffff:10.1.2.3"));
        assert!(permitted(&rules, "::1"));
        assert!(!permitted(&rules, "10.2.0.1"));
        assert!(!permitted(&rules, "127.0.0.1"));
        let loopback = IpAddr::from([127, 0, 0, 1]);
        assert!(rules.permit("inside.EXAMPLE", loopback));
        assert!(!rules.permit("outside.example", loopback));
    }
}
