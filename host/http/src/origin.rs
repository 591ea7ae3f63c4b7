use std::net::{IpAddr, SocketAddr};

use hyper::HeaderMap;
use hyper::header::{FORWARDED, HeaderName};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Where a connection comes from; noted on each of its requests.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub SocketAddr);

/// Where a request was first sent from.
#[derive(Debug, Clone, Copy)]
pub struct Client(pub IpAddr);

/// The address of the client behind `peer`: the peer itself, unless it is a proxy, which `is_trusted` says. Then the forwarding
/// headers are read from their end, and the first address that is no such proxy is the client. `X-Forwarded-For` is
/// believed before `Forwarded`.
#[must_use]
pub fn client_of(peer: IpAddr, headers: &HeaderMap, is_trusted: impl Fn(IpAddr) -> bool) -> IpAddr {
    let mut client = peer.to_canonical();
    if !is_trusted(client) {
        return client;
    }
    for hop in hops(headers).iter().rev() {
        // What a proxy could not name ends the chain: the proxy that said so is the last one known.
        let Some(address) = hop else {
            break;
        };
        client = address.to_canonical();
        if !is_trusted(client) {
            break;
        }
    }
    client
}

/// The addresses that proxies added, the nearest to us last; `None` for what is no address.
fn hops(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    let items = |name: &HeaderName| -> Vec<String> {
        let lines = headers.get_all(name).iter();
        let lines = lines.map(|line| line.to_str().unwrap_or_default());
        lines
            .flat_map(|line| line.split(','))
            .map(|item| item.trim().to_owned())
            .collect()
    };
    let simple = items(&X_FORWARDED_FOR);
    if !simple.is_empty() {
        return simple.iter().map(|item| address_in(item)).collect();
    }
    let full = items(&FORWARDED);
    full.iter()
        .map(|item| {
            let pairs = item.split(';').filter_map(|pair| pair.split_once('='));
            let mut named = pairs.filter(|(name, _)| name.trim().eq_ignore_ascii_case("for"));
            address_in(named.next()?.1.trim())
        })
        .collect()
}

/// The address in a node's name (RFC 7239, 6): with or without a port, quotes and brackets.
fn address_in(node: &str) -> Option<IpAddr> {
    let node = node.trim_matches('"');
    if let Ok(address) = node.parse::<IpAddr>() {
        return Some(address);
    }
    if let Ok(address) = node.parse::<SocketAddr>() {
        return Some(address.ip());
    }
    let inner = node.strip_prefix('[')?.split(']').next()?;
    inner.parse().ok()
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn client(peer: &str, headers: &[(&'static str, &'static str)]) -> String {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_static(value));
        }
        let is_trusted = |address: IpAddr| match address {
            IpAddr::V4(v4) => v4.octets()[0] == 10,
            IpAddr::V6(v6) => v6.is_loopback(),
        };
        client_of(peer.parse().unwrap(), &map, is_trusted).to_string()
    }

    #[test]
    fn a_stranger_is_not_believed() {
        let said = [("x-forwarded-for", "203.0.113.1")];
        assert_eq!(client("198.51.100.7", &said), "198.51.100.7");
    }

    #[test]
    fn the_last_address_that_is_no_proxy_is_the_client() {
        for (headers, wanted) in [
            (&[][..], "10.0.0.1"),
            (&[("x-forwarded-for", "203.0.113.1")], "203.0.113.1"),
            // What the client made up stands further ahead.
            (
                &[("x-forwarded-for", "1.2.3.4, 203.0.113.1, 10.9.9.9")],
                "203.0.113.1",
            ),
            (
                &[
                    ("x-forwarded-for", "1.2.3.4"),
                    ("x-forwarded-for", "203.0.113.1"),
                ],
                "203.0.113.1",
            ),
            (&[("x-forwarded-for", "203.0.113.1, unknown")], "10.0.0.1"),
            (&[("x-forwarded-for", "203.0.113.1:5000")], "203.0.113.1"),
            (
                &[("forwarded", "for=203.0.113.1;proto=https")],
                "203.0.113.1",
            ),
            (
                &[("forwarded", "for=\"[2001:db8::1]:99\", for=10.1.1.1")],
                "2001:db8::1",
            ),
            (&[("forwarded", "For=\"[2001:db8::1]\"")], "2001:db8::1"),
            (
                &[
                    ("forwarded", "for=1.2.3.4"),
                    ("x-forwarded-for", "203.0.113.1"),
                ],
                "203.0.113.1",
            ),
        ] {
            assert_eq!(client("::ffff:10.0.0.1", headers), wanted, "{headers:?}");
        }
    }
}
