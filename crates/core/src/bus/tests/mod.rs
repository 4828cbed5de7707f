//! The rules of the bus, by example.

mod receiver;
