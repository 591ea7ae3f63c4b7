use std::path::Path;

use super::PipelineError;
use vocalhost_audio::AudioInfo;
use vocalhost_system::disk::free_bytes;

/// Bytes of a sample in a spool.
const SAMPLE_BYTES: u64 = size_of::<f32>() as u64;

/// Refuses a recording whose spools would leave less than `min_free_bytes` of the disk. A few bytes may hold hours of sound, and finding
/// that out by writing them would take the room from everybody else meanwhile. A recording without a stated length is not refused here.
pub(super) fn check(
    folder: &Path,
    info: &AudioInfo,
    spool: (usize, u32),
    min_free_bytes: u64,
) -> Result<(), PipelineError> {
    let (Some(frames), Some(free)) = (info.frames, free_bytes(folder)) else {
        return Ok(());
    };
    let needed_bytes = needed(info, frames, spool);
    if leaves_enough(free, needed_bytes, min_free_bytes) {
        return Ok(());
    }
    Err(PipelineError::NoRoom {
        needed_bytes,
        min_free_bytes,
    })
}

/// The least that every job on a recording of so many frames writes: the spool of its first pass, with that spool's channels and rate, and
/// one of a result, which is as long as the recording and has one or two channels. Files, further stems and what does not compress come on
/// top; the supervisor watches those.
fn needed(info: &AudioInfo, frames: u64, (channels, rate_hz): (usize, u32)) -> u64 {
    let spool_frames =
        u128::from(frames) * u128::from(rate_hz) / u128::from(info.sample_rate_hz.max(1));
    let spool_frames = u64::try_from(spool_frames).unwrap_or(u64::MAX);
    let of = |frames: u64, channels: usize| {
        let samples = frames.saturating_mul(channels as u64);
        samples.saturating_mul(SAMPLE_BYTES)
    };
    of(spool_frames, channels).saturating_add(of(frames, info.channels.min(2)))
}

/// 0 bytes that have to stay free are no limit.
fn leaves_enough(free: u64, needed: u64, min_free: u64) -> bool {
    min_free == 0
        || free
            .checked_sub(needed)
            .is_some_and(|left| left >= min_free)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vocalhost_audio::InputFormat;

    fn recording(frames: Option<u64>) -> AudioInfo {
        AudioInfo {
            format: InputFormat::Flac,
            channels: 8,
            sample_rate_hz: 48_000,
            frames,
            duration_s: None,
            speakers: None,
        }
    }

    #[test]
    fn a_job_writes_its_spool_and_a_result_of_at_most_two_channels() {
        let info = recording(None);
        assert_eq!(needed(&info, 48_000, (2, 48_000)), 2 * 2 * 4 * 48_000);
        let mono = 16_000 * 4 + 48_000 * 2 * 4;
        assert_eq!(needed(&info, 48_000, (1, 16_000)), mono);
        assert_eq!(needed(&info, u64::MAX, (2, 192_000)), u64::MAX);
    }

    #[test]
    fn so_much_has_to_be_left() {
        for (free, needed, min_free, enough) in [
            (100, 60, 40, true),
            (100, 61, 40, false),
            (100, 101, 1, false),
            (100, 101, 0, true),
        ] {
            assert_eq!(
                leaves_enough(free, needed, min_free),
                enough,
                "{free} - {needed} against {min_free}"
            );
        }
    }

    #[test]
    fn only_a_recording_that_says_its_length_is_refused_before_it_is_decoded() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let refused = |frames| check(folder.path(), &recording(frames), (2, 48_000), u64::MAX);
        assert!(matches!(
            refused(Some(1)),
            Err(PipelineError::NoRoom { .. })
        ));
        assert!(refused(None).is_ok());
    }
}
