//! Logs for developers, on standard error: `POLYRS_LOG=debug`, or `POLYRS_LOG=polyrs::isl=trace`.

use std::sync::Once;

use polyrs_core::log_filter::{VARIABLE, complaint};
use tracing_subscriber::EnvFilter;

/// Wrong words are told once.
static TOLD: Once = Once::new();

/// Starts logging. Called when the plugin is loaded, perhaps more than once; the first call counts. Nothing is logged
/// without the variable, or where it makes no sense.
pub fn start() {
    if let Some(wrong) = std::env::var(VARIABLE).ok().and_then(|value| complaint(&value)) {
        TOLD.call_once(|| eprintln!("warning: polyrs: {wrong}"));
        return;
    }
    let Ok(filter) = EnvFilter::try_from_env(VARIABLE) else {
        return;
    };
    let started = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .without_time()
        .try_init();
    if started.is_ok() {
        tracing::debug!(version = env!("CARGO_PKG_VERSION"), "the plugin is loaded");
    }
}
