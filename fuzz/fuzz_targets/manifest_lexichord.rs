//! See `attache_fuzz::manifest_lexichord`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| attache_fuzz::manifest_lexichord(data));
