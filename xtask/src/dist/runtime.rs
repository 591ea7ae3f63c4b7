//! The ONNX Runtime of a release: the build for the processor, or the one for NVIDIA's GPUs with the libraries that it needs there.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::archive::paths;
use super::sbom::Library;
use crate::folders::cache_folder;
use crate::setup::{Installed, ONNXRUNTIME_VERSION, onnxruntime_with_notices};
use crate::wheel::{Package, Wheel};

/// What the licence and the notices are called beside the library.
const LICENCE: &str = "LICENSE.onnxruntime";
const NOTICES: &str = "ThirdPartyNotices.onnxruntime.txt";

/// What a tree has in `lib`, and what stands with it elsewhere.
pub struct Runtime {
    /// Each file and what it is called in `lib`; the library that the program loads is the first.
    pub files: Vec<(PathBuf, &'static str)>,
    /// What the bill of materials has of it all.
    pub components: Vec<Library>,
    /// The folder with NVIDIA's libraries and licences, for what runs on a GPU.
    pub nvidia: Option<PathBuf>,
}

/// The build for the processor.
pub fn processor(installed: &Installed) -> Result<Runtime> {
    let noticed = onnxruntime_with_notices(installed)?;
    Ok(Runtime {
        components: vec![Library {
            name: "onnxruntime",
            version: ONNXRUNTIME_VERSION,
            licence: "MIT",
            purl: format!("pkg:pypi/onnxruntime@{ONNXRUNTIME_VERSION}"),
            file: noticed.library.clone(),
        }],
        files: vec![
            (noticed.library, "libonnxruntime.so"),
            (noticed.licence, LICENCE),
            (noticed.notices, NOTICES),
        ],
        nvidia: None,
    })
}

/// The major version of CUDA that the build for GPUs is made for.
pub const CUDA: &str = "cuda13";

const INSTEAD: &str = "make the image without CUDA";

const fn linux(platform: &'static str, sha256: &'static str) -> [Wheel; 1] {
    [Wheel {
        os: "linux",
        arch: "x86_64",
        platform,
        sha256,
    }]
}

/// The build for CUDA. Its wheel names the packages below as what it needs.
const ONNXRUNTIME: Package = Package {
    what: "ONNX Runtime for CUDA",
    name: "onnxruntime-gpu",
    version: ONNXRUNTIME_VERSION,
    instead: INSTEAD,
    wheels: &linux(
        "manylinux_2_28_x86_64",
        "e26c475fe361b2015f45b4b824bd13f0bb20204e59b62814e6f0acd5f3d491a6",
    ),
};

/// Inside the wheel, and what each file is called in `lib`.
const OF_ONNXRUNTIME: [(&str, &str); 5] = [
    (
        "onnxruntime/capi/libonnxruntime.so.1.31.1",
        "libonnxruntime.so",
    ),
    (
        "onnxruntime/capi/libonnxruntime_providers_shared.so",
        "libonnxruntime_providers_shared.so",
    ),
    (
        "onnxruntime/capi/libonnxruntime_providers_cuda.so",
        "libonnxruntime_providers_cuda.so",
    ),
    ("onnxruntime/LICENSE", LICENCE),
    ("onnxruntime/ThirdPartyNotices.txt", NOTICES),
];

/// A package of NVIDIA's, and its libraries below `nvidia`, the most important one first.
struct Part {
    package: Package,
    licence: &'static str,
    libraries: &'static [&'static str],
}

const fn part(
    name: &'static str,
    version: &'static str,
    wheels: &'static [Wheel],
    licence: &'static str,
    libraries: &'static [&'static str],
) -> Part {
    Part {
        package: Package {
            what: name,
            name,
            version,
            instead: INSTEAD,
            wheels,
        },
        licence,
        libraries,
    }
}

/// The licences of NVIDIA's packages, whose texts lie beside them.
const OF_CUDA: &str = "LicenseRef-NVIDIA-CUDA-Toolkit";
const OF_CUDNN: &str = "LicenseRef-NVIDIA-cuDNN";

