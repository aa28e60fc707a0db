//! The compiler's version, for the line `loaded`.

use std::env;
use std::process::Command;

fn main() {
    let rustc = env::var_os("RUSTC").expect("Cargo names the compiler");
    let said = Command::new(rustc).arg("--version").output().expect("the compiler starts").stdout;
    let said = String::from_utf8_lossy(&said);
    // rustc 1.95.0 (abcdef123 2026-01-01)
    println!("cargo::rustc-env=RUSTC_VERSION={}", said.split(' ').nth(1).unwrap_or_default().trim());
    println!("cargo::rerun-if-changed=build.rs");
}
