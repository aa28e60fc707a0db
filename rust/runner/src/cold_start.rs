//! A cold start: the program takes its library to a first reply, says how long each stage took, and ends.

use std::io::{BufRead, Write};

use serde_json::Value as Json;

use crate::clock::now;
use crate::lines::{Answer, Started, Trial};
use crate::walkers::Prepared;
use crate::{Failure, Library};

/// What comes after the library has been set up for its trial.
pub struct FirstReply {
    /// What the client needs besides, such as a runtime.
    pub create_ns: u64,
    pub connect_ns: u64,
    pub first_ns: u64,
    pub reply: Json,
}

/// Answers the only line, which is a trial.
pub fn answer_line(
    load: fn(&Trial) -> Result<Library, Failure>,
    main_ns: u64,
    mut input: impl BufRead,
    output: &mut impl Write,
) -> Result<(), Failure> {
    let mut line = String::new();
    input.read_line(&mut line)?;
    let answer = match start(load, main_ns, serde_json::from_str(&line)?) {
        Err(Failure::Unsupported(reason)) => Answer::Unsupported(reason),
        answer => Answer::Started(answer?),
    };
    serde_json::to_writer(&mut *output, &answer)?;
    Ok(output.write_all(b"\n")?)
}

fn start(load: fn(&Trial) -> Result<Library, Failure>, main_ns: u64, trial: Trial) -> Result<Started, Failure> {
    let (library, create_ns) = timed(|| load(&trial))?;
    let prepared = Prepared::new(trial)?;
    let found = (library.first)(&prepared)?;
    let versions = library.version("Rust", env!("RUSTC_VERSION")).versions;
    let FirstReply { connect_ns, first_ns, reply, .. } = found;
    Ok(Started { main_ns, create_ns: create_ns + found.create_ns, connect_ns, first_ns, reply, versions })
}

/// Returns what a stage returns, and the nanoseconds that it took.
pub fn timed<T>(stage: impl FnOnce() -> Result<T, Failure>) -> Result<(T, u64), Failure> {
    let began = now();
    let result = stage()?;
    Ok((result, now() - began))
}
