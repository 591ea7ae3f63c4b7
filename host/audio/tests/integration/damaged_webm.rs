//! Kinds of damage to `WebM` that the fuzz run of `tests/damaged` has met.

use std::fs;

use vocalhost_audio::FindingKind;

use super::damaged::{frames, place};
use super::recording::{Scratch, decode_heard, decode_strictly, decode_whole, fixture};
use super::webm::{Block, Cut, Opus, Webm, element, uint};

const PACKETS: usize = 12;

/// Frames of that many packets, without what the encoder has added.
const HEARD: usize = PACKETS * 960 - 312;

/// Of the element of a block, with a size of 8 bytes, and its own.
const BLOCK_HEADER_BYTES: usize = 9 + 4;

fn webm() -> Webm {
    Webm {
        blocks_per_cluster: 4,
        has_times: true,
        ..Webm::of(&Opus::chirping(PACKETS))
    }
}

#[test]
fn a_webm_header_that_leads_past_its_tracks_does_not_hide_them() {
    // A table of places that says that it reaches into the first cluster, and one that nobody knows.
    for name in [b"\x11\x4d\x9b\x74", b"\x11\x4d\x9b\x75"] {
        let lie = [&name[..], b"\x01\0\0\0\0\0\x00\xe0"].concat();
        let webm = Webm {
            before_tracks: lie,
            ..webm()
        };
        let heard = frames(&webm.bytes());
        // What it leads into is lost.
        assert!((HEARD - 4 * 960..=HEARD).contains(&heard), "{heard}");
    }
    // A list of tracks beyond all measure in front of the real one.
    let webm = Webm {
        before_tracks: b"\x16\x54\xae\x6b\x01\0\0\0\x40\0\0\0".to_vec(),
        ..webm()
    };
    assert_eq!(frames(&webm.bytes()), HEARD);
}

#[test]
fn a_list_of_tracks_that_does_not_say_how_long_it_is_is_read() {
    let mut bytes = webm().bytes();
    let at = place(&bytes, b"\x16\x54\xae\x6b") + 4;
    bytes[at + 1..at + 8].fill(0xff);
    assert_eq!(frames(&bytes), HEARD);
    // Nor is one that says that it is longer than the file.
    bytes[at + 1..at + 8].copy_from_slice(&[0, 0, 0, 0, 0, 0xff, 0xff]);
    assert_eq!(frames(&bytes), HEARD);
}

#[test]
fn a_list_of_tracks_that_reaches_into_the_sound_hides_none_of_it() {
    let mut bytes = webm().bytes();
    let at = place(&bytes, b"\x16\x54\xae\x6b") + 4;
    bytes[at + 6] ^= 0x02;
    let heard = frames(&bytes);
    // What lies between its entry and the sound may have been some.
    assert!((HEARD..HEARD + 960).contains(&heard), "{heard}");
}

#[test]
fn a_webm_file_whose_kind_has_a_wrong_letter_is_heard() {
    let mut bytes = webm().bytes();
    let at = place(&bytes, b"webm");
    bytes[at] ^= 0x20;
    assert_eq!(frames(&bytes), HEARD);
}

#[test]
fn headers_that_are_there_twice_are_stepped_over() {
    let bytes = webm().bytes();
    // Up to the first cluster, and into it.
    let cluster = place(&bytes, b"\x1f\x43\xb6\x75");
    for end in [cluster, cluster + 6] {
        let twice = [&bytes[..end], &bytes].concat();
        assert_eq!(frames(&twice), HEARD, "{end}");
    }
}

#[test]
fn headers_in_the_middle_of_what_says_how_long_it_is_are_stepped_over() {
    let webm = webm();
    let bytes = webm.bytes();
    // The file is there twice up to its seventh block, with and without its first header.
    let end = place(&bytes, &webm.packets[6]) - BLOCK_HEADER_BYTES;
    for begin in [0, place(&bytes, b"\x18\x53\x80\x67")] {
        let twice = [&bytes[..end], &bytes[begin..]].concat();
        assert_eq!(frames(&twice), HEARD + 6 * 960, "{begin}");
    }
}

