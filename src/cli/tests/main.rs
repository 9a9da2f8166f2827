//! Tests of the command `polyrs`, as one program.

mod command;
mod draw;
mod reduce;
