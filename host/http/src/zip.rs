//! ZIP archives whose files are stored as they are: sound hardly gets smaller, and the size of the whole is known before a
//! byte of it is read. Sizes from 4 GiB are written as ZIP64. (PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 and 4.5.3.)

use chrono::{DateTime, Datelike, Timelike};

const LOCAL_SIGNATURE: u32 = 0x0403_4b50;
const CENTRAL_SIGNATURE: u32 = 0x0201_4b50;
const END_SIGNATURE: u32 = 0x0605_4b50;
const WIDE_END_SIGNATURE: u32 = 0x0606_4b50;
const WIDE_LOCATOR_SIGNATURE: u32 = 0x0706_4b50;

/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;

/// Version 2.0, and 4.5 with ZIP64, of the format.
const VERSION: u16 = 20;
const WIDE_VERSION: u16 = 45;

/// The extra field with numbers of 64 bits.
const WIDE_FIELD: u16 = 1;

/// Stands for a number that is in the extra field.
const ELSEWHERE: u32 = u32::MAX;

/// The length of the ZIP64 end record behind its own length field.
const WIDE_END_REST: u64 = 44;

/// A file in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// The CRC-32 of its content; 0 while only sizes matter.
    pub crc: u32,
}

/// What stands before and behind the files.
#[derive(Debug, Clone, Copy)]
pub struct Archive {
    /// The time that all files have, as DOS counts it: date and time.
    modified: (u16, u16),
}

impl Archive {
    /// An archive of files from this moment, in microseconds since the Unix epoch.
    #[must_use]
    pub fn of_time(at_us: i64) -> Self {
        let time = DateTime::from_timestamp_micros(at_us).unwrap_or_default();
        // DOS time begins in 1980 and has steps of two seconds.
        let years = u16::try_from(time.year() - 1980).unwrap_or(0).min(127);
        let date = (years << 9) | ((time.month() as u16) << 5) | time.day() as u16;
        let clock = ((time.hour() as u16) << 11)
            | ((time.minute() as u16) << 5)
            | (time.second() as u16 / 2);
        Self {
            modified: (date, clock),
        }
    }

    /// What stands before a file's content.
    #[must_use]
    pub fn head_of(self, entry: &Entry) -> Vec<u8> {
        let wide = entry.bytes >= u64::from(ELSEWHERE);
        let mut out = Vec::new();
        put32(&mut out, LOCAL_SIGNATURE);
        self.put_facts(&mut out, entry, wide);
        put16(&mut out, entry.name.len() as u16);
        put16(&mut out, if wide { 20 } else { 0 });
        out.extend(entry.name.as_bytes());
        if wide {
            put16(&mut out, WIDE_FIELD);
            put16(&mut out, 16);
            put64(&mut out, entry.bytes);
            put64(&mut out, entry.bytes);
        }
        out
    }

    /// What stands behind the last file: the list of all of them.
    #[must_use]
    pub fn tail(self, entries: &[Entry]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut offset = 0;
        for entry in entries {
            self.put_central(&mut out, entry, offset);
            offset += self.head_of(entry).len() as u64 + entry.bytes;
        }
        put_end(&mut out, entries.len() as u64, offset);
        out
    }

    /// The size of the whole.
    #[must_use]
    pub fn bytes(self, entries: &[Entry]) -> u64 {
        let files = entries
            .iter()
            .map(|entry| self.head_of(entry).len() as u64 + entry.bytes);
        files.sum::<u64>() + self.tail(entries).len() as u64
    }

    /// What both headers of a file begin with.
    fn put_facts(self, out: &mut Vec<u8>, entry: &Entry, wide: bool) {
        put16(out, if wide { WIDE_VERSION } else { VERSION });
        put16(out, FLAGS);
        // Stored.
        put16(out, 0);
        put16(out, self.modified.1);
        put16(out, self.modified.0);
        put32(out, entry.crc);
        let size = if wide { ELSEWHERE } else { entry.bytes as u32 };
        put32(out, size);
        put32(out, size);
    }

    fn put_central(self, out: &mut Vec<u8>, entry: &Entry, offset: u64) {
        let wide = entry.bytes.max(offset) >= u64::from(ELSEWHERE);
        put32(out, CENTRAL_SIGNATURE);
        put16(out, if wide { WIDE_VERSION } else { VERSION });
        self.put_facts(out, entry, wide);
        put16(out, entry.name.len() as u16);
        put16(out, if wide { 28 } else { 0 });
        // No comment, disk 0, no attributes.
        put16(out, 0);
        put16(out, 0);
        put16(out, 0);
        put32(out, 0);
        put32(out, if wide { ELSEWHERE } else { offset as u32 });
        out.extend(entry.name.as_bytes());
        if wide {
            put16(out, WIDE_FIELD);
            put16(out, 24);
            put64(out, entry.bytes);
            put64(out, entry.bytes);
            put64(out, offset);
        }
    }
}

