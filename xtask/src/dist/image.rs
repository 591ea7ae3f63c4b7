//! An image for containers, as an OCI layout: the tree, and under it the system's own libraries that the program needs. There is no
//! shell in it, no package manager and nothing from a registry.

use std::fs::{self, File};
use std::iter;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::archive::{self, Stamp, paths, sha256};
use super::release::Release;
use super::runtime::{CUDA, NVIDIA_FOLDERS, Runtime, loaded};
use super::tree;
use crate::process::capture;

/// The user that the program runs as: none that a machine has.
const USER: u64 = 10_001;

/// Where the tree lies, and where recordings and results go.
const HOME: &str = "opt/vocalhost";
const DATA: &str = "data";

/// Where NVIDIA's libraries lie in an image that has them.
const NVIDIA: &str = "opt/nvidia";

/// Packages of the system whose files go into the image, for their licences; cuDNN needs the last one.
const PACKAGES: [&str; 5] = [
    "ca-certificates",
    "libc6",
    "libgcc-s1",
    "libstdc++6",
    "zlib1g",
];

/// The certificate authorities of the system, for databases and stores that are reached by TLS.
const AUTHORITIES: &str = "etc/ssl/certs/ca-certificates.crt";

/// Makes the layout and gives the place of its archive `name`, which `podman load` and `skopeo` read.
pub fn make(release: &Release, name: &str, tree: &Path, runtime: &Runtime) -> Result<PathBuf> {
    let stage = release.folder.join("image");
    if stage.exists() {
        fs::remove_dir_all(&stage)?;
    }
    let (system, own, layout) = (
        stage.join("system"),
        stage.join("own"),
        stage.join("layout"),
    );
    fill_system(tree, runtime, &system)?;
    link_all(tree, &own.join(HOME))?;
    let blobs = layout.join("blobs/sha256");
    fs::create_dir_all(&blobs)?;
    let mut layers = vec![layer(
        &system,
        "the system's libraries",
        &blobs,
        release.time,
    )?];
    if let Some(nvidia) = &runtime.nvidia {
        let cuda = stage.join("cuda");
        link_all(nvidia, &cuda.join(NVIDIA))?;
        layers.push(layer(&cuda, "NVIDIA's libraries", &blobs, release.time)?);
    }
    layers.push(layer(&own, "vocalhost", &blobs, release.time)?);
    let config = blob(&config(release, &layers, runtime)?, &blobs)?;
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": described("application/vnd.oci.image.config.v1+json", &config),
        "layers": layers.iter().map(|layer| {
            described("application/vnd.oci.image.layer.v1.tar+gzip", &layer.blob)
        }).collect::<Vec<_>>(),
    });
    let manifest = blob(&manifest, &blobs)?;
    let mut entry = described("application/vnd.oci.image.manifest.v1+json", &manifest);
    entry["annotations"] = json!({
        "org.opencontainers.image.ref.name": format!("vocalhost:{}", tag(release, runtime)),
    });
    let index = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [entry],
    });
    fs::write(layout.join("index.json"), serde_json::to_vec(&index)?)?;
    let version = json!({ "imageLayoutVersion": "1.0.0" });
    fs::write(layout.join("oci-layout"), serde_json::to_vec(&version)?)?;
    let image = release.folder.join(format!("{name}.oci.tar"));
    archive::write_tar(
        &layout,
        None,
        File::create(&image)?,
        &Stamp::at(release.time),
    )?;
    fs::remove_dir_all(&stage)?;
    Ok(image)
}

/// A content by its digest.
struct Blob {
    sha256: String,
    bytes: u64,
}

struct Layer {
    blob: Blob,
    /// The digest of what it unpacks to.
    unpacked: String,
    /// What it has.
    of: &'static str,
}

/// What stands behind the colon of the image's name.
fn tag(release: &Release, runtime: &Runtime) -> String {
    match runtime.nvidia {
        Some(_) => format!("{}-{CUDA}", release.version),
        None => release.version.to_owned(),
    }
}

fn described(media_type: &str, blob: &Blob) -> Value {
    json!({ "mediaType": media_type, "digest": format!("sha256:{}", blob.sha256), "size": blob.bytes })
}

fn blob(content: &Value, blobs: &Path) -> Result<Blob> {
    let file = blobs.join("new");
    fs::write(&file, serde_json::to_vec(content)?)?;
    placed(&file, blobs)
}

