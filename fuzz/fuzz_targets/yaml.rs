//! See `attache_fuzz::yaml`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| attache_fuzz::yaml(data));
