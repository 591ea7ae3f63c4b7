//! Sounds to feed in.

use std::f64::consts::TAU;

/// A sung vowel, as a simple stand-in for a voice: harmonics that fall off, a slow vibrato, one second of true silence
/// after every three of sound.
pub fn sung(seconds: f64, sample_rate_hz: u32, pitch_hz: f64) -> Vec<f32> {
    const HARMONICS: u32 = 12;
    let rate = f64::from(sample_rate_hz);
    let mut phase = 0.0;
    (0..(seconds * rate) as usize)
        .map(|frame| {
            let time_s = frame as f64 / rate;
            phase += pitch_hz * (1.0 + 0.02 * (TAU * 5.5 * time_s).sin()) / rate;
            if time_s % 4.0 >= 3.0 {
                return 0.0;
            }
            let fade = ((time_s % 4.0) / 0.02)
                .min((3.0 - time_s % 4.0) / 0.02)
                .min(1.0);
            let sum: f64 = (1..=HARMONICS)
                .map(f64::from)
                .filter(|harmonic| harmonic * pitch_hz < rate / 2.2)
                .map(|harmonic| (TAU * harmonic * phase).sin() / harmonic)
                .sum();
            (0.2 * fade * sum) as f32
        })
        .collect()
}

/// Noise between -0.5 and 0.5 that is the same on every machine: a linear congruential generator with the constants of
/// Numerical Recipes.
pub fn noise(seed: u32, count: usize) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (f64::from(state) / f64::from(u32::MAX) - 0.5) as f32
    };
    (0..count).map(|_| next()).collect()
}

/// A 16-bit WAV file of interleaved samples.
pub fn wav(channels: u16, sample_rate_hz: u32, interleaved: &[f32]) -> Vec<u8> {
    let data_bytes = u32::try_from(interleaved.len() * 2).expect("the sound is short");
    let mut file = Vec::with_capacity(44 + data_bytes as usize);
    file.extend_from_slice(b"RIFF");
    file.extend_from_slice(&(36 + data_bytes).to_le_bytes());
    file.extend_from_slice(b"WAVEfmt ");
    file.extend_from_slice(&16_u32.to_le_bytes());
    file.extend_from_slice(&1_u16.to_le_bytes());
    file.extend_from_slice(&channels.to_le_bytes());
    file.extend_from_slice(&sample_rate_hz.to_le_bytes());
    file.extend_from_slice(&(sample_rate_hz * u32::from(channels) * 2).to_le_bytes());
    file.extend_from_slice(&(channels * 2).to_le_bytes());
    file.extend_from_slice(&16_u16.to_le_bytes());
    file.extend_from_slice(b"data");
    file.extend_from_slice(&data_bytes.to_le_bytes());
    for sample in interleaved {
        let value = (sample * 32_767.0).round().clamp(-32_768.0, 32_767.0) as i16;
        file.extend_from_slice(&value.to_le_bytes());
    }
    file
}

/// A WAV file with the same sound in every channel.
pub fn wav_of(channels: u16, sample_rate_hz: u32, mono: &[f32]) -> Vec<u8> {
    let interleaved: Vec<f32> = mono
        .iter()
        .flat_map(|sample| std::iter::repeat_n(*sample, channels.into()))
        .collect();
    wav(channels, sample_rate_hz, &interleaved)
}
