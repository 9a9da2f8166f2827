//! What is said on standard error while candidates are measured.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// One line that changes on terminals, and lines elsewhere.
pub struct Progress {
    is_terminal: bool,
    start: Instant,
    limit: Duration,
}

impl Progress {
    /// From now on, for so long at most.
    pub fn new(limit: Duration) -> Progress {
        Progress { is_terminal: std::io::stderr().is_terminal(), start: Instant::now(), limit }
    }

    /// How long it has taken.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// What may still be taken.
    pub fn left(&self) -> Duration {
        self.limit.saturating_sub(self.elapsed())
    }

    /// Says what is going on.
    pub fn say(&self, text: &str) {
        let mut error = std::io::stderr().lock();
        // Who does not look need not be told.
        let _ = if self.is_terminal { write!(error, "\r{text}\x1b[K") } else { writeln!(error, "{text}") };
        let _ = error.flush();
    }

    /// Says something that stays.
    pub fn tell(&self, text: &str) {
        let begin = if self.is_terminal { "\r\x1b[K" } else { "" };
        let _ = writeln!(std::io::stderr().lock(), "{begin}{text}");
    }
}

/// A time for people.
pub fn time(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds >= 60 { format!("{} min {} s", seconds / 60, seconds % 60) } else { format!("{seconds} s") }
}

/// Seconds for people, with three digits.
pub fn seconds(seconds: f64) -> String {
    let (factor, unit) = match seconds {
        _ if seconds >= 1.0 => (1.0, "s"),
        _ if seconds >= 1e-3 => (1e3, "ms"),
        _ => (1e6, "us"),
    };
    let scaled = seconds * factor;
    let digits = if scaled >= 100.0 {
        0
    } else if scaled >= 10.0 {
        1
    } else {
        2
    };
    format!("{scaled:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::{seconds, time};
    use std::time::Duration;

    #[test]
    fn times_are_short() {
        assert_eq!(
            (time(Duration::from_secs(59)), time(Duration::from_secs(125))),
            ("59 s".into(), "2 min 5 s".into())
        );
        let all = [12.34, 0.1234, 0.01234, 0.000_123_4].map(seconds);
        assert_eq!(all, ["12.3 s", "123 ms", "12.3 ms", "123 us"]);
    }
}
