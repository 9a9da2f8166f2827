//! Logs for developers, on standard error: `POLYRS_LOG=debug`, or `POLYRS_LOG=polyrs::isl=trace`.

use tracing_subscriber::EnvFilter;

/// The variable that says what is logged; nothing is without it.
const VARIABLE: &str = "POLYRS_LOG";

/// Starts logging. Called when the plugin is loaded, perhaps more than once; the first call counts.
pub fn start() {
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
