//! Clusters: a `ClusterConnection` that blocks, or that of `cluster_async`, whose clones share a connection to each node.

use std::marker::PhantomData;

use redis::cluster::{ClusterClient, ClusterClientBuilder, ClusterConnection, ClusterPipeline};
use redis::{ConnectionInfo, Value, cluster_async};
use respmark::{
    AsyncClient, Asynchronous, Blocking, CacheCounts, Client, Command, Commands, Failure, Library, Limits, Reply, Step,
    Trial,
};

use crate::{LIMIT, Sender, Text, cache_config, decoded, failure, filled, given, pipe, sent, sent_async, spelled};

pub fn library<V: Text>(trial: &Trial, node: ConnectionInfo) -> Result<Library, Failure> {
    let client = builder(trial, &node).build().map_err(failure)?;
    let cluster = Cluster::<V> { trial: trial.clone(), node, client, decoded: PhantomData };
    Ok(if trial.has("api", "sync") { Library::blocking(cluster) } else { Library::asynchronous(cluster) })
}

fn builder(trial: &Trial, node: &ConnectionInfo) -> ClusterClientBuilder {
    let mut builder = ClusterClient::builder([node.clone()]).tcp_settings(node.tcp_settings().clone());
    if trial.has("reads", "replica") {
        // Version 1.2 has another name for it.
        #[allow(deprecated)]
        let reading = builder.read_from_replicas();
        builder = reading;
    }
    if let Some(limits) = trial.limits().filter(|limits| limits.is_bounded()) {
        builder = builder.connection_timeout(LIMIT).response_timeout(LIMIT);
        if limits == Limits::Strict {
            builder = builder.retries(0);
        }
    }
    builder
}

/// The library, for values of type `V`.
struct Cluster<V> {
    trial: Trial,
    node: ConnectionInfo,
    client: ClusterClient,
    decoded: PhantomData<fn() -> V>,
}

impl<V: Text> Blocking for Cluster<V> {
    type Client = Sender<ClusterConnection, V>;

    fn connect(&self) -> Result<Self::Client, Failure> {
        Ok(Sender(self.client.get_connection().map_err(failure)?, PhantomData))
    }

    fn pool(&self, max_total: usize) -> Result<impl Client + Clone, Failure> {
        crate::pool::<_, V>(crate::pool_builder(max_total, self.trial.limits()), self.client.clone())
    }
}

impl<V: Text> Client for Sender<ClusterConnection, V> {
    type Value = V;

    fn call(&mut self, command: Command<'_>) -> Result<Reply<V>, Failure> {
        sent(&mut self.0, command)
    }

    fn batch(&mut self, commands: Commands<'_>) -> Result<Vec<Reply<V>>, Failure> {
        let pipe = filled!(ClusterPipeline::with_capacity(commands.len()), commands);
        decoded(pipe.query::<Vec<Value>>(&mut self.0).map_err(failure)?)
    }
}

impl<V: Text> Asynchronous for Cluster<V> {
    type Client = Sender<cluster_async::ClusterConnection, V>;

    async fn connect(&self) -> Result<Self::Client, Failure> {
        Ok(Sender(self.client.get_async_connection().await.map_err(failure)?, PhantomData))
    }

    async fn cached(&self, entries: usize) -> Result<Self::Client, Failure> {
        let caching = builder(&self.trial, &self.node).cache_config(cache_config(entries)).build().map_err(failure)?;
        Ok(Sender(caching.get_async_connection().await.map_err(failure)?, PhantomData))
    }

    async fn pool(&self, max_total: usize) -> Result<impl AsyncClient, Failure> {
        crate::async_pool::<_, V>(self.client.clone(), max_total).await
    }
}

impl<V: Text> AsyncClient for Sender<cluster_async::ClusterConnection, V> {
    type Value = V;

    async fn call(&mut self, command: Command<'_>) -> Result<Reply<V>, Failure> {
        sent_async(&mut self.0, command).await
    }

    async fn batch(&mut self, commands: Commands<'_>) -> Result<Vec<Reply<V>>, Failure> {
        decoded(pipe(commands).query_async(&mut self.0).await.map_err(failure)?)
    }

    async fn transaction(&mut self, commands: Commands<'_>) -> Result<Vec<Reply<V>>, Failure> {
        decoded(pipe(commands).atomic().query_async(&mut self.0).await.map_err(failure)?)
    }

    fn counts(&self) -> Option<CacheCounts> {
        crate::cache_counts(self.0.get_cache_statistics())
    }
}
