use std::io::{IsTerminal as _, Write as _};

/// How far a long run is, on a terminal only; the line goes when this is dropped.
pub struct Progress {
    is_shown: bool,
    percent: u32,
    words: String,
}

impl Progress {
    /// Shows nothing yet.
    pub fn new() -> Self {
        Self {
            is_shown: std::io::stderr().is_terminal(),
            percent: 0,
            words: String::new(),
        }
    }

    /// Shows the share that is done, 0 to 1.
    pub fn tell(&mut self, share: f64) {
        let percent = (100.0 * share) as u32;
        if self.is_shown && percent > self.percent {
            self.percent = percent;
            self.show();
        }
    }

    /// Shows words behind the share from now on.
    pub fn say(&mut self, words: &str) {
        words.clone_into(&mut self.words);
        if self.is_shown {
            self.show();
        }
    }

    fn show(&self) {
        let Self { percent, words, .. } = self;
        eprint!("\r\x1b[K{percent} % {words}");
        // Nothing depends on it being seen.
        let _ = std::io::stderr().flush();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_shown && self.percent > 0 {
            eprint!("\r\x1b[K");
        }
    }
}

/// What a command is doing when nobody knows how long it takes, on a terminal only; the line goes when this is dropped.
pub struct Waiting {
    is_shown: bool,
}

impl Waiting {
    /// Shows it.
    pub fn for_what(what: &str) -> Self {
        let is_shown = std::io::stderr().is_terminal();
        if is_shown {
            eprint!("{what} ...");
            let _ = std::io::stderr().flush();
        }
        Self { is_shown }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.is_shown {
            eprint!("\r\x1b[K");
        }
    }
}
