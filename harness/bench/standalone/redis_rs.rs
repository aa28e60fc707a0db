//! redis-rs as its README uses it: `redis_rs HOST PORT sync|batching KEY_PREFIX`. The first line of input is the
//! password, perhaps empty; each of the others is a turn, in seconds.

use std::env;
use std::error::Error;
use std::io;
use std::time::{Duration, Instant};

use redis::{Commands, Connection, ConnectionAddr, IntoConnectionInfo, RedisResult};

const BATCH: usize = 100;

/// GETs have no value.
type Group = Vec<(String, Option<Vec<u8>>)>;

fn main() -> Result<(), Box<dyn Error>> {
    let [host, port, scenario, prefix] = env::args().skip(1).collect::<Vec<_>>().try_into().expect("four arguments");
    let mut lines = io::stdin().lines();
    let password = lines.next().expect("a first line")?;
    let server = ConnectionAddr::Tcp(host, port.parse()?).into_connection_info()?;
    let login = server.redis_settings().clone().set_password(password.as_str());
    let server = if password.is_empty() { server } else { server.set_redis_settings(login) };
    let mut connection = redis::Client::open(server)?.get_connection()?;
    let perform = if scenario == "batching" { batching } else { sync };
    let groups = made(&prefix);
    let mut next = groups.iter().cycle();
    println!("ready");
    for line in lines {
        let (turn, mut operations) = (Duration::from_secs_f64(line?.parse()?), 0);
        let started = Instant::now();
        while started.elapsed() < turn {
            perform(&mut connection, next.next().expect("a cycle has no end"))?;
            operations += BATCH;
        }
        println!("{operations} {}", started.elapsed().as_nanos());
    }
    Ok(())
}

fn sync(connection: &mut Connection, group: &Group) -> RedisResult<()> {
    for (key, value) in group {
        match value {
            None => drop(connection.get::<_, Option<Vec<u8>>>(key)?),
            Some(value) => connection.set::<_, _, ()>(key, value)?,
        }
    }
    Ok(())
}

fn batching(connection: &mut Connection, group: &Group) -> RedisResult<()> {
    let mut pipe = redis::pipe();
    for (key, value) in group {
        match value {
            None => pipe.get(key),
            Some(value) => pipe.set(key, value).ignore(),
        };
    }
    pipe.query::<Vec<Option<Vec<u8>>>>(connection)?;
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
    let values: Vec<Vec<u8>> = (0..500).map(|number| vec![number as u8; size()]).collect();
    let mut command = || match draw() < 0.8 {
        true => (format!("{prefix}{:07}", (37_500.0 * draw()) as u32), None),
        false => {
            (format!("{prefix}{:07}", (30_000.0 * draw()) as u32), Some(values[(500.0 * draw()) as usize].clone()))
        }
    };
    (0..1_000).map(|_| (0..BATCH).map(|_| command()).collect()).collect()
}