/// The end of an archive whose list, which is in `out`, begins at `start`.
fn put_end(out: &mut Vec<u8>, count: u64, start: u64) {
    let length = out.len() as u64;
    let wide = count >= u64::from(u16::MAX) || start.max(length) >= u64::from(ELSEWHERE);
    if wide {
        put32(out, WIDE_END_SIGNATURE);
        put64(out, WIDE_END_REST);
        put16(out, WIDE_VERSION);
        put16(out, WIDE_VERSION);
        put32(out, 0);
        put32(out, 0);
        put64(out, count);
        put64(out, count);
        put64(out, length);
        put64(out, start);
        put32(out, WIDE_LOCATOR_SIGNATURE);
        put32(out, 0);
        put64(out, start + length);
        put32(out, 1);
    }
    let narrow16 = |number: u64| u16::try_from(number).ok().filter(|_| !wide);
    let narrow32 = |number: u64| u32::try_from(number).ok().filter(|_| !wide);
    put32(out, END_SIGNATURE);
    put16(out, 0);
    put16(out, 0);
    put16(out, narrow16(count).unwrap_or(u16::MAX));
    put16(out, narrow16(count).unwrap_or(u16::MAX));
    put32(out, narrow32(length).unwrap_or(ELSEWHERE));
    put32(out, narrow32(start).unwrap_or(ELSEWHERE));
    put16(out, 0);
}

fn put16(out: &mut Vec<u8>, number: u16) {
    out.extend(number.to_le_bytes());
}

fn put32(out: &mut Vec<u8>, number: u32) {
    out.extend(number.to_le_bytes());
}

fn put64(out: &mut Vec<u8>, number: u64) {
    out.extend(number.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, bytes: u64) -> Entry {
        Entry {
            name: name.to_owned(),
            bytes,
            crc: 0x1234_5678,
        }
    }

    fn read32(bytes: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
    }

    fn read64(bytes: &[u8], at: usize) -> u64 {
        u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
    }

    #[test]
    fn small_files_need_no_wide_numbers() {
        // 2026-11-20 13:00:21 UTC.
        let archive = Archive::of_time(1_795_179_621_000_450);
        let entries = [entry("a.wav", 100), entry("bc.mp3", 7)];
        let head = archive.head_of(&entries[0]);
        assert_eq!(head.len(), 30 + 5);
        assert_eq!(head[..4], *b"PK\x03\x04");
        let date = u16::from_le_bytes([head[12], head[13]]);
        assert_eq!((date >> 9, (date >> 5) & 15, date & 31), (46, 11, 20));
        let time = u16::from_le_bytes([head[10], head[11]]);
        assert_eq!((time >> 11, (time >> 5) & 63, time & 31), (13, 0, 10));
        assert_eq!(read32(&head, 14), 0x1234_5678);
        assert_eq!((read32(&head, 18), read32(&head, 22)), (100, 100));
        let tail = archive.tail(&entries);
        assert_eq!(tail.len(), 46 + 5 + 46 + 6 + 22);
        let list_at = (35 + 100) + (36 + 7);
        let end = tail.len() - 22;
        assert_eq!(tail[end..end + 4], *b"PK\x05\x06");
        assert_eq!(u64::from(read32(&tail, end + 16)), list_at);
        assert_eq!(archive.bytes(&entries), list_at + tail.len() as u64);
        // The second file's header begins behind the first file.
        assert_eq!(read32(&tail, 46 + 5 + 42), 135);
    }

    #[test]
    fn large_files_and_what_lies_behind_them_have_wide_numbers() {
        let archive = Archive::of_time(0);
        let large = 5 << 30;
        let entries = [entry("a", large), entry("b", 7)];
        let head = archive.head_of(&entries[0]);
        assert_eq!(
            (read32(&head, 18), read32(&head, 22)),
            (ELSEWHERE, ELSEWHERE)
        );
        assert_eq!((read64(&head, 35), read64(&head, 43)), (large, large));
        let second_at = head.len() as u64 + large;
        let tail = archive.tail(&entries);
        let second = 46 + 1 + 28;
        assert_eq!(tail[second..second + 4], *b"PK\x01\x02");
        assert_eq!(read32(&tail, second + 42), ELSEWHERE);
        assert_eq!(read64(&tail, second + 46 + 1 + 4), 7);
        assert_eq!(read64(&tail, second + 46 + 1 + 20), second_at);
        let list_at = second_at + 31 + 7;
        let wide_end = 2 * second;
        assert_eq!(tail[wide_end..wide_end + 4], *b"PK\x06\x06");
        assert_eq!(read64(&tail, wide_end + 48), list_at);
        let locator = wide_end + 56;
        assert_eq!(tail[locator..locator + 4], *b"PK\x06\x07");
        assert_eq!(read64(&tail, locator + 8), list_at + wide_end as u64);
        assert_eq!(tail.len(), locator + 20 + 22);
        assert_eq!(archive.bytes(&entries), list_at + tail.len() as u64);
    }
}
