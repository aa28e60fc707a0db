// Package main measures go-redis.
package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/redis/go-redis/v9"

	"respmark/runner"
)

func main() {
	runner.Main("github.com/redis/go-redis/v9", load)
}

var ctx = context.Background()

// A sender sends commands, or puts them into a pipeline.
type sender interface {
	redis.Cmdable
	Do(ctx context.Context, words ...any) *redis.Cmd
}

// A method sends a command of the workload.
type method func(on sender, w *runner.Commands, i int) redis.Cmder

var methods = map[string]method{
	"GET": func(on sender, w *runner.Commands, i int) redis.Cmder { return on.Get(ctx, w.Key(i)) },
	"SET": func(on sender, w *runner.Commands, i int) redis.Cmder {
		return on.Set(ctx, w.Key(i), w.Value(i), 0)
	},
	"PING": func(on sender, _ *runner.Commands, _ int) redis.Cmder { return on.Ping(ctx) },
	"SETEX": func(on sender, w *runner.Commands, i int) redis.Cmder {
		return on.SetEx(ctx, w.Key(i), w.Value(i), seconds(w.Number(i, 0)))
	},
	"GETRANGE": func(on sender, w *runner.Commands, i int) redis.Cmder {
		return on.GetRange(ctx, w.Key(i), w.Number(i, 0), w.Number(i, 1))
	},
	"MGET": func(on sender, w *runner.Commands, i int) redis.Cmder { return on.MGet(ctx, w.Several(i)...) },
	"MSET": func(on sender, w *runner.Commands, i int) redis.Cmder { return on.MSet(ctx, w.Several(i)) },
	"EXPIRE": func(on sender, w *runner.Commands, i int) redis.Cmder {
		return on.Expire(ctx, w.Key(i), seconds(w.Number(i, 0)))
	},
	"INCRBY": func(on sender, w *runner.Commands, i int) redis.Cmder {
		return on.IncrBy(ctx, w.Key(i), w.Number(i, 0))
	},
	"LPUSH": func(on sender, w *runner.Commands, i int) redis.Cmder {
		return on.LPush(ctx, w.Key(i), w.Value(i))
	},
	"LTRIM": func(on sender, w *runner.Commands, i int) redis.Cmder {
		return on.LTrim(ctx, w.Key(i), w.Number(i, 0), w.Number(i, 1))
	},
	"LRANGE": func(on sender, w *runner.Commands, i int) redis.Cmder {
		return on.LRange(ctx, w.Key(i), w.Number(i, 0), w.Number(i, 1))
	},
	"HGETALL": func(on sender, w *runner.Commands, i int) redis.Cmder { return on.HGetAll(ctx, w.Key(i)) },
	"SADD": func(on sender, w *runner.Commands, i int) redis.Cmder {
		return on.SAdd(ctx, w.Key(i), w.Value(i))
	},
	"ZADD": func(on sender, w *runner.Commands, i int) redis.Cmder {
		return on.ZAdd(ctx, w.Key(i), redis.Z{Score: w.Score(i), Member: w.Value(i)})
	},
	runner.AnyCommand: func(on sender, w *runner.Commands, i int) redis.Cmder {
		return on.Do(ctx, w.Raw(i).Words...)
	},
}

func seconds(count int64) time.Duration {
	return time.Duration(count) * time.Second
}

// reply hands over what a command was answered.
func reply(command redis.Cmder, replies *runner.Replies) error {
	switch command := command.(type) {
	case *redis.StringCmd:
		return replies.Text(command.Result())
	case *redis.StatusCmd:
		return replies.Text(command.Result())
	case *redis.IntCmd:
		return replies.Number(command.Result())
	case *redis.BoolCmd:
		return replies.Truth(command.Result())
	case *redis.StringSliceCmd:
		return replies.Texts(command.Result())
	case *redis.SliceCmd:
		return replies.Mixed(command.Result())
	case *redis.MapStringStringCmd:
		return replies.Pairs(command.Result())
	case *redis.Cmd:
		return replies.Any(command.Result())
	}
	return fmt.Errorf("the adapter does not read the reply of a %T", command)
}

// An adapter is go-redis in one configuration.
type adapter struct {
	trial    *runner.Trial
	commands *runner.Commands
	methods  []method
	options  redis.UniversalOptions
	cache    *client
	counted  cacheStats
}

func load(trial *runner.Trial, commands *runner.Commands) (runner.Adapter, error) {
	bound, err := runner.Bind(commands, methods)
	if err != nil {
		return nil, err
	}
	tls, err := trial.Server.TLS.Config()
	if err != nil {
		return nil, err
	}
	_, address := trial.Server.Address()
	options := redis.UniversalOptions{
		Addrs: []string{address}, TLSConfig: tls, DB: trial.Server.Database,
		Username: trial.Server.Username, Password: trial.Server.Password,
		ReadOnly: trial.Is("reads", "replica"), RouteRandomly: trial.Is("reads", "any"),
	}
	if trial.Is("protocol", "2") {
		speakResp2(&options)
	}
	if sentinels := trial.Server.SentinelAddresses(); sentinels != nil {
		options.MasterName, options.Addrs = runner.Watched, sentinels
		options.SentinelPassword = trial.Server.Password
	}
	setLimits(&options, trial)
	return &adapter{trial: trial, commands: commands, methods: bound, options: options}, nil
}

