use chrono::DateTime;

/// A time as records have it: `YYYY-MM-DD HH:MM:SS.ffffff +00:00`. `at_us` counts from the Unix epoch.
#[must_use]
pub fn timestamp(at_us: i64) -> String {
    let time = DateTime::from_timestamp_micros(at_us).unwrap_or_default();
    time.format("%Y-%m-%d %H:%M:%S%.6f +00:00").to_string()
}

#[cfg(test)]
mod tests {
    use super::timestamp;

    #[test]
    fn six_digits_and_the_offset_are_always_there() {
        assert_eq!(timestamp(0), "1970-01-01 00:00:00.000000 +00:00");
        assert_eq!(
            timestamp(1_795_179_621_000_450),
            "2026-11-20 13:00:21.000450 +00:00"
        );
    }
}
