//! Raising on functions as plain data, without LLVM.

mod description;
mod early_rejection;
mod fixture;
mod no_wrap;
mod origin;
mod regions;
mod structure;