#[test]
fn bits_of_vorbis_that_can_be_no_other_are_put_right() {
    let bytes = fs::read(fixture("chirp_vorbis.webm")).expect("the fixture");
    let whole = decode_whole(&fixture("chirp_vorbis.webm"));
    let setup = place(&bytes, b"\x05vorbis");
    // The upper byte of the first codebook's dimensions, behind its number and its mark.
    let dimensions = setup + 7 + 1 + 3 + 1;
    let identification = place(&bytes, b"\x01vorbis");
    let [version, framing] = [7, 29].map(|at| identification + at);
    for (place, bit) in [
        (dimensions, 0),
        (dimensions, 3),
        (dimensions, 7),
        (version, 5),
        (framing, 0),
        (framing, 6),
    ] {
        let mut broken = bytes.clone();
        broken[place] ^= 1 << bit;
        let broken = Scratch::holding(&broken);
        let decoded = decode_heard(broken.path());
        assert!(decoded.channels == whole.channels, "{bit}");
        let (kind, at, _, reason) = decoded.finding();
        assert_eq!((kind, at), (FindingKind::Damaged, 0), "{reason}");
        let strictly = decode_strictly(broken.path()).expect("opens");
        assert!(strictly.error.is_some(), "{bit}");
    }
}

#[test]
fn a_header_of_opus_is_read_without_its_name_version_and_kind_of_mapping() {
    for at in [0, 8, 18] {
        let mut bytes = webm().bytes();
        let head = place(&bytes, b"OpusHead");
        bytes[head + at] ^= 0x31;
        assert_eq!(frames(&bytes), HEARD, "{at}");
    }
}

#[test]
fn without_a_header_of_opus_and_a_number_of_channels_the_packets_say_it() {
    let whole = webm().bytes();
    let mut bytes = whole.clone();
    // The element of the header is of a name that nobody knows.
    let head = place(&bytes, b"OpusHead");
    bytes[head - 9] = 0xa3;
    let decoded = decode_heard(Scratch::holding(&bytes).path());
    assert_eq!(decoded.info.channels, 1);
    let all = decode_heard(Scratch::holding(&whole).path());
    assert_eq!(decoded.channels[0][312..], all.channels[0][..]);
    // A channel more, by the first byte of the first packet.
    let first = place(&bytes, &webm().packets[0]);
    bytes[first] |= 0b100;
    let decoded = decode_heard(Scratch::holding(&bytes).path());
    assert_eq!(decoded.info.channels, 2);
}

#[test]
fn a_coding_is_known_by_the_beginning_of_its_name() {
    let webm = Webm {
        codec: "A_OPUSV",
        ..webm()
    };
    assert_eq!(frames(&webm.bytes()), HEARD);
}

#[test]
fn a_track_of_a_wrong_kind_is_known_to_be_sound_by_its_coding() {
    let webm = Webm {
        track_type: 3,
        ..webm()
    };
    assert_eq!(frames(&webm.bytes()), HEARD);
}

#[test]
fn a_cluster_without_its_name_is_heard() {
    for cut in [Cut::Stated, Cut::Unknown] {
        let mut bytes = Webm { cut, ..webm() }.bytes();
        let at = place(&bytes, b"\x1f\x43\xb6\x75");
        bytes[at + 3] ^= 1;
        assert_eq!(frames(&bytes), HEARD, "{cut:?}");
    }
}

#[test]
fn more_bytes_than_a_segment_says_hide_no_sound() {
    let mut bytes = webm().bytes();
    let at = place(&bytes, b"\x1f\x43\xb6\x75");
    let next = at + 4 + place(&bytes[at + 4..], b"\x1f\x43\xb6\x75");
    bytes.splice(next..next, [0x62; 3_000]);
    let decoded = decode_heard(Scratch::holding(&bytes).path());
    assert_eq!(decoded.frames(), HEARD);
    assert_eq!(decoded.finding().0, FindingKind::Damaged);
}