func (a *adapter) Settings() map[string]any {
	return nil
}

func (a *adapter) Null() error {
	return redis.Nil
}

// The size of a pool for each processor, as installed: a client's, and that of each node of a cluster.
const (
	installedSize     = 10
	installedNodeSize = 5
)

// Connect returns a client whose pool, or each of whose pools, has a connection for each goroutine.
func (a *adapter) Connect(goroutines int) (runner.Client, error) {
	options, size := a.options, installedSize
	if a.trial.Server.Cluster {
		size = installedNodeSize
	}
	if goroutines > size*runtime.GOMAXPROCS(0) {
		options.PoolSize = goroutines
	}
	return a.client(&options)
}

// Pool returns a client whose goroutines wait for a connection.
func (a *adapter) Pool(_, maxTotal, maxIdle int) (runner.Client, error) {
	options := a.options
	options.PoolSize, options.MaxIdleConns = maxTotal, maxIdle
	if !a.trial.HasLimits() {
		options.PoolTimeout = seconds(runner.PoolWaitS)
	}
	return a.client(&options)
}

// client returns a client, which pipelines automatically where the option says so and several commands are under way.
func (a *adapter) client(options *redis.UniversalOptions) (*client, error) {
	made := &client{adapter: a, redis: a.connect(options)}
	made.on = made.redis
	if a.trial.Is("limits", "strict") {
		made.redis.AddHook(deadline{})
	}
	hasSeveral := a.trial.Scenario == "pipelining" || a.trial.Scenario == "threads"
	if hasSeveral && a.trial.Is("api", "auto-pipeline") {
		return made, made.pipelineAutomatically()
	}
	return made, nil
}

func (a *adapter) connect(options *redis.UniversalOptions) redis.UniversalClient {
	if a.trial.Server.Cluster {
		return redis.NewClusterClient(options.Cluster())
	}
	if options.MasterName != "" {
		return redis.NewFailoverClient(options.Failover())
	}
	return redis.NewClient(options.Simple())
}

// A client is a redis.Client, which may ask sentinels for its server, or a redis.ClusterClient.
type client struct {
	*adapter
	redis redis.UniversalClient
	// What commands are sent on.
	on sender
}

// Open opens connections, in a cluster to each node: any goroutine's commands may be for any.
func (c *client) Open(connections int) error {
	open := func(_ context.Context, node *redis.Client) error { return c.openOn(node, connections) }
	if cluster, isOne := c.redis.(*redis.ClusterClient); isOne {
		if c.options.ReadOnly || c.options.RouteRandomly {
			return cluster.ForEachShard(ctx, open)
		}
		return cluster.ForEachMaster(ctx, open)
	}
	return open(ctx, c.redis.(*redis.Client))
}

// openOn opens connections. CLIENT ID is a command that every server has, and that changes nothing.
func (c *client) openOn(node *redis.Client, connections int) error {
	switch {
	case c.usesPipelines():
		_, err := node.Pipelined(ctx, func(pipeline redis.Pipeliner) error { return pipeline.ClientID(ctx).Err() })
		return err
	case connections == 1:
		return node.ClientID(ctx).Err()
	}
	var held []*redis.Conn
	defer func() {
		for _, connection := range held {
			_ = connection.Close() // gives it back
		}
	}()
	for range connections {
		connection := node.Conn()
		held = append(held, connection)
		if err := connection.ClientID(ctx).Err(); err != nil {
			return err
		}
	}
	return nil
}

// usesPipelines says whether units are pipelines: since version 9.23, these have a pool of their own.
func (c *client) usesPipelines() bool {
	scenario := c.trial.Scenario
	return scenario == "batching" || scenario == "transaction" || c.on != sender(c.redis)
}

func (c *client) Command() runner.Unit {
	return func(first int, replies *runner.Replies) error {
		return reply(c.send(c.on, first), replies)
	}
}

func (c *client) send(on sender, i int) redis.Cmder {
	return c.methods[c.commands.Step(i)](on, c.commands, i)
}

func (c *client) Batch(depth int) runner.Unit {
	return c.pipelined(c.redis.Pipeline, depth)
}

func (c *client) Transaction(depth int, _ string) runner.Unit {
	return c.pipelined(c.redis.TxPipeline, depth)
}

// pipelined is a unit: so many commands in a pipeline.
func (c *client) pipelined(begin func() redis.Pipeliner, depth int) runner.Unit {
	return func(first int, replies *runner.Replies) error {
		pipeline := begin()
		for range depth {
			c.send(pipeline, first)
			first = c.commands.Next(first)
		}
		sent, err := pipeline.Exec(ctx)
		if err != nil && err != redis.Nil { // the first of the commands' errors
			return err
		}
		return handOver(sent, replies)
	}
}

// handOver hands over what commands were answered.
func handOver(sent []redis.Cmder, replies *runner.Replies) error {
	for _, command := range sent {
		if err := reply(command, replies); err != nil {
			return err
		}
	}
	return nil
}

func (c *client) Close() error {
	return c.redis.Close()
}