const PARTS: [Part; 7] = [
    part(
        "nvidia-cuda-runtime",
        "13.5.37",
        &linux(
            "manylinux2014_x86_64",
            "df2b79a8852f10d1fef8c848489c49eebb5754051bf870202a862831412b179d",
        ),
        OF_CUDA,
        &["cu13/lib/libcudart.so.13"],
    ),
    part(
        "nvidia-cublas",
        "13.10.0.20",
        &linux(
            "manylinux1_x86_64",
            "dcc6d63884c53d07e267ce7e6feac17b2538cebaafec5db865736c3e28e4dc84",
        ),
        OF_CUDA,
        &["cu13/lib/libcublas.so.13", "cu13/lib/libcublasLt.so.13"],
    ),
    part(
        "nvidia-cufft",
        "12.5.0.14",
        &linux(
            "manylinux2014_x86_64",
            "b8be26837a5abad2b5b74f3e92dd29f622a42934b355be0961a48712cbba23ad",
        ),
        OF_CUDA,
        &["cu13/lib/libcufft.so.12"],
    ),
    part(
        "nvidia-curand",
        "10.4.5.25",
        &linux(
            "manylinux_2_27_x86_64",
            "22bb226a857e5888fe6b54ae465fc4371296bcff13a35f79e19691bcf454f529",
        ),
        OF_CUDA,
        &["cu13/lib/libcurand.so.10"],
    ),
    part(
        "nvidia-cuda-nvrtc",
        "13.5.37",
        &linux(
            "manylinux2010_x86_64",
            "86b4d68058807988b7d9af5b44917a0601e9c337f35ccd657bfb3c759ff8d8bc",
        ),
        OF_CUDA,
        &[
            "cu13/lib/libnvrtc.so.13",
            "cu13/lib/libnvrtc-builtins.so.13.5",
        ],
    ),
    part(
        "nvidia-nvjitlink",
        "13.5.37",
        &linux(
            "manylinux2010_x86_64",
            "280d7cb9649704145f074b8dbde500de04ce02d0872e066e20a83c17bcaa93eb",
        ),
        OF_CUDA,
        &["cu13/lib/libnvJitLink.so.13"],
    ),
    part(
        "nvidia-cudnn-cu13",
        "9.28.1.4",
        &linux(
            "manylinux_2_27_x86_64",
            "a54f205b1db1f2895d99f398754db1369816f0569dd459731f925635cf7b65ec",
        ),
        OF_CUDNN,
        &[
            "cudnn/lib/libcudnn.so.9",
            "cudnn/lib/libcudnn_adv.so.9",
            "cudnn/lib/libcudnn_cnn.so.9",
            "cudnn/lib/libcudnn_engines_precompiled.so.9",
            "cudnn/lib/libcudnn_engines_runtime_compiled.so.9",
            "cudnn/lib/libcudnn_engines_tensor_ir.so.9",
            "cudnn/lib/libcudnn_ext.so.9",
            "cudnn/lib/libcudnn_graph.so.9",
            "cudnn/lib/libcudnn_heuristic.so.9",
            "cudnn/lib/libcudnn_ops.so.9",
        ],
    ),
];

/// Folders with libraries below `nvidia`. They find each other from where they lie, as in the packages.
pub const NVIDIA_FOLDERS: [&str; 2] = ["cu13/lib", "cudnn/lib"];

/// The build for CUDA, which is fetched unless it lies in the cache: 1.5 GB, 2.2 unpacked.
pub fn cuda() -> Result<Runtime> {
    let cache = cache_folder()?.join(format!("{CUDA}-{ONNXRUNTIME_VERSION}"));
    let lib = cache.join("lib");
    let files: Vec<(PathBuf, &str)> = OF_ONNXRUNTIME
        .iter()
        .map(|(_, name)| (lib.join(name), *name))
        .collect();
    let inside = OF_ONNXRUNTIME.iter().map(|(inside, _)| *inside);
    let places = files.iter().map(|(file, _)| file.as_path());
    fetch(&ONNXRUNTIME, &inside.zip(places).collect::<Vec<_>>())?;
    let nvidia = cache.join("nvidia");
    let mut components = vec![Library {
        name: ONNXRUNTIME.name,
        version: ONNXRUNTIME.version,
        licence: "MIT",
        purl: purl(&ONNXRUNTIME),
        file: files[0].0.clone(),
    }];
    for Part {
        package,
        licence,
        libraries,
    } in &PARTS
    {
        let stem = package.name.replace('-', "_");
        let text = format!("{stem}-{}.dist-info/licenses/License.txt", package.version);
        let text_kept = nvidia.join(format!("LICENSE.{}.txt", package.name));
        let inside: Vec<String> = libraries
            .iter()
            .map(|library| format!("nvidia/{library}"))
            .collect();
        let kept: Vec<PathBuf> = libraries
            .iter()
            .map(|library| nvidia.join(library))
            .collect();
        let mut wanted = vec![(text.as_str(), text_kept.as_path())];
        wanted.extend(
            inside
                .iter()
                .map(String::as_str)
                .zip(kept.iter().map(PathBuf::as_path)),
        );
        fetch(package, &wanted)?;
        components.push(Library {
            name: package.name,
            version: package.version,
            licence,
            purl: purl(package),
            file: kept[0].clone(),
        });
    }
    Ok(Runtime {
        files,
        components,
        nvidia: Some(nvidia),
    })
}

fn purl(package: &Package) -> String {
    format!("pkg:pypi/{}@{}", package.name, package.version)
}

/// Takes the files out of the package, unless all are there.
fn fetch(package: &Package, wanted: &[(&str, &Path)]) -> Result<()> {
    if wanted.iter().all(|(_, kept)| kept.is_file()) {
        return Ok(());
    }
    for folder in wanted.iter().filter_map(|(_, kept)| kept.parent()) {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    package.install_all(wanted)
}

/// All files of the runtime that the loader may have to find others for.
pub fn loaded(runtime: &Runtime) -> Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> = runtime.files.iter().map(|(file, _)| file.clone()).collect();
    if let Some(nvidia) = &runtime.nvidia {
        found.extend(paths(nvidia)?.iter().map(|path| nvidia.join(path)));
    }
    found.retain(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        file.is_file() && name.contains(".so")
    });
    Ok(found)
}
