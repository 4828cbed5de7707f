//! Requests to the operating system that differ between systems: one file for Linux, one for the others.

pub mod confine;
