//! polyrs: the polyhedral core.
