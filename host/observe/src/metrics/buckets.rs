use prometheus_client::metrics::histogram::Histogram;

/// Times of answers in seconds: from a look into the database to a long upload.
pub(super) fn answers() -> Histogram {
    Histogram::new([0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0, 300.0])
}

/// Times of jobs in seconds: from a short tone to a concert.
pub(super) fn work() -> Histogram {
    Histogram::new([
        0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 1_800.0, 7_200.0, 36_000.0,
    ])
}

/// Times of blocks of live conversions in seconds: from no time to far too late.
pub(super) fn blocks() -> Histogram {
    Histogram::new([0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64])
}
