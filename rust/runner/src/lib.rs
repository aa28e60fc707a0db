//! The Rust runner's core: reads JSON lines, prints JSON lines, as harness/contract.md says. It knows no library; each
//! client is a program that calls [`main`] with its adapter.

mod arrivals;
mod clock;
mod cold_start;
mod keep_going;
mod lines;
mod reply;
mod samples;
mod tasks;
mod threads;
mod timer;
mod walkers;
mod workload;

use std::collections::BTreeMap;
use std::env;
use std::fmt;
use std::io::{self, BufRead, Write};
use std::panic;
use std::process::{self, ExitCode};
use std::sync::Arc;

pub use bytes::Bytes;
pub use serde_json::{Map, Value as Json, json};

pub use crate::lines::{CacheCounts, Form, Limits, Scenario, Server, Shape, Tls, Trial, Window};
pub use crate::reply::{Decoded, Reply};
pub use crate::tasks::{AsyncClient, Asynchronous};
pub use crate::threads::{Blocking, Client};
pub use crate::walkers::{Prepared, Walkers};
pub use crate::workload::{Command, Commands, Raw, Step};

use crate::cold_start::FirstReply;
use crate::lines::{Answer, Order};

/// What sentinels call the primary that they watch.
pub const WATCHED: &str = "respmark";

const CONTRACT: u32 = 4;
/// Makes the program one that starts, sends one command and has its reply.
const COLD_START: &str = "--cold-start";

/// A library that is loaded, for one trial.
pub struct Library {
    /// What is really in use: the library under the client's name, and what changes how it works.
    pub versions: BTreeMap<String, String>,
    /// What a reader must know.
    pub settings: Map<String, Json>,
    /// Opens every connection.
    connect: Box<dyn Fn(Prepared) -> Result<Walkers, Failure>>,
    /// Opens a connection, and sends one command.
    first: First,
}

type First = Box<dyn Fn(&Prepared) -> Result<FirstReply, Failure>>;

impl Library {
    /// One whose calls block.
    pub fn blocking<L: Blocking>(library: L) -> Library {
        let library = Arc::new(library);
        let same = library.clone();
        Library::new(
            move |prepared| threads::connect(&library, prepared),
            move |prepared| threads::first_reply(&*same, prepared),
        )
    }

    /// One whose calls are futures.
    pub fn asynchronous<L: Asynchronous>(library: L) -> Library {
        let library = Arc::new(library);
        let same = library.clone();
        Library::new(
            move |prepared| tasks::connect(&library, prepared),
            move |prepared| tasks::first_reply(&*same, prepared),
        )
    }

    fn new(
        connect: impl Fn(Prepared) -> Result<Walkers, Failure> + 'static,
        first: impl Fn(&Prepared) -> Result<FirstReply, Failure> + 'static,
    ) -> Library {
        let (connect, first) = (Box::new(connect), Box::new(first));
        Library { versions: BTreeMap::new(), settings: Map::new(), connect, first }
    }

    pub fn version(mut self, name: &str, version: &str) -> Library {
        self.versions.insert(name.to_string(), version.to_string());
        self
    }

    pub fn setting(mut self, name: &str, value: impl Into<Json>) -> Library {
        self.settings.insert(name.to_string(), value.into());
        self
    }
}

/// Why something was not done.
#[derive(Clone, Debug)]
pub enum Failure {
    /// This machine or this server cannot do it.
    Unsupported(String),
    /// The library's own words, and its class of them.
    Library { class: String, text: String },
}

impl Failure {
    pub fn new(class: impl Into<String>, text: impl fmt::Display) -> Failure {
        Failure::Library { class: class.into(), text: text.to_string() }
    }

