use std::num::NonZeroUsize;
use std::path::Path;

use ort::ep::{self, ExecutionProvider, ExecutionProviderDispatch};
use ort::logging::LogLevel;
use ort::session::Session as OrtSession;
use ort::session::builder::SessionBuilder;

use super::Runtime;
use super::provider::{Provider, ProviderChoice};

/// How a graph is made ready to run.
pub(super) struct Making<'a> {
    /// The ONNX file. It may contain our own operators where only the processor is to run it.
    pub(super) bytes: &'a [u8],
    /// What runs its operators, in order of preference; the processor takes what the others do not.
    pub(super) providers: &'a [Provider],
    /// Threads that a provider with threads of its own may have.
    pub(super) threads: usize,
    /// Where it writes which provider ran which operator, if anywhere.
    pub(super) profile: Option<&'a Path>,
}

/// Why a graph cannot be made ready.
pub(super) enum NotMade {
    /// This provider does not work here.
    Provider(Provider, String),
    /// The graph does not load with the providers that work.
    Graph(String),
}

/// Makes a graph ready to run on its caller's thread: ONNX Runtime splits sums by its number of threads, which changes the last
/// bits (measured with 1.31.1). Memory patterns are off, because segments differ in length and each length would be planned
/// anew.
pub(super) fn make(runtime: &Runtime, making: &Making<'_>) -> Result<OrtSession, NotMade> {
    let mut builder = builder(runtime, making.profile).map_err(NotMade::Graph)?;
    for provider in making.providers {
        let asked = ask_for(*provider, runtime.choice(), making.threads);
        if let Some(asked) = asked {
            let registered = asked.register(&mut builder);
            registered.map_err(|error| NotMade::Provider(*provider, error.to_string()))?;
        }
    }
    let made = if making.providers.is_empty() {
        vocalhost_kernels::session(builder, making.bytes)
    } else {
        builder.commit_from_memory(making.bytes)
    };
    vocalhost_kernels::give_free_heap_back();
    made.map_err(|error| NotMade::Graph(error.to_string()))
}

/// Whether the loaded library was built with a provider; whether the provider finds its device is another matter.
pub(super) fn is_offered(provider: Provider) -> bool {
    let offered = match provider {
        Provider::Cpu => return true,
        Provider::Cuda => ep::CUDA::is_available(),
        Provider::Tensorrt => ep::TensorRT::is_available(),
        Provider::Rocm => ep::ROCm::is_available(),
        Provider::Migraphx => ep::MIGraphX::is_available(),
        Provider::Directml => ep::DirectML::is_available(),
        Provider::Coreml => ep::CoreML::is_available(),
        Provider::Openvino => ep::OpenVINO::is_available(),
        Provider::Xnnpack => ep::XNNPACK::is_available(),
        Provider::Onednn => ep::OneDNN::is_available(),
    };
    offered.unwrap_or(false)
}

fn builder(runtime: &Runtime, profile: Option<&Path>) -> Result<SessionBuilder, String> {
    // Each setter has its own error type, so they are turned into text one by one.
    let builder = OrtSession::builder(runtime.environment())
        .map_err(|error| error.to_string())?
        // Its messages are also returned as errors. Printed by the library, they would show the names of a stranger's nodes unescaped, with
        // line ends and terminal control characters.
        .with_log_level(LogLevel::Fatal)
        .map_err(|error| error.to_string())?
        .with_intra_threads(1)
        .map_err(|error| error.to_string())?
        .with_inter_threads(1)
        .map_err(|error| error.to_string())?
        .with_parallel_execution(false)
        .map_err(|error| error.to_string())?
        .with_memory_pattern(false)
        .map_err(|error| error.to_string())?
        .with_deterministic_compute(true)
        .map_err(|error| error.to_string())?
        // The library's own format is not checked beforehand.
        .with_config_entry("session.load_model_format", "ONNX")
        .map_err(|error| error.to_string())?;
    match profile {
        Some(path) => builder
            .with_profiling(path)
            .map_err(|error| error.to_string()),
        None => Ok(builder),
    }
}

/// A provider with its options; `None` for the processor, which is always asked last.
fn ask_for(
    provider: Provider,
    choice: &ProviderChoice,
    threads: usize,
) -> Option<ExecutionProviderDispatch> {
    let gpu = choice.gpu.and_then(|gpu| i32::try_from(gpu).ok());
    let device = gpu.unwrap_or(0);
    let asked = match provider {
        Provider::Cpu => return None,
        // Segments differ in length: trying out every convolution for each length would take longer than running it. The short floats that
        // newer GPUs multiply with by default would be audible.
        Provider::Cuda => ep::CUDA::default()
            .with_device_id(device)
            .with_conv_algorithm_search(ep::cuda::ConvAlgorithmSearch::Heuristic)
            .with_tf32(false)
            .build(),
        Provider::Tensorrt => ep::TensorRT::default().with_device_id(device).build(),
        Provider::Rocm => ep::ROCm::default().with_device_id(device).build(),
        Provider::Migraphx => ep::MIGraphX::default().with_device_id(device).build(),
        Provider::Directml => ep::DirectML::default().with_device_id(device).build(),
        Provider::Coreml => ep::CoreML::default().build(),
        Provider::Openvino => openvino(gpu, threads).build(),
        Provider::Xnnpack => {
            let threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
            let xnnpack = ep::XNNPACK::default();
            xnnpack.with_intra_op_num_threads(threads).build()
        }
        Provider::Onednn => ep::OneDNN::default().build(),
    };
    Some(asked)
}

/// The GPU of this number, otherwise the processor, in single precision on both: on GPUs the default is half precision.
fn openvino(gpu: Option<i32>, threads: usize) -> ep::OpenVINO {
    let (device, precision) = match gpu {
        Some(number) => (format!("GPU.{number}"), "FP32"),
        None => ("CPU".to_owned(), "FP32"),
    };
    ep::OpenVINO::default()
        .with_device_type(device)
        .with_precision(precision)
        .with_num_threads(threads.max(1))
}
