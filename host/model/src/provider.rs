use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// ONNX Runtime's execution providers, as far as this program can use them. Which of them are available depends on the loaded library and
/// on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// NVIDIA's GPUs, by way of CUDA and cuDNN.
    Cuda,
    /// NVIDIA's GPUs, by way of `TensorRT`.
    Tensorrt,
    /// AMD's GPUs, by way of `ROCm`; in versions of ONNX Runtime before 1.23.
    Rocm,
    /// AMD's GPUs, by way of `MIGraphX`.
    Migraphx,
    /// Any GPU on Windows.
    Directml,
    /// Apple's GPUs and neural engines.
    Coreml,
    /// Intel's processors and GPUs.
    Openvino,
    /// Kernels mainly for mobile processors.
    Xnnpack,
    /// Intel's kernels for processors.
    Onednn,
    /// ONNX Runtime's own kernels for processors, which are always available.
    Cpu,
}

impl Provider {
    /// Every provider, in the order of names in a list such as `cuda+cpu`.
    pub const ALL: [Self; 10] = [
        Self::Cuda,
        Self::Tensorrt,
        Self::Rocm,
        Self::Migraphx,
        Self::Directml,
        Self::Coreml,
        Self::Openvino,
        Self::Xnnpack,
        Self::Onednn,
        Self::Cpu,
    ];

    /// The name in settings and records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cuda => "cuda",
            Self::Tensorrt => "tensorrt",
            Self::Rocm => "rocm",
            Self::Migraphx => "migraphx",
            Self::Directml => "directml",
            Self::Coreml => "coreml",
            Self::Openvino => "openvino",
            Self::Xnnpack => "xnnpack",
            Self::Onednn => "onednn",
            Self::Cpu => "cpu",
        }
    }

    /// The provider that ONNX Runtime knows by this name, such as `CUDAExecutionProvider`.
    pub(super) fn named_by_runtime(name: &str) -> Option<Self> {
        let short = name.strip_suffix("ExecutionProvider")?;
        match short {
            "CPU" => Some(Self::Cpu),
            "CUDA" => Some(Self::Cuda),
            "Tensorrt" => Some(Self::Tensorrt),
            "ROCM" => Some(Self::Rocm),
            "MIGraphX" => Some(Self::Migraphx),
            "Dml" => Some(Self::Directml),
            "CoreML" => Some(Self::Coreml),
            "OpenVINO" => Some(Self::Openvino),
            "Xnnpack" => Some(Self::Xnnpack),
            "Dnnl" => Some(Self::Onednn),
            _ => None,
        }
    }

    /// Whether it is a GPU.
    #[must_use]
    pub fn is_gpu(self) -> bool {
        matches!(
            self,
            Self::Cuda
                | Self::Tensorrt
                | Self::Rocm
                | Self::Migraphx
                | Self::Directml
                | Self::Coreml
        )
    }

    /// Whether it has its own memory, in which one copy of a model serves all threads.
    pub(super) fn is_apart(self) -> bool {
        self != Self::Cpu
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A name that no provider has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no execution provider {0:?}")]
pub struct UnknownProvider(pub String);

impl FromStr for Provider {
    type Err = UnknownProvider;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL
            .into_iter()
            .find(|provider| provider.as_str() == name);
        found.ok_or_else(|| UnknownProvider(name.to_owned()))
    }
}

/// Where models are to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderChoice {
    /// The providers in order of preference for each operator of a graph. The processor takes the rest.
    pub providers: Vec<Provider>,
    /// The number of the GPU, where there are several.
    pub gpu: Option<u32>,
    /// Whether a model that cannot run there fails instead of running on the processor.
    pub strict: bool,
}

impl Default for ProviderChoice {
    /// The processor, which is always available and gives the same samples everywhere.
    fn default() -> Self {
        Self {
            providers: vec![Provider::Cpu],
            gpu: None,
            strict: false,
        }
    }
}

impl ProviderChoice {
    /// The chosen providers other than the processor, without repetitions.
    pub(super) fn beside_cpu(&self) -> Vec<Provider> {
        let mut wanted = Vec::new();
        for provider in &self.providers {
            if *provider != Provider::Cpu && !wanted.contains(provider) {
                wanted.push(*provider);
            }
        }
        wanted
    }

    /// Whether a model may do its work there: in strict mode, only on the named providers.
    pub(super) fn allows(&self, provider: Provider) -> bool {
        !self.strict || self.providers.contains(&provider) || self.providers.is_empty()
    }
}

/// What models actually ran on during some work.
#[derive(Debug, Default)]
pub(super) struct Journal(Mutex<BTreeSet<Provider>>);

impl Journal {
    /// A model ran there.
    pub(super) fn note(&self, provider: Provider) {
        let mut ran = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ran.insert(provider);
    }

    /// The noted providers, such as `cpu` or `cuda+cpu`; `otherwise` when there are none.
    pub(super) fn text(&self, otherwise: Provider) -> String {
        let ran = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ran.is_empty() {
            return otherwise.to_string();
        }
        let names: Vec<&str> = ran.iter().map(|provider| provider.as_str()).collect();
        names.join("+")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for provider in Provider::ALL {
            assert_eq!(provider.as_str().parse(), Ok(provider));
            let written = serde_json::to_value(provider).expect("a name");
            assert_eq!(written, provider.as_str());
        }
        let error = "gpu".parse::<Provider>().expect_err("no provider");
        assert_eq!(error.to_string(), "there is no execution provider \"gpu\"");
    }

    #[test]
    fn a_journal_names_each_provider_once_and_the_processor_last() {
        let journal = Journal::default();
        assert_eq!(journal.text(Provider::Openvino), "openvino");
        for provider in [Provider::Cpu, Provider::Cuda, Provider::Cpu] {
            journal.note(provider);
        }
        assert_eq!(journal.text(Provider::Openvino), "cuda+cpu");
    }

    #[test]
    fn strictness_allows_what_is_named_alone() {
        let choice = |names: &[Provider], strict| ProviderChoice {
            providers: names.to_vec(),
            gpu: None,
            strict,
        };
        let cuda = choice(&[Provider::Cuda], true);
        assert!(cuda.allows(Provider::Cuda) && !cuda.allows(Provider::Cpu));
        assert!(choice(&[Provider::Cuda], false).allows(Provider::Cpu));
        assert!(choice(&[Provider::Cuda, Provider::Cpu], true).allows(Provider::Cpu));
        let twice = [Provider::Cpu, Provider::Cuda, Provider::Cuda];
        assert_eq!(choice(&twice, true).beside_cpu(), [Provider::Cuda]);
    }
}