#[test]
fn rubbish_behind_a_block_with_a_wrong_time_is_no_sound() {
    let packets = Opus::chirping(PACKETS).packets;
    let mut bytes = webm().bytes();
    // The time of the block, and what stands behind its first bytes.
    let at = place(&bytes, &packets[5]);
    bytes[at - 3..at - 1].copy_from_slice(&[0x20, 0x20]);
    bytes.splice(at + packets[5].len()..at + packets[5].len(), [0xff; 4_000]);
    assert_eq!(frames(&bytes), HEARD);
}

#[test]
fn many_lists_of_tracks_that_are_none_take_no_time() {
    let lists = b"\x16\x54\xae\x6b\x01\0\0\0\0\x0f\0\0".repeat(200_000);
    let webm = Webm {
        before_tracks: lists,
        ..webm()
    };
    let scratch = Scratch::holding(&webm.bytes());
    assert!(super::recording::decode(scratch.path()).is_err());
}

/// The file with the header of the block of packet `index` changed: its name, its size, its track and its time are the first bytes of
/// what `change` gets.
fn with_block(webm: &Webm, index: usize, change: impl Fn(&mut [u8])) -> Vec<u8> {
    let mut bytes = webm.bytes();
    let at = place(&bytes, &webm.packets[index]) - BLOCK_HEADER_BYTES;
    change(&mut bytes[at..at + BLOCK_HEADER_BYTES]);
    bytes
}

#[test]
fn a_block_of_a_wrong_length_hides_none_behind_it() {
    let webm = webm();
    let packet = |index: usize| webm.packets[index].len() + BLOCK_HEADER_BYTES;
    // Up to the middle of the next one but one, in the next cluster.
    let reach = packet(6) + packet(7) + 100;
    for track in [0x81, 0x82] {
        let bytes = with_block(&webm, 6, |header| {
            header[7..9].copy_from_slice(&(reach as u16).to_be_bytes());
            header[9] = track;
        });
        // Its cluster ends where it says, or says nothing.
        for has_size in [true, false] {
            let mut bytes = bytes.clone();
            if !has_size {
                let at = place(&bytes, b"\x1f\x43\xb6\x75") + 4;
                let second = at + place(&bytes[at..], b"\x1f\x43\xb6\x75") + 4;
                bytes[second + 1..second + 8].fill(0xff);
            }
            let decoded = decode_heard(Scratch::holding(&bytes).path());
            assert_eq!(decoded.frames(), HEARD, "{track} {has_size}");
            let (kind, at, length, _) = decoded.finding();
            assert_eq!(
                (kind, at, length),
                (FindingKind::Damaged, 6 * 960 - 312, Some(960))
            );
        }
    }
}

#[test]
fn blocks_that_are_not_the_first_in_their_groups_are_heard() {
    // As GStreamer writes them, the length first; a filling behind reaches to the next group.
    let webm = Webm {
        block: Block::Grouped,
        ..webm()
    };
    let mut bytes = webm.bytes();
    for packet in &webm.packets {
        let at = place(&bytes, packet) - BLOCK_HEADER_BYTES;
        let end = at + BLOCK_HEADER_BYTES + packet.len();
        let group = at - 9;
        let inside = [&uint(&[0x9b], 20), &bytes[at..end], b"\xec\x80"].concat();
        bytes.splice(group..end, element(&[0xa0], &inside));
    }
    // What the clusters and the segment say about their lengths is not true any more.
    for id in [&b"\x1f\x43\xb6\x75"[..], b"\x18\x53\x80\x67"] {
        let mut from = 0;
        while let Some(at) = bytes[from..].windows(4).position(|found| found == id) {
            from += at + 12;
            bytes[from - 7..from].fill(0xff);
        }
    }
    assert_eq!(
        decode_whole(Scratch::holding(&bytes).path()).frames(),
        HEARD
    );
}

