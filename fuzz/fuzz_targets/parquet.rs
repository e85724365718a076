//! The target `parquet` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arr_fuzz::must("parquet", bytes));
