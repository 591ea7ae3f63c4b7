//! The part of WASI that effects are linked with: every function answers, none gives access to anything.
//!
//! A component of std Rust imports a dozen WASI interfaces because its library might need them. They come from
//! `wasmtime-wasi` with a context that holds no directory, environment variable, argument or address; clocks stand
//! still, randomness repeats, and standard error goes to a small buffer for the words of a panic. What could make the
//! host's thread wait is replaced: waiting for a clock traps, and streams are those of [`streams`](super::streams).

use std::time::Duration;

use wasmtime::component::{HasData, Linker, Resource, ResourceTable};
use wasmtime_wasi::cli::{WasiCli, WasiCliView};
use wasmtime_wasi::clocks::{WasiClocks, WasiClocksView};
use wasmtime_wasi::filesystem::{WasiFilesystem, WasiFilesystemView};
use wasmtime_wasi::p2::DynPollable;
use wasmtime_wasi::p2::bindings::sockets::network;
use wasmtime_wasi::p2::bindings::{cli, clocks, filesystem, random, sockets, sync};
use wasmtime_wasi::p2::pipe::{ClosedInputStream, ClosedOutputStream};
use wasmtime_wasi::random::{WasiRandom, WasiRandomView};
use wasmtime_wasi::sockets::{WasiSockets, WasiSocketsView};
use wasmtime_wasi::{Deterministic, HostWallClock, WasiCtx, WasiCtxView, WasiView};

use super::limits::{EffectLimits, Limiter};
use super::streams::{self, StandardError};

/// Bytes of randomness in one call, which bounds the work that one call makes for the host.
const RANDOM_BYTES: u64 = 256;
/// Resources that a guest may hold at the host: streams of standard error, mostly one.
const HOST_RESOURCES: usize = 256;
/// The bytes that randomness repeats. Any bytes would do: guests may only rely on their being the same each time.
const RANDOM_CYCLE: [u8; 16] = *b"not random at al";
/// The answer to a request for an insecure seed, from which std Rust seeds its hash maps.
const RANDOM_SEED: u128 = u128::from_le_bytes(RANDOM_CYCLE);

/// What one instance has at the host.
pub(super) struct Guest {
    wasi: WasiCtx,
    table: ResourceTable,
    standard_error: StandardError,
    pub(super) limiter: Limiter,
}

impl Guest {
    /// An empty world; the same for every instance.
    pub(super) fn new(limits: &EffectLimits) -> Self {
        let standard_error = StandardError::default();
        let wasi = WasiCtx::builder()
            .stdin(ClosedInputStream)
            .stdout(ClosedOutputStream)
            .stderr(standard_error.clone())
            .wall_clock(StoppedClock)
            .secure_random(Deterministic::new(RANDOM_CYCLE.to_vec()))
            .insecure_random(Deterministic::new(RANDOM_CYCLE.to_vec()))
            .insecure_random_seed(RANDOM_SEED)
            .max_random_size(RANDOM_BYTES)
            .allow_tcp(false)
            .allow_udp(false)
            .allow_ip_name_lookup(false)
            .build();
        let mut table = ResourceTable::new();
        table.set_max_capacity(HOST_RESOURCES);
        Self {
            wasi,
            table,
            standard_error,
            limiter: Limiter::new(limits),
        }
    }

    /// What the instance wrote to its standard error.
    pub(super) fn last_words(&self) -> String {
        self.standard_error.text()
    }
}

impl WasiView for Guest {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

/// A clock that always shows its zero.
struct StoppedClock;

impl HostWallClock for StoppedClock {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// The instance wanted to wait for a clock.
#[derive(Debug, thiserror::Error)]
#[error("wanted to wait")]
pub(super) struct WantedToWait;

/// The resolution that the monotonic clock claims; since it stands still, it resolves nothing.
const NANOSECONDS_PER_SECOND: u64 = 1_000_000_000;

/// The monotonic clock of effects: it stands still and cannot be waited for.
pub(super) struct Clockwork;

impl HasData for Clockwork {
    type Data<'a> = Self;
}

impl clocks::monotonic_clock::Host for Clockwork {
    fn now(&mut self) -> wasmtime::Result<u64> {
        Ok(0)
    }

    fn resolution(&mut self) -> wasmtime::Result<u64> {
        Ok(NANOSECONDS_PER_SECOND)
    }

    fn subscribe_instant(&mut self, _when: u64) -> wasmtime::Result<Resource<DynPollable>> {
        Err(wasmtime::Error::new(WantedToWait))
    }

    fn subscribe_duration(&mut self, _when: u64) -> wasmtime::Result<Resource<DynPollable>> {
        Err(wasmtime::Error::new(WantedToWait))
    }
}

/// Links everything that effects are given.
pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    add_command_line(linker)?;
    clocks::wall_clock::add_to_linker::<_, WasiClocks>(linker, Guest::clocks)?;
    clocks::monotonic_clock::add_to_linker::<_, Clockwork>(linker, |_| Clockwork)?;
    random::random::add_to_linker::<_, WasiRandom>(linker, Guest::random)?;
    random::insecure::add_to_linker::<_, WasiRandom>(linker, Guest::random)?;
    random::insecure_seed::add_to_linker::<_, WasiRandom>(linker, Guest::random)?;
    filesystem::preopens::add_to_linker::<_, WasiFilesystem>(linker, Guest::filesystem)?;
    sync::filesystem::types::add_to_linker::<_, WasiFilesystem>(linker, Guest::filesystem)?;
    add_sockets(linker)?;
    streams::add_to_linker(linker)
}

fn add_command_line(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    cli::exit::add_to_linker::<_, WasiCli>(linker, Guest::cli)?;
    cli::environment::add_to_linker::<_, WasiCli>(linker, Guest::cli)?;
    cli::stdin::add_to_linker::<_, WasiCli>(linker, Guest::cli)?;
    cli::stdout::add_to_linker::<_, WasiCli>(linker, Guest::cli)?;
    cli::stderr::add_to_linker::<_, WasiCli>(linker, Guest::cli)?;
    cli::terminal_input::add_to_linker::<_, WasiCli>(linker, Guest::cli)?;
    cli::terminal_output::add_to_linker::<_, WasiCli>(linker, Guest::cli)?;
    cli::terminal_stdin::add_to_linker::<_, WasiCli>(linker, Guest::cli)?;
    cli::terminal_stdout::add_to_linker::<_, WasiCli>(linker, Guest::cli)?;
    cli::terminal_stderr::add_to_linker::<_, WasiCli>(linker, Guest::cli)
}

/// The network functions answer with a denial; none of them gives a guest a socket.
fn add_sockets(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    let options = network::LinkOptions::default();
    network::add_to_linker::<_, WasiSockets>(linker, &options, Guest::sockets)?;
    sockets::instance_network::add_to_linker::<_, WasiSockets>(linker, Guest::sockets)?;
    sockets::ip_name_lookup::add_to_linker::<_, WasiSockets>(linker, Guest::sockets)?;
    sync::sockets::tcp::add_to_linker::<_, WasiSockets>(linker, Guest::sockets)?;
    sockets::tcp_create_socket::add_to_linker::<_, WasiSockets>(linker, Guest::sockets)?;
    sync::sockets::udp::add_to_linker::<_, WasiSockets>(linker, Guest::sockets)?;
    sync::sockets::udp_create_socket::add_to_linker::<_, WasiSockets>(linker, Guest::sockets)
}
