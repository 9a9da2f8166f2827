//! Choices that were measured: what `polyrs tune` writes and the passes read (docs/tune.md).
//!
//! | file | what |
//! |---|---|
//! | `key.rs` | what says that a region, a machine and options are the same as before |
//! | `file.rs` | the file of choices |
//! | `offer.rs` | the candidates of a region that are worth a measurement, and their text |
//! | `rank.rs` | how well predictions rank what was measured |

mod file;
mod key;
mod offer;
mod rank;

pub use file::{Choice, Entry, Found, Measured, ReadError, Tuned};
pub use key::{Identity, model_key};
pub use offer::{Offer, Offered, offer, spread};
pub use rank::spearman;
