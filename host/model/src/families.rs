use super::Family;

impl Family {
    /// The word that manifests have for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DdspRvc => "ddsp-rvc",
            Self::Rvc => "rvc",
            Self::WaveContent => "wave-content",
            Self::SalienceF0 => "salience-f0",
            Self::WaveF0 => "wave-f0",
            Self::FramesF0 => "frames-f0",
            Self::MdxNet => "mdx-net",
            Self::WaveToStems => "wave-to-stems",
            Self::DemucsSplit => "demucs-split",
            Self::RoformerSpec => "roformer-spec",
            Self::SpleeterMask => "spleeter-mask",
            Self::BandMask => "band-mask",
            Self::Ensemble => "ensemble",
            Self::WaveSpeaker => "wave-speaker",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_called_what_manifests_call_it() {
        for family in [
            Family::DdspRvc,
            Family::Rvc,
            Family::WaveToStems,
            Family::FramesF0,
        ] {
            let written = toml::Value::try_from(family).expect("a word");
            assert_eq!(written.as_str(), Some(family.as_str()));
        }
    }
}