/// Gives a file the name of its digest.
fn placed(file: &Path, blobs: &Path) -> Result<Blob> {
    let blob = Blob {
        sha256: sha256(file)?,
        bytes: fs::metadata(file)?.len(),
    };
    fs::rename(file, blobs.join(&blob.sha256))?;
    Ok(blob)
}

fn layer(folder: &Path, of: &'static str, blobs: &Path, time: u64) -> Result<Layer> {
    let stamp = Stamp {
        time,
        owner: &|path| if path == Path::new(DATA) { USER } else { 0 },
    };
    let file = blobs.join("new");
    archive::write_tar(folder, None, File::create(&file)?, &stamp)?;
    let unpacked = sha256(&file)?;
    archive::write(folder, None, &file, &stamp)?;
    let blob = placed(&file, blobs)?;
    Ok(Layer { blob, unpacked, of })
}

fn config(release: &Release, layers: &[Layer], runtime: &Runtime) -> Result<Value> {
    let processor = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let program = format!("/{HOME}/vocalhost");
    let created = release.date("+%Y-%m-%dT%H:%M:%SZ")?;
    let diffs = layers
        .iter()
        .map(|layer| format!("sha256:{}", layer.unpacked));
    let history = layers.iter().map(|layer| layer.of);
    let mut environment = vec![
        format!("PATH=/{HOME}"),
        format!("VOCALHOST_DATA_DIR=/{DATA}"),
        "VOCALHOST_LISTEN=0.0.0.0:8080".to_owned(),
        format!("SSL_CERT_FILE=/{AUTHORITIES}"),
    ];
    if runtime.nvidia.is_some() {
        let folders = NVIDIA_FOLDERS.map(|folder| format!("/{NVIDIA}/{folder}"));
        environment.extend([
            format!("LD_LIBRARY_PATH={}", folders.join(":")),
            "VOCALHOST_PROVIDERS=cuda".to_owned(),
            // What NVIDIA's container toolkit asks: which GPUs, and which of the driver's libraries.
            "NVIDIA_VISIBLE_DEVICES=all".to_owned(),
            "NVIDIA_DRIVER_CAPABILITIES=compute,utility".to_owned(),
        ]);
    }
    Ok(json!({
        "created": created,
        "architecture": processor,
        "os": "linux",
        "config": {
            "User": format!("{USER}:{USER}"),
            "Entrypoint": [program],
            "Cmd": ["serve"],
            "WorkingDir": format!("/{DATA}"),
            "Volumes": { format!("/{DATA}"): {} },
            "ExposedPorts": { "8080/tcp": {} },
            "Env": environment,
            // Not in the specification of the format, but what Docker and podman ask.
            "Healthcheck": {
                "Test": ["CMD", program, "health"],
                "Interval": 30_000_000_000_u64,
                "Timeout": 10_000_000_000_u64,
                "StartPeriod": 120_000_000_000_u64,
                "Retries": 3,
            },
            "Labels": {
                "org.opencontainers.image.title": "vocalhost",
                "org.opencontainers.image.version": release.version,
                "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
            },
        },
        "rootfs": { "type": "layers", "diff_ids": diffs.collect::<Vec<_>>() },
        "history": history
            .map(|by| json!({ "created": created, "created_by": by }))
            .collect::<Vec<_>>(),
    }))
}

/// The libraries that the program and its runtime load, with what the C library reads, and the licences of all that.
fn fill_system(tree: &Path, runtime: &Runtime, to: &Path) -> Result<()> {
    let loaded = loaded(runtime)?;
    for file in iter::once(&tree.join("vocalhost")).chain(&loaded) {
        for library in libraries(file)? {
            // Those of the runtime itself have a layer of their own.
            if !loaded.contains(&library.canonicalize()?) {
                copy(&library, to)?;
            }
        }
    }
    let authorities = Path::new("/").join(AUTHORITIES);
    if authorities.is_file() {
        copy(&authorities, to)?;
    }
    for package in PACKAGES {
        let licence = PathBuf::from(format!("/usr/share/doc/{package}/copyright"));
        if licence.is_file() {
            copy(&licence, to)?;
        }
    }
    let users = format!("root:x:0:0::/:/none\nvocalhost:x:{USER}:{USER}::/{DATA}:/none\n");
    tree::write(to, "etc/passwd", users.as_bytes())?;
    let groups = format!("root:x:0:\nvocalhost:x:{USER}:\n");
    tree::write(to, "etc/group", groups.as_bytes())?;
    tree::write(to, "etc/nsswitch.conf", b"hosts: files dns\n")?;
    fs::create_dir_all(to.join(DATA))?;
    let temporary = to.join("tmp");
    fs::create_dir_all(&temporary)?;
    Ok(fs::set_permissions(
        temporary,
        fs::Permissions::from_mode(0o1777),
    )?)
}