#[test]
fn another_recording_in_the_middle_of_one_that_is_cut_is_not_heard() {
    let webm = webm();
    let mut bytes = webm.bytes();
    bytes.truncate(place(&bytes, &webm.packets[6]) - BLOCK_HEADER_BYTES);
    bytes.extend(fs::read(fixture("chirp_vorbis.webm")).expect("the fixture"));
    let decoded = decode_heard(Scratch::holding(&bytes).path());
    assert_eq!(decoded.frames(), 6 * 960 - 312);
    let (kind, _, _, reason) = decoded.finding();
    assert_eq!(kind, FindingKind::Cut);
    assert!(reason.contains("second recording"), "{reason}");
}

#[test]
fn the_time_of_a_cluster_without_its_header_is_read() {
    let webm = Webm {
        cut: Cut::Unknown,
        ..webm()
    };
    let mut bytes = webm.bytes();
    // The second cluster has its position and the size of the first one behind its time.
    let time = place(&bytes, &webm.packets[4]) - BLOCK_HEADER_BYTES;
    let more = [uint(&[0xa7], 7), uint(&[0xab], 7)].concat();
    bytes.splice(time..time, more);
    // Its header is gone, with the block in front of it.
    let header = time - 17 - 12;
    let block = place(&bytes, &webm.packets[3]) - BLOCK_HEADER_BYTES;
    bytes.drain(block + 5..header + 12);
    let decoded = decode_heard(Scratch::holding(&bytes).path());
    assert_eq!(decoded.frames(), HEARD);
    let (kind, at, length, _) = decoded.finding();
    let hole = (FindingKind::Damaged, 3 * 960 - 312, Some(960));
    assert_eq!((kind, at, length), hole);
}

#[test]
fn a_block_of_a_strange_track_hides_no_others_although_one_of_them_follows_it() {
    let webm = Webm {
        blocks_per_cluster: PACKETS,
        ..webm()
    };
    let reach = (3..7).map(|index| webm.packets[index].len() + BLOCK_HEADER_BYTES);
    let reach = reach.sum::<usize>() - 9;
    let bytes = with_block(&webm, 3, |header| {
        header[7..9].copy_from_slice(&(reach as u16).to_be_bytes());
        header[9] = 0x82;
    });
    let decoded = decode_heard(Scratch::holding(&bytes).path());
    assert_eq!(decoded.frames(), HEARD);
    let (kind, at, length, _) = decoded.finding();
    let hole = (FindingKind::Damaged, 3 * 960 - 312, Some(960));
    assert_eq!((kind, at, length), hole);
}

#[test]
fn a_block_that_nothing_follows_is_not_many_packets() {
    let webm = webm();
    // Nine bytes of it, which say that they are 129 packets or four.
    for laces in [&b"\x14\x80"[..], b"\x04\x03", b"\x02\x03\0\0\0"] {
        let mut bytes = with_block(&webm, 6, |header| header[7..9].copy_from_slice(&[0, 9]));
        let flags = place(&bytes, &webm.packets[6]) - 1;
        bytes[flags..flags + laces.len()].copy_from_slice(laces);
        let decoded = decode_heard(Scratch::holding(&bytes).path());
        assert_eq!(decoded.frames(), HEARD, "{laces:x?}");
    }
}

#[test]
fn tags_that_reach_into_the_sound_hide_none_of_it() {
    for reach in [100, 700, 1_300] {
        let mut bytes = webm().bytes();
        let cluster = place(&bytes, b"\x1f\x43\xb6\x75");
        let tags = [
            &b"\x12\x54\xc3\x67\x01\0\0\0\0\0"[..],
            &(reach as u16).to_be_bytes(),
        ];
        bytes.splice(cluster..cluster, tags.concat());
        let heard = frames(&bytes);
        // The few bytes may have been sound.
        assert!((HEARD..HEARD + 960).contains(&heard), "{reach}: {heard}");
    }
}

#[test]
fn two_blocks_behind_rubbish_are_heard_where_the_file_ends_in_the_third() {
    let webm = Webm {
        blocks_per_cluster: PACKETS,
        ..webm()
    };
    let mut bytes = webm.bytes();
    bytes.truncate(place(&bytes, &webm.packets[8]) + 20);
    let rubbish = place(&bytes, &webm.packets[6]) - BLOCK_HEADER_BYTES;
    bytes.splice(rubbish..rubbish, [0x3c; 50]);
    let decoded = decode_heard(Scratch::holding(&bytes).path());
    assert_eq!(decoded.frames(), 8 * 960 - 312);
}

