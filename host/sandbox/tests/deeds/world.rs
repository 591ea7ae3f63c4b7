//! The surroundings of the hostile child: an installation with other people's data, of which the child is given one folder and the models.

use std::fs;
use std::io::{self, Read as _};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::thread;

use serde::{Deserialize, Serialize};
use vocalhost_sandbox::{Layer, LayerState, Sandbox, Walls};

/// The largest file that the child may write.
pub const LARGEST_FILE: u64 = 1 << 20;

/// What stands in the files that are none of the child's business.
const SECRET: &str = "a secret";

/// Where everything is.
#[derive(Debug, Serialize, Deserialize)]
pub struct World {
    /// Holds `data` and `models`.
    pub root: PathBuf,
    /// A server that listens on TCP, as a collector or a store of files would.
    pub tcp_port: u16,
    /// One that takes packets, as a name server would.
    pub udp_port: u16,
    /// A socket without a file.
    pub abstract_name: String,
    /// The process that started the child.
    pub parent: i32,
    /// Where the parent has a secret in its memory.
    pub secret_at: usize,
}

/// What the parent keeps for as long as children run.
pub struct Open {
    _named: UnixListener,
    _abstract: UnixListener,
    _udp: UdpSocket,
}

impl World {
    /// Makes an installation in `root`.
    pub fn make(root: &Path) -> io::Result<(Self, Open)> {
        for (file, content) in [
            ("data/vocalhost.sqlite", SECRET),
            ("data/url-signing.key", SECRET),
            ("data/uploads/upload-1.wav", SECRET),
            ("data/files/results/7/vocals.wav", SECRET),
            ("data/scratch/worker-2/input.wav", SECRET),
            ("data/scratch/worker-1/input.wav", "the child's own"),
            ("data/effect-cache/gain.effect", "compiled code"),
            ("models/voice/model.onnx", "a model"),
        ] {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap_or(root))?;
            fs::write(path, content)?;
        }
        let tcp = TcpListener::bind("127.0.0.1:0")?;
        let udp = UdpSocket::bind("127.0.0.1:0")?;
        let abstract_name = format!("vocalhost-deeds-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&abstract_name)?;
        let open = Open {
            _named: UnixListener::bind(root.join("data/control.sock"))?,
            _abstract: UnixListener::bind_addr(&address)?,
            _udp: udp.try_clone()?,
        };
        let world = Self {
            root: root.to_owned(),
            tcp_port: tcp.local_addr()?.port(),
            udp_port: udp.local_addr()?.port(),
            abstract_name,
            parent: i32::try_from(std::process::id()).unwrap_or(i32::MAX),
            secret_at: super::raw::at(SECRET),
        };
        thread::spawn(move || {
            for mut guest in tcp.incoming().flatten() {
                // Until it hangs up.
                let _ = guest.read(&mut [0; 16]);
            }
        });
        Ok((world, open))
    }

    /// A place in the data folder.
    pub fn data(&self, name: &str) -> PathBuf {
        self.root.join("data").join(name)
    }

    /// A place in the child's own folder.
    pub fn own(&self, name: &str) -> PathBuf {
        self.data("scratch/worker-1").join(name)
    }

    /// The walls of a worker, without some of the layers.
    pub fn raise(&self, without: &[Layer]) -> io::Result<()> {
        std::env::set_current_dir(self.own(""))?;
        let walls = Walls::new()
            .reading(&self.root.join("models"))
            .reading(&self.data("effect-cache"))
            .writing(&self.own(""))
            .largest_file(LARGEST_FILE);
        let walls = without
            .iter()
            .fold(walls, |walls, layer| walls.without(*layer));
        let report = walls.raise(Sandbox::Auto).map_err(io::Error::other)?;
        // Many a system makes no namespaces; `trials` knows then.
        let must_stand = |state: &&LayerState| state.layer != Layer::Namespaces && !state.holds;
        match report.layers.iter().find(must_stand) {
            Some(missing) => Err(io::Error::other(format!("{missing:?}"))),
            None => Ok(()),
        }
    }
}
