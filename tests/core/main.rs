//! Tests of the core as its users see it, and of the house itself: one program, so that the core is linked once.

mod checkers;
mod command;
mod documents;
mod draw;
mod import_cycles;
mod isl_inputs;
mod numbers;
mod papers;
mod post_tile;
mod readers;
mod reduce;
mod regions;
mod schedule_table;
mod schedules;
mod scop_files;
mod strategies;
mod unified;
mod walls;