#[test]
fn a_block_under_a_strange_name_or_track_is_silence_of_its_length() {
    let webm = webm();
    // Names that nobody knows, those of numbers, and a track that is not listed.
    for (place, byte) in [(0, 0xb3), (0, 0xa1), (0, 0xa7), (0, 0xe7), (9, 0x82)] {
        let bytes = with_block(&webm, 6, |header| header[place] = byte);
        let decoded = decode_heard(Scratch::holding(&bytes).path());
        assert_eq!(decoded.frames(), HEARD, "{byte:x}");
        let (kind, at, length, _) = decoded.finding();
        let hole = 6 * 960 - 312;
        assert_eq!(
            (kind, at, length),
            (FindingKind::Damaged, hole, Some(960)),
            "{byte:x}"
        );
        assert_eq!(decoded.channels[0][hole..hole + 960], [0.0; 960]);
    }
}

#[test]
fn elements_that_nobody_knows_are_no_damage_where_no_time_is_missing() {
    let webm = Webm {
        cut: Cut::Unknown,
        ..webm()
    };
    let mut bytes = webm.bytes();
    let at = place(&bytes, &webm.packets[6]) - BLOCK_HEADER_BYTES;
    bytes.splice(at..at, element(&[0xb3], &[7; 40]));
    let decoded = decode_whole(Scratch::holding(&bytes).path());
    assert_eq!(decoded.frames(), HEARD);
}

#[test]
fn a_hole_behind_a_block_that_says_it_began_sooner_is_not_longer_for_it() {
    let webm = Webm {
        blocks_per_cluster: PACKETS,
        ..webm()
    };
    let mut bytes = with_block(&webm, 8, |header| header[10..12].fill(0));
    let behind = place(&bytes, &webm.packets[8]) + webm.packets[8].len();
    bytes.splice(behind..behind, *b"rubbish");
    assert_eq!(frames(&bytes), HEARD);
}

#[test]
fn a_hole_is_not_longer_where_the_file_says_a_wrong_length_of_its_ticks() {
    let opus = Opus::chirping(PACKETS);
    for tick_ns in [1_000_000_u64, 15_000_000, 40_000] {
        let webm = Webm {
            blocks_per_cluster: PACKETS,
            has_times: true,
            before_tracks: element(
                &[0x15, 0x49, 0xa9, 0x66],
                &uint(&[0x2a, 0xd7, 0xb1], tick_ns),
            ),
            ..Webm::of(&opus)
        };
        // The header of a block is gone.
        let bytes = with_block(&webm, 8, |header| header.fill(0));
        assert_eq!(frames(&bytes), HEARD, "{tick_ns}");
    }
}

#[test]
fn a_header_of_opus_that_says_far_more_than_the_container_adds_nothing() {
    let lead = |pre_skip, delay_ns| {
        let webm = Webm {
            pre_skip,
            delay_ns,
            ..webm()
        };
        PACKETS * 960 - frames(&webm.bytes())
    };
    assert_eq!(lead(0x2138, Some(6_500_000)), 312);
    // One that has cut a recording in the middle.
    assert_eq!(lead(3_840, Some(6_500_000)), 3_840);
    assert_eq!(lead(0x2138, Some(177_166_667)), 0x2138);
    assert_eq!(lead(0x2138, None), 0x2138);
    // 312 with one bit more.
    assert_eq!(lead(312 + 1_024, Some(6_500_000)), 312);
    assert_eq!(lead(312 + 1_024, Some(13_000_000)), 312 + 1_024);
}

#[test]
fn fillings_without_end_take_no_time() {
    let webm = Webm {
        cut: Cut::Unknown,
        ..webm()
    };
    for filling in [&b"\xec\x80"[..], b"\xec\x89123456789", b"\xa7\x89123456789"] {
        let bytes = [webm.bytes(), filling.repeat(1 << 16)].concat();
        assert_eq!(frames(&bytes), HEARD);
    }
}