    fn class(&self) -> &str {
        match self {
            Failure::Unsupported(_) => "Unsupported",
            Failure::Library { class, .. } => class,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Unsupported(text) | Failure::Library { text, .. } => formatter.write_str(text),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::new("io::Error", error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Failure {
        Failure::new("serde_json::Error", error)
    }
}

fn unsupported(scenario: &str) -> Failure {
    Failure::Unsupported(format!("the adapter has no {scenario}"))
}

/// Returns a package's version in a `Cargo.lock`: what Cargo has compiled in.
pub fn locked(lock: &str, package: &str) -> String {
    let version = lock.split_once(&format!("name = \"{package}\"\nversion = \"")).map(|(_, after)| after);
    version.and_then(|after| after.split('"').next()).unwrap_or_default().to_string()
}

/// Carries out one trial after the other, with what `load` makes of each.
pub fn main(load: fn(&Trial) -> Result<Library, Failure>) -> ExitCode {
    let main_ns = clock::now();
    // The other threads would wait for one that panics.
    panic::set_hook(Box::new(|info| {
        eprintln!("panic: {}", info.to_string().replace('\n', " "));
        process::exit(1);
    }));
    let is_cold_start = env::args().any(|argument| argument == COLD_START);
    match if is_cold_start {
        cold_start::answer_line(load, main_ns, io::stdin().lock(), &mut io::stdout())
    } else {
        answer_lines(load, io::stdin().lock(), &mut io::stdout())
    } {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{}: {}", failure.class(), failure.to_string().replace('\n', " "));
            ExitCode::FAILURE
        }
    }
}

fn answer_lines(
    load: fn(&Trial) -> Result<Library, Failure>,
    input: impl BufRead,
    output: &mut impl Write,
) -> Result<(), Failure> {
    let mut state = State::Idle;
    for line in input.lines() {
        let line: Json = serde_json::from_str(&line?)?;
        let answer = match if line.get("client").is_some() {
            state.begin(load, serde_json::from_value(line)?)
        } else {
            state.answer(serde_json::from_value(line)?)
        } {
            Err(Failure::Unsupported(reason)) => Answer::Unsupported(reason),
            answer => answer?,
        };
        serde_json::to_writer(&mut *output, &answer)?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    state.close();
    Ok(())
}

/// How far a trial has come.
enum State {
    Idle,
    Loaded(Library, Prepared),
    Connected(Walkers),
}

impl State {
    /// Ends the trial before, and loads the next one.
    fn begin(&mut self, load: fn(&Trial) -> Result<Library, Failure>, trial: Trial) -> Result<Answer, Failure> {
        std::mem::replace(self, State::Idle).close();
        let (library, prepared) = (load(&trial)?, Prepared::new(trial)?);
        let library = library.version("Rust", env!("RUSTC_VERSION"));
        let (versions, settings) = (library.versions.clone(), library.settings.clone());
        *self = State::Loaded(library, prepared);
        Ok(Answer::Loaded { contract: CONTRACT, versions, settings })
    }

    fn answer(&mut self, order: Order) -> Result<Answer, Failure> {
        let walkers = match self {
            State::Connected(walkers) => walkers,
            _ => return self.connect(),
        };
        Ok(match order {
            Order::Connect {} => Answer::Connected {},
            Order::Echo(order) => Answer::Replies(walkers.echo(order)?),
            Order::Work(order) => Answer::Worked(walkers.work(&order)?),
            Order::Samples {} => Answer::Samples(walkers.samples()),
            Order::KeepGoing(order) => {
                walkers.keep_going(order)?;
                Answer::Went {}
            }
            Order::Bare(order) => walkers.bare(order)?,
        })
    }

    fn connect(&mut self) -> Result<Answer, Failure> {
        if let State::Loaded(library, prepared) = std::mem::replace(self, State::Idle) {
            *self = State::Connected((library.connect)(prepared)?);
        }
        Ok(Answer::Connected {})
    }

    fn close(self) {
        if let State::Connected(walkers) = self {
            walkers.close();
        }
    }
}

#[cfg(test)]
mod tests;
