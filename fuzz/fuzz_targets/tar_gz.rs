//! See `attache_fuzz::archive`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| attache_fuzz::archive(data));
