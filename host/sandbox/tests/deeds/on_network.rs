use std::io;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixStream};

use super::deed::Deed;
use super::raw::short;
use vocalhost_sandbox::Layer::{Landlock, Namespaces, Privileges, Seccomp};

/// What a child would do to get something out of the machine.
pub const DEEDS: &[Deed] = &[
    Deed::new(
        "connect to a server",
        &[Namespaces, Landlock, Seccomp],
        |world| TcpStream::connect(("127.0.0.1", world.tcp_port)).map(drop),
    ),
    Deed::new("listen for others", &[Landlock, Seccomp], |_| {
        TcpListener::bind("127.0.0.1:0").map(drop)
    }),
    Deed::new(
        "send a packet, as for a name",
        &[Namespaces, Seccomp],
        |world| {
            let socket = UdpSocket::bind("127.0.0.1:0")?;
            socket
                .send_to(b"name?", ("127.0.0.1", world.udp_port))
                .map(drop)
        },
    ),
    Deed::new(
        "connect to a socket of the machine",
        &[Namespaces, Seccomp],
        |world| UnixStream::connect(world.data("control.sock")).map(drop),
    ),
    Deed::new(
        "connect to a socket without a file",
        &[Namespaces, Landlock, Seccomp],
        |world| {
            let address = SocketAddr::from_abstract_name(&world.abstract_name)?;
            UnixStream::connect_addr(&address).map(drop)
        },
    ),
    Deed::new("ask the kernel about the network", &[Seccomp], |_| {
        socket(libc::AF_NETLINK, libc::SOCK_RAW)
    }),
    Deed::rare("listen to the wire", &[Privileges, Seccomp], |_| {
        socket(libc::AF_PACKET, libc::SOCK_RAW)
    }),
    Deed::new("make a pair of sockets", &[Seccomp], |_| {
        UnixStream::pair().map(drop)
    }),
];

fn socket(family: i32, kind: i32) -> io::Result<()> {
    short(libc::SYS_socket, [family as usize, kind as usize, 0]).map(drop)
}