/// The files that the loader would load for a program or library.
fn libraries(file: &Path) -> Result<Vec<PathBuf>> {
    let told = capture(Command::new("ldd").arg(file))?.context("there is no `ldd`")?;
    let told = String::from_utf8(told.stdout)?;
    Ok(told.lines().filter_map(place_of_library).collect())
}

/// The path in a line of `ldd`, if there is one.
fn place_of_library(line: &str) -> Option<PathBuf> {
    let words = line.split_whitespace();
    words
        .map(Path::new)
        .find(|word| word.is_absolute())
        .map(Path::to_owned)
}

/// Copies a file of the system to the same place below `to`; of a link, the content that it leads to.
fn copy(file: &Path, to: &Path) -> Result<()> {
    let inside = file.strip_prefix("/")?;
    let content = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    tree::write(to, &inside.to_string_lossy(), &content)?;
    let mode = fs::metadata(file)?.permissions().mode();
    Ok(fs::set_permissions(
        to.join(inside),
        fs::Permissions::from_mode(mode),
    )?)
}

/// Has all of a folder stand in another place without a copy of its content.
fn link_all(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for path in paths(from)? {
        link(&from.join(&path), &to.join(&path))?;
    }
    Ok(())
}

/// Has a file of the tree stand in another place without a copy of its content.
fn link(from: &Path, to: &Path) -> Result<()> {
    let facts = fs::symlink_metadata(from)?;
    if facts.is_dir() {
        return Ok(fs::create_dir_all(to)?);
    }
    if facts.is_symlink() {
        return Ok(symlink(fs::read_link(from)?, to)?);
    }
    // A cache may lie on another file system than what is built.
    if fs::hard_link(from, to).is_err() {
        fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_found_in_what_the_loader_tells() {
        let told = "\tlinux-vdso.so.1 (0x00007ffd)\n\
             \tlibgcc_s.so.1 => /lib/x86_64-linux-gnu/libgcc_s.so.1 (0x00007f)\n\
             \tlibgone.so.1 => not found\n\
             \t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n";
        let found: Vec<PathBuf> = told.lines().filter_map(place_of_library).collect();
        let wanted = [
            "/lib/x86_64-linux-gnu/libgcc_s.so.1",
            "/lib64/ld-linux-x86-64.so.2",
        ];
        assert_eq!(found, wanted.map(PathBuf::from));
    }

    #[test]
    fn a_layer_has_the_digests_of_what_it_holds_and_data_belongs_to_the_user() {
        let folder = tempfile::tempdir().expect("a folder");
        let (root, blobs) = (folder.path().join("root"), folder.path().join("blobs"));
        fs::create_dir_all(root.join(DATA)).expect("it is made");
        fs::create_dir_all(&blobs).expect("it is made");
        tree::write(&root, "opt/program", b"works").expect("it is written");
        let layer = layer(&root, "a program", &blobs, 5).expect("it is made");
        let packed = File::open(blobs.join(&layer.blob.sha256)).expect("it has its name");
        let mut unpacked = Vec::new();
        let mut reader = flate2::read::GzDecoder::new(packed);
        std::io::Read::read_to_end(&mut reader, &mut unpacked).expect("it unpacks");
        let file = folder.path().join("unpacked");
        fs::write(&file, &unpacked).expect("it is written");
        assert_eq!(sha256(&file).expect("it is there"), layer.unpacked);
        let mut archive = tar::Archive::new(unpacked.as_slice());
        let owners = archive.entries().expect("an archive").map(|entry| {
            let entry = entry.expect("it is whole");
            (
                entry.path().expect("a name").into_owned(),
                entry.header().uid().expect("a number"),
            )
        });
        let wanted = [("data", USER), ("opt", 0), ("opt/program", 0)];
        assert_eq!(
            owners.collect::<Vec<_>>(),
            wanted.map(|(path, owner)| (PathBuf::from(path), owner))
        );
    }
}
