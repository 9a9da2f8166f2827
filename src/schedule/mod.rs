//! From dependences to a schedule tree.

mod constraints;
mod library;
mod original;
mod pending;
#[cfg(test)]
mod tests;

pub use constraints::constraints;
pub use library::{Options as LibraryOptions, library};
pub use original::original;
pub use pending::Pending;
