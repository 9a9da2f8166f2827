//! What is told of one thing, and how it is written.

use crate::failure::Failure;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::PathBuf;

/// How one thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// A compiler compiles with the plugin.
    Works,
    /// Something else is there, and as it should be.
    Good,
    /// It is there, and does not do what it should.
    Fails,
    /// It is there, and of a version that the plugin does not fit.
    OtherVersion,
    /// It is there, and could not be tried.
    Untried,
    /// It is not there.
    Missing,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            State::Works => "works",
            State::Good => "good",
            State::Fails => "FAILS",
            State::OtherVersion => "other version",
            State::Untried => "not tried",
            State::Missing => "missing",
        }
    }
}

/// What is told of one thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What it is about: `plugin`, the name of a compiler, `gpu-runtime`, `gpu-driver`, `machine`.
    pub subject: &'static str,
    /// How that is.
    pub state: State,
    /// The file, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// Its version, where it says one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What was seen, in words.
    pub detail: String,
    /// What would help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl Finding {
    /// A finding without a file, a version and help.
    pub fn new(subject: &'static str, state: State, detail: impl Into<String>) -> Self {
        Self { subject, state, file: None, version: None, detail: detail.into(), help: None }
    }

    /// The same about a file.
    pub fn file(self, file: impl Into<PathBuf>) -> Self {
        Self { file: Some(file.into()), ..self }
    }

    /// The same with what would help.
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

/// A line for each finding, with what would help below it.
pub fn to_text(findings: &[Finding]) -> String {
    let mut text = format!("polyrs {}\n", env!("CARGO_PKG_VERSION"));
    for finding in findings {
        let _ = write!(text, "{:<11} {:<13}", finding.subject, finding.state.word());
        if let Some(file) = &finding.file {
            let _ = write!(text, " {}", file.display());
        }
        if let Some(version) = &finding.version {
            let _ = write!(text, " ({version})");
        }
        let between = if finding.file.is_some() && !finding.detail.is_empty() { ":" } else { "" };
        let separator = if finding.detail.is_empty() { "" } else { " " };
        let _ = writeln!(text, "{between}{separator}{}", finding.detail);
        if let Some(help) = &finding.help {
            let _ = writeln!(text, "{:25} help: {help}", "");
        }
    }
    text
}

/// All findings as one object. `format` grows when what is there changes its meaning.
pub fn to_json(findings: &[Finding], works: bool) -> Result<String, Failure> {
    let value = serde_json::json!({
        "format": 1,
        "version": env!("CARGO_PKG_VERSION"),
        "works": works,
        "findings": findings,
    });
    let text = serde_json::to_string_pretty(&value).map_err(|error| Failure::Failed(format!("error: {error}")))?;
    Ok(text + "\n")
}

#[cfg(test)]
mod tests {
    use super::{Finding, State, to_json, to_text};

    #[test]
    fn findings_are_lines() {
        let missing = Finding::new("flang", State::Missing, "no flang of LLVM 22").help("install it");
        let works =
            Finding { version: Some("22.1.8".into()), ..Finding::new("clang", State::Works, "").file("/bin/c") };
        let text = to_text(&[works, missing]);
        let lines: Vec<&str> = text.lines().skip(1).map(str::trim).collect();
        assert_eq!(
            lines,
            [
                "clang       works         /bin/c (22.1.8)",
                "flang       missing       no flang of LLVM 22",
                "help: install it"
            ]
        );
    }

    #[test]
    fn findings_are_json() {
        let text = to_json(&[Finding::new("opt", State::OtherVersion, "old").file("/bin/opt")], false).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["works"], false);
        assert_eq!(value["findings"][0]["state"], "other-version");
        assert_eq!(value["findings"][0]["file"], "/bin/opt");
    }
}
