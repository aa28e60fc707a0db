//! The lines in and out, as harness/contract.md has them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

#[derive(Clone, Debug, Deserialize)]
pub struct Trial {
    pub client: String,
    pub options: BTreeMap<String, Json>,
    pub scenario: Scenario,
    pub shape: Shape,
    pub workload: PathBuf,
    pub samples: usize,
    /// Whether `work` may have arrivals.
    #[serde(default)]
    pub open: bool,
    pub server: Server,
}

impl Trial {
    /// Whether an option has this value.
    pub fn has(&self, option: &str, value: &str) -> bool {
        let found = self.options.get(option);
        found.map(|found| found.as_str().map_or_else(|| found.to_string(), str::to_string)).as_deref() == Some(value)
    }

    /// What bounds how long callers wait, in a trial that is about it; None: in any other.
    pub fn limits(&self) -> Option<Limits> {
        match self.options.get("limits")?.as_str() {
            Some("1s") => Some(Limits::OneSecond),
            Some("strict") => Some(Limits::Strict),
            _ => Some(Limits::Installed),
        }
    }

    /// How many threads or tasks perform units of their own.
    pub fn walkers(&self) -> usize {
        match self.scenario {
            Scenario::Batching => self.shape.connections.unwrap_or(1),
            _ => self.shape.threads.unwrap_or(1),
        }
    }

    pub fn depth(&self) -> usize {
        self.shape.depth.unwrap_or(1)
    }

    /// How many units of a walker may be in flight.
    pub fn places(&self) -> usize {
        if self.shape.window == Some(Window::Sliding) { self.depth() } else { 1 }
    }
}

/// What bounds how long callers wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limits {
    /// Only what the library does by itself.
    Installed,
    /// A second, by the library's own options.
    OneSecond,
    /// The same, with what it takes to keep it.
    Strict,
}

impl Limits {
    pub fn is_bounded(self) -> bool {
        self != Limits::Installed
    }
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Scenario {
    Sync,
    Caching,
    Pipelining,
    Batching,
    Transaction,
    Threads,
    Pool,
    NewConnection,
}

/// Only the fields that the scenario has.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Shape {
    pub depth: Option<usize>,
    pub window: Option<Window>,
    pub form: Option<Form>,
    pub threads: Option<usize>,
    pub connections: Option<usize>,
    pub max_total: Option<usize>,
    pub cache_entries: Option<usize>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Window {
    Burst,
    Sliding,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    Queued,
    Batched,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Server {
    pub host: Option<String>,
    pub port: Option<u16>,
    pub unix_socket: Option<String>,
    pub database: u8,
    pub username: Option<String>,
    pub password: Option<String>,
    pub tls: Option<Tls>,
    /// Whether it is a node of a cluster.
    pub cluster: bool,
    /// Host and port of those that know the primary, if there are any.
    pub sentinels: Vec<(String, u16)>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Tls {
    pub ca_file: Option<PathBuf>,
    pub certificate_file: Option<PathBuf>,
    pub key_file: Option<PathBuf>,
    pub verify: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    Connect {},
    Echo(Echo),
    Work(Work),
    Samples {},
    KeepGoing(KeepGoing),
    Bare(Bare),
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Echo {
    /// Of the first walker.
    pub first: usize,
    pub commands: usize,
    pub bytes: usize,
}

#[derive(Debug, Deserialize)]
pub struct Work {
    /// The number of each walker's first command.
    pub first: Vec<usize>,
    pub lead_in_ns: u64,
    pub ns: u64,
    pub keep: bool,
    pub arrivals: Option<Arrivals>,
}

#[derive(Debug, Deserialize)]
pub struct Arrivals {
    pub file: PathBuf,
    pub at: u64,
    /// How many units are the lead-in's.
    pub lead_in: usize,
    pub drain_ns: u64,
    /// How long before a unit is due whoever waits for it reads the clock; None: the usual time.
    pub awake_ns: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub struct KeepGoing {
    /// The number of each walker's first command.
    pub first: Vec<usize>,
    pub due: Due,
    /// Where the begin and the end of each unit are written as they happen.
    pub log: PathBuf,
    /// Once this file exists, no unit begins.
    pub enough: PathBuf,
    /// Nor does any from this moment on.
    pub until: u64,
}

/// When units are due.
#[derive(Debug, Deserialize)]
pub struct Due {
    pub file: PathBuf,
    pub at: u64,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Bare {
    pub first: usize,
    pub ns: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Loaded { contract: u32, versions: BTreeMap<String, String>, settings: Map<String, Json> },
    Connected {},
    Replies(Vec<Json>),
    Worked(Worked),
    Samples(Samples),
    Went {},
    Bared { units: u64, started: Moment, ended: Moment },
    Started(Started),
    Unsupported(String),
}

/// How long each stage of a cold start took. The library is a part of the program: there is nothing to load.
#[derive(Debug, Serialize)]
pub struct Started {
    pub main_ns: u64,
    pub create_ns: u64,
    pub connect_ns: u64,
    pub first_ns: u64,
    pub reply: Json,
    pub versions: BTreeMap<String, String>,
}

/// The clock, and the user and system CPU time of this process, in ns.
pub type Moment = [u64; 3];

#[derive(Debug, Serialize)]
pub struct Worked {
    pub started: Moment,
    pub measured_from: Moment,
    pub ended: Moment,
    pub lead_in: Vec<usize>,
    pub measured: Vec<usize>,
    pub errors: BTreeMap<String, u64>,
    pub first_error: Option<String>,
    pub cache: Option<CacheCounts>,
}

/// What the client's own cache did, since the beginning or since the slice before.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct CacheCounts {
    pub hits: usize,
    pub misses: usize,
    pub invalidations: usize,
}

impl CacheCounts {
    pub fn since(self, before: CacheCounts) -> CacheCounts {
        CacheCounts {
            hits: self.hits - before.hits,
            misses: self.misses - before.misses,
            invalidations: self.invalidations - before.invalidations,
        }
    }
}

/// Columns are base64 of little-endian float64.
#[derive(Debug, Serialize)]
pub struct Samples {
    pub latencies: String,
    pub counts: Vec<usize>,
    pub dropped: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lags: Option<String>,
}
