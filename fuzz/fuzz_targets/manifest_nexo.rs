//! See `attache_fuzz::manifest_nexo`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| attache_fuzz::manifest_nexo(data));
