//! See `attache_fuzz::lockfile`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| attache_fuzz::lockfile(data));
