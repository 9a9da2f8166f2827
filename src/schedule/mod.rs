//! From dependences to a schedule tree.

mod constraints;
mod library;
#[cfg(test)]
mod tests;

pub use constraints::constraints;
pub use library::{Options as LibraryOptions, library};
