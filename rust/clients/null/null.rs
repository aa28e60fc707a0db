//! No client: its commands do nothing, and a trial of it shows what the loops cost every client.

use std::hint::black_box;
use std::process::ExitCode;

use respmark::{
    AsyncClient, Asynchronous, Blocking, Client, Command, Commands, Failure, Library, Reply, Scenario, Trial,
};

type Replied = Result<Reply<Vec<u8>>, Failure>;
type AllReplied = Result<Vec<Reply<Vec<u8>>>, Failure>;

fn main() -> ExitCode {
    respmark::main(load)
}

fn load(trial: &Trial) -> Result<Library, Failure> {
    let library = match trial.scenario {
        Scenario::Pipelining | Scenario::Threads => Library::asynchronous(Null),
        _ => Library::blocking(Null),
    };
    Ok(library.version("null", "0"))
}

/// A library, and its connection to nowhere, which replies at once.
#[derive(Clone)]
struct Null;

fn reply(command: Command<'_>) -> Reply<Vec<u8>> {
    black_box(command);
    black_box(Reply::Value(None))
}

impl Blocking for Null {
    type Client = Null;

    fn connect(&self) -> Result<Null, Failure> {
        Ok(Null)
    }

    fn pool(&self, _max_total: usize) -> Result<impl Client + Clone, Failure> {
        Ok(Null)
    }
}

impl Client for Null {
    type Value = Vec<u8>;

    fn call(&mut self, command: Command<'_>) -> Replied {
        Ok(reply(command))
    }

    fn batch(&mut self, commands: Commands<'_>) -> AllReplied {
        Ok(commands.map(reply).collect())
    }

    fn transaction(&mut self, commands: Commands<'_>) -> AllReplied {
        Ok(commands.map(reply).collect())
    }
}

impl Asynchronous for Null {
    type Client = Null;

    async fn connect(&self) -> Result<Null, Failure> {
        Ok(Null)
    }
}

impl AsyncClient for Null {
    type Value = Vec<u8>;

    async fn call(&mut self, command: Command<'_>) -> Replied {
        Ok(reply(command))
    }
}
