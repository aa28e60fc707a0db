//! fred as its README uses it: `fred HOST PORT sync|batching KEY_PREFIX`. The first line of input is the password, perhaps
//! empty; each of the others is a turn, in seconds.

use std::env;
use std::error::Error;
use std::io;
use std::iter;
use std::time::{Duration, Instant};

use fred::bytes::Bytes;
use fred::prelude::*;

const BATCH: usize = 100;

/// GETs have no value.
type Group = Vec<(String, Option<Bytes>)>;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    // In a task, as a server's handlers: what main itself awaits runs on a thread that is none of tokio's workers.
    tokio::spawn(work()).await?
}

async fn work() -> Result<(), Box<dyn Error + Send + Sync>> {
    let [host, port, scenario, prefix] = env::args().skip(1).collect::<Vec<_>>().try_into().expect("four arguments");
    let mut lines = iter::from_fn(|| io::stdin().lines().next()); // which locks no longer than it reads
    let password = lines.next().expect("a first line")?;
    let config = Config {
        server: ServerConfig::new_centralized(host, port.parse()?),
        password: (!password.is_empty()).then_some(password),
        ..Config::default()
    };
    let client = Builder::from_config(config).build()?;
    client.init().await?;
    let groups = made(&prefix);
    let mut next = groups.iter().cycle();
    println!("ready");
    for line in lines {
        let (turn, mut operations) = (Duration::from_secs_f64(line?.parse()?), 0);
        let started = Instant::now();
        while started.elapsed() < turn {
            let group = next.next().expect("a cycle has no end");
            if scenario == "batching" {
                batching(&client, group).await?
            } else {
                sync(&client, group).await?
            }
            operations += BATCH;
        }
        println!("{operations} {}", started.elapsed().as_nanos());
    }
    client.quit().await?;
    Ok(())
}

async fn sync(client: &Client, group: &Group) -> FredResult<()> {
    for (key, value) in group {
        match value {
            None => drop(client.get::<Option<Bytes>, _>(key).await?),
            Some(value) => client.set::<(), _, _>(key, value.clone(), None, None, false).await?,
        }
    }
    Ok(())
}

async fn batching(client: &Client, group: &Group) -> FredResult<()> {
    let pipeline = client.pipeline();
    for (key, value) in group {
        match value {
            None => pipeline.get::<(), _>(key).await?,
            Some(value) => pipeline.set::<(), _, _>(key, value.clone(), None, None, false).await?,
        }
    }
    pipeline.all::<Vec<Option<Bytes>>>().await?;
    Ok(())
}

/// Returns 1,000 groups of commands: four in five are GETs.
fn made(prefix: &str) -> Vec<Group> {
    let mut state = 1_u64;
    let mut draw = move || {
        // splitmix64
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut size = || {
        let gauss = (-2.0 * (1.0 - draw()).ln()).sqrt() * (std::f64::consts::TAU * draw()).cos();
        (1024.0 + 262.7 * gauss).clamp(4.0, 2048.0) as usize
    };
    let values: Vec<Bytes> = (0..500).map(|number| Bytes::from(vec![number as u8; size()])).collect();
    let mut command = || match draw() < 0.8 {
        true => (format!("{prefix}{:07}", (37_500.0 * draw()) as u32), None),
        false => {
            (format!("{prefix}{:07}", (30_000.0 * draw()) as u32), Some(values[(500.0 * draw()) as usize].clone()))
        }
    };
    (0..1_000).map(|_| (0..BATCH).map(|_| command()).collect()).collect()
}
