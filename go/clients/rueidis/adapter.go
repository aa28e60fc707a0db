// Package main measures rueidis.
package main

import (
	"context"
	"crypto/tls"
	"math/bits"
	"net"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"

	"respmark/runner"
)

func main() {
	runner.Main("github.com/redis/rueidis", load)
}

// A method builds a command of the workload, and hands its reply over.
type method struct {
	build func(b rueidis.Builder, w *runner.Commands, i int) rueidis.Completed
	reply func(to *runner.Replies, message rueidis.RedisMessage, err error) error
}

var methods = map[string]method{
	"GET": {func(b rueidis.Builder, w *runner.Commands, i int) rueidis.Completed {
		return b.Get().Key(w.Key(i)).Build()
	}, text},
	"SET": {func(b rueidis.Builder, w *runner.Commands, i int) rueidis.Completed {
		return b.Set().Key(w.Key(i)).Value(w.Value(i)).Build()
	}, text},
	"SETEX": {func(b rueidis.Builder, w *runner.Commands, i int) rueidis.Completed {
		return b.Setex().Key(w.Key(i)).Seconds(w.Number(i, 0)).Value(w.Value(i)).Build()
	}, text},
	"GETRANGE": {func(b rueidis.Builder, w *runner.Commands, i int) rueidis.Completed {
		return b.Getrange().Key(w.Key(i)).Start(w.Number(i, 0)).End(w.Number(i, 1)).Build()
	}, text},
	"MGET": {func(b rueidis.Builder, w *runner.Commands, i int) rueidis.Completed {
		return b.Mget().Key(w.Several(i)...).Build()
	}, mixed},
	"MSET": {func(b rueidis.Builder, w *runner.Commands, i int) rueidis.Completed {
		pairs, several := b.Mset().KeyValue(), w.Several(i)
		for j := 0; j < len(several); j += 2 {
			pairs = pairs.KeyValue(several[j], several[j+1])
		}
		return pairs.Build()
	}, text},
	"EXPIRE": {func(b rueidis.Builder, w *runner.Commands, i int) rueidis.Completed {
		return b.Expire().Key(w.Key(i)).Seconds(w.Number(i, 0)).Build()
	}, number},
	"INCRBY": {func(b rueidis.Builder, w *runner.Commands, i int) rueidis.Completed {
		return b.Incrby().Key(w.Key(i)).Increment(w.Number(i, 0)).Build()
	}, number},
	"LPUSH": {func(b rueidis.Builder, w *runner.Commands, i int) rueidis.Completed {
		return b.Lpush().Key(w.Key(i)).Element(w.Value(i)).Build()
	}, number},
	"LTRIM": {func(b rueidis.Builder, w *runner.Commands, i int) rueidis.Completed {
		return b.Ltrim().Key(w.Key(i)).Start(w.Number(i, 0)).Stop(w.Number(i, 1)).Build()
	}, text},
	"LRANGE": {func(b rueidis.Builder, w *runner.Commands, i int) rueidis.Completed {
		return b.Lrange().Key(w.Key(i)).Start(w.Number(i, 0)).Stop(w.Number(i, 1)).Build()
	}, texts},
	"HGETALL": {func(b rueidis.Builder, w *runner.Commands, i int) rueidis.Completed {
		return b.Hgetall().Key(w.Key(i)).Build()
	}, pairs},
	"SADD": {func(b rueidis.Builder, w *runner.Commands, i int) rueidis.Completed {
		return b.Sadd().Key(w.Key(i)).Member(w.Value(i)).Build()
	}, number},
	"ZADD": {func(b rueidis.Builder, w *runner.Commands, i int) rueidis.Completed {
		return b.Zadd().Key(w.Key(i)).ScoreMember().ScoreMember(w.Score(i), w.Value(i)).Build()
	}, number},
	"PING": {func(b rueidis.Builder, _ *runner.Commands, _ int) rueidis.Completed {
		return b.Ping().Build()
	}, text},
	runner.AnyCommand: {func(b rueidis.Builder, w *runner.Commands, i int) rueidis.Completed {
		raw := w.Raw(i)
		command := b.Arbitrary(raw.Before...).Keys(raw.Keys...).Args(raw.After...)
		if raw.Blocks {
			return command.Blocking()
		}
		return command.Build()
	}, anything},
}

func text(to *runner.Replies, message rueidis.RedisMessage, err error) error {
	if err != nil {
		return to.Failed(err)
	}
	return to.Text(message.ToString())
}

func number(to *runner.Replies, message rueidis.RedisMessage, err error) error {
	if err != nil {
		return to.Failed(err)
	}
	return to.Number(message.AsInt64())
}

func texts(to *runner.Replies, message rueidis.RedisMessage, err error) error {
	if err != nil {
		return to.Failed(err)
	}
	return to.Texts(message.AsStrSlice())
}

func pairs(to *runner.Replies, message rueidis.RedisMessage, err error) error {
	if err != nil {
		return to.Failed(err)
	}
	return to.Pairs(message.AsStrMap())
}

// mixed reads a list as its users do who must know what is null.
func mixed(to *runner.Replies, message rueidis.RedisMessage, err error) error {
	if err != nil {
		return to.Failed(err)
	}
	messages, err := message.ToArray()
	list := make([]any, len(messages))
	for i := range messages {
		value, failed := messages[i].ToString()
		if failed == nil {
			list[i] = value
		} else if !rueidis.IsRedisNil(failed) {
			err = failed
		}
	}
	return to.Mixed(list, err)
}

func anything(to *runner.Replies, message rueidis.RedisMessage, err error) error {
	if err != nil {
		return to.Failed(err)
	}
	return to.Any(message.ToAny())
}

// An adapter is rueidis in one configuration.
type adapter struct {
	trial    *runner.Trial
	commands *runner.Commands
	methods  []method
	tls      *tls.Config

	// What the cache did since the last time. Invalidations come on the library's goroutine.
	hits, misses  int
	invalidations atomic.Int64
}

func load(trial *runner.Trial, commands *runner.Commands) (runner.Adapter, error) {
	bound, err := runner.Bind(commands, methods)
	if err != nil {
		return nil, err
	}
	config, err := trial.Server.TLS.Config()
	if err != nil {
		return nil, err
	}
	return &adapter{trial: trial, commands: commands, methods: bound, tls: config}, nil
}

func (a *adapter) Settings() map[string]any {
	return nil
}

func (a *adapter) Null() error {
	return rueidis.Nil
}

// option returns what the trial asks for; all else stays as installed.
func (a *adapter) option() rueidis.ClientOption {
	server := &a.trial.Server
	_, address := server.Address()
	option := rueidis.ClientOption{
		InitAddress: []string{address}, TLSConfig: a.tls, SelectDB: server.Database,
		Username: server.Username, Password: server.Password,
		DisableAutoPipelining: !a.isPipelining(),
	}
	if sentinels := server.SentinelAddresses(); sentinels != nil {
		option.InitAddress = sentinels
		option.Sentinel = rueidis.SentinelOption{MasterSet: runner.Watched, Password: server.Password}
	}
	if a.trial.Is("protocol", "2") {
		option.AlwaysRESP2, option.DisableCache = true, true
	}
	if a.hasOneConnection() {
		option.PipelineMultiplex = -1
	}
	if a.isStrict() || a.trial.Is("limits", "1s") {
		option.Dialer.Timeout, option.ConnWriteTimeout = limit, limit
	}
	option.DisableRetry = a.isStrict()
	if a.trial.Is("reads", "replica") {
		option.SendToReplicas = func(command rueidis.Completed) bool { return command.IsReadOnly() }
	}
	return option
}

// limit is how long a caller waits at most, where the option `limits` bounds it.
const limit = time.Second

// isStrict says whether the limit holds for a command with all of its tries: then it has a context that ends in time.
func (a *adapter) isStrict() bool {
	return a.trial.Is("limits", "strict")
}

// hasOneConnection says whether a client is to have one connection, where the library would spread the commands of a
// single goroutine over several. Transactions have a connection of their own in any case.
func (a *adapter) hasOneConnection() bool {
	return !a.sharesClients() && a.trial.Scenario != "transaction"
}

// isPipelining says whether commands of several goroutines share a connection.
func (a *adapter) isPipelining() bool {
	return a.trial.Is("auto-pipelining", "true")
}

// sharesClients says whether several goroutines use one client, which then has several connections.
func (a *adapter) sharesClients() bool {
	return a.trial.Scenario == "pipelining" || a.trial.Scenario == "threads"
}

// ConnectsWhenMade says whether a client needs no connection but the one that it has at once.
func (a *adapter) ConnectsWhenMade() bool {
	return a.isPipelining() && !a.commands.Blocks()
}

func (a *adapter) Connect(goroutines int) (runner.Client, error) {
	option := a.option()
	if goroutines > rueidis.DefaultPoolSize {
		option.BlockingPoolSize = goroutines
	}
	return a.client(option)
}

func (a *adapter) client(option rueidis.ClientOption) (*client, error) {
	made := &client{adapter: a, dialled: new(atomic.Int64)}
	made.ctx, made.cancel = a.newContext()
	network, _ := a.trial.Server.Address()
	isWatched := option.Sentinel.MasterSet != ""
	// As the library dials, but that the server's sockets are counted, and reached by their path.
	option.DialCtxFn = func(ctx context.Context, address string, dialer *net.Dialer, config *tls.Config) (net.Conn, error) {
		if !isWatched || !slices.Contains(option.InitAddress, address) {
			made.dialled.Add(1)
		}
		if config != nil {
			return (&tls.Dialer{NetDialer: dialer, Config: config}).DialContext(ctx, network, address)
		}
		return dialer.DialContext(ctx, network, address)
	}
	connected, err := rueidis.NewClient(option)
	made.Client = connected
	return made, err
}

// newContext returns what a client's commands are given, and what cancels it.
func (a *adapter) newContext() (context.Context, context.CancelFunc) {
	if a.trial.Is("context", "cancellable") {
		return context.WithCancel(context.Background())
	}
	return context.Background(), func() {}
}

// A client is a rueidis.Client.
type client struct {
	rueidis.Client
	*adapter
	ctx     context.Context
	cancel  context.CancelFunc
	dialled *atomic.Int64
}

// Open opens the connections that the scenario's units use; in a cluster, to each node that is sent any.
func (c *client) Open(connections int) error {
	if !c.trial.Server.Cluster {
		return c.openOn(c.Client, connections)
	}
	for _, node := range c.Nodes() {
		isUsed, err := c.uses(node)
		if err == nil && isUsed {
			err = c.openOn(node, connections)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// uses connects to a node, and says whether it is sent commands.
func (c *client) uses(node rueidis.Client) (bool, error) {
	role, err := node.Do(c.ctx, node.B().Role().Build()).ToArray()
	if err != nil {
		return false, err
	}
	name, err := role[0].ToString()
	return name == "master" || c.trial.Is("reads", "replica"), err
}

// openOn opens those that units use besides the one that there is. CLIENT ID is a command that every server has, and that
// changes nothing.
func (c *client) openOn(node rueidis.Client, connections int) error {
	switch {
	case c.trial.Scenario == "transaction":
		return c.openDedicated(node, 1)
	case c.isPipelining() && c.commands.Blocks():
		return c.openDedicated(node, connections)
	case !c.isPipelining():
		return c.openPool(node, connections)
	case c.sharesClients():
		return c.openShared(node)
	case c.trial.Shape.Depth >= rueidis.DefaultBlockingPipeline:
		return c.openDedicated(node, 1)
	}
	return nil
}

// openDedicated opens the connections of a transaction, a large batch, or commands that block.
func (c *client) openDedicated(node rueidis.Client, connections int) error {
	for range connections {
		dedicated, release := node.Dedicate()
		defer release()
		if err := dedicated.Do(c.ctx, dedicated.B().ClientId().Build()).Error(); err != nil {
			return err
		}
	}
	return nil
}

// openPool opens connections of the pool: a stream keeps its own until it is read.
func (c *client) openPool(node rueidis.Client, connections int) error {
	streams := make([]rueidis.RedisResultStream, connections)
	for i := range streams {
		streams[i] = node.DoStream(c.ctx, node.B().ClientId().Build())
	}
	for i := range streams {
		if _, err := streams[i].WriteTo(discard{}); err != nil {
			return err
		}
	}
	return nil
}

type discard struct{}

func (discard) Write(bytes []byte) (int, error) {
	return len(bytes), nil
}

// The most tries to reach every connection: each command takes any of four at the most.
const mostTries = 1000

// openShared opens the connections that goroutines share. A command that can be cancelled starts a connection's own
// goroutines, as commands of several goroutines at once do: from then on they write and read.
func (c *client) openShared(node rueidis.Client) error {
	cancellable, cancel := context.WithCancel(c.ctx)
	defer cancel()
	// Without a key: it takes the first connection.
	if err := node.Do(cancellable, node.B().ClientId().Build()).Error(); err != nil {
		return err
	}
	for tries := 0; c.dialled.Load() < c.multiplexed() && tries < mostTries; tries++ {
		if err := node.Do(cancellable, node.B().Get().Key("respmark").Build()).NonRedisError(); err != nil {
			return err
		}
	}
	return nil
}

// multiplexed returns how many connections goroutines share, as the library is installed; in a cluster, to each node.
func (c *client) multiplexed() int64 {
	if c.trial.Server.Cluster {
		return 1
	}
	return 1 << min(bits.Len(uint(runtime.GOMAXPROCS(0)))-1, 2)
}

func (c *client) Command() runner.Unit {
	switch {
	case c.trial.Scenario == "caching":
		return c.cached
	case c.isStrict():
		return c.bounded
	case c.trial.Server.Cluster && c.commands.Has("MGET"):
		return c.spread
	}
	return c.command
}

func (c *client) command(first int, replies *runner.Replies) error {
	method := c.method(first)
	message, err := c.Do(c.ctx, method.build(c.B(), c.commands, first)).ToMessage()
	return method.reply(replies, message, err)
}

// bounded is a command whose caller waits no longer than the limit.
func (c *client) bounded(first int, replies *runner.Replies) error {
	ctx, cancel := context.WithTimeout(c.ctx, limit)
	defer cancel()
	method := c.method(first)
	message, err := c.Do(ctx, method.build(c.B(), c.commands, first)).ToMessage()
	return method.reply(replies, message, err)
}

// spread is a command of a cluster: the library's helper sends MGET to every slot that it has keys of.
func (c *client) spread(first int, replies *runner.Replies) error {
	if c.commands.Name(first) != "MGET" {
		return c.command(first, replies)
	}
	keys := c.commands.Several(first)
	found, err := rueidis.MGet(c.Client, c.ctx, keys)
	if err != nil {
		return replies.Failed(err)
	}
	list := make([]any, len(keys))
	for i, key := range keys {
		message := found[key]
		if value, failed := message.ToString(); failed == nil {
			list[i] = value
		} else if !rueidis.IsRedisNil(failed) {
			err = failed
		}
	}
	return replies.Mixed(list, err)
}

func (c *client) method(i int) *method {
	return &c.methods[c.commands.Step(i)]
}

// built returns the commands of a unit, in a list with room for more.
func (c *client) built(list rueidis.Commands, first, depth int) rueidis.Commands {
	for range depth {
		list = append(list, c.method(first).build(c.B(), c.commands, first))
		first = c.commands.Next(first)
	}
	return list
}

func (c *client) Batch(depth int) runner.Unit {
	return func(first int, replies *runner.Replies) error {
		commands := c.built(make(rueidis.Commands, 0, depth), first, depth)
		for _, result := range c.DoMulti(c.ctx, commands...) {
			message, err := result.ToMessage()
			if err := c.method(first).reply(replies, message, err); err != nil {
				return err
			}
			first = c.commands.Next(first)
		}
		return nil
	}
}

func (c *client) Transaction(depth int, _ string) runner.Unit {
	return func(first int, replies *runner.Replies) error {
		return c.Dedicated(func(dedicated rueidis.DedicatedClient) error {
			commands := append(make(rueidis.Commands, 0, depth+2), dedicated.B().Multi().Build())
			commands = append(c.built(commands, first, depth), dedicated.B().Exec().Build())
			results := dedicated.DoMulti(c.ctx, commands...)
			for _, queued := range results[:depth+1] {
				if err := queued.Error(); err != nil {
					return err
				}
			}
			messages, err := results[depth+1].ToArray()
			if err != nil {
				return err
			}
			for i := range messages {
				if err := c.method(first).reply(replies, messages[i], messages[i].Error()); err != nil {
					return err
				}
				first = c.commands.Next(first)
			}
			return nil
		})
	}
}

func (c *client) Close() error {
	c.Client.Close()
	c.cancel()
	return nil
}

// What an entry of the cache takes besides its value: the library's own estimate for keys of some twenty bytes.
const entryBytes = 420

// Entries are lost to the cache's size, or to what the server says.
const timeToLive = time.Hour

// Cache returns a client whose cache has room for so many of the workload's values.
func (a *adapter) Cache(entries int) (runner.Client, error) {
	option := a.option()
	option.CacheSizeEachConn = entries * (entryBytes + a.commands.MeanValueBytes())
	option.OnInvalidations = func(keys []rueidis.RedisMessage) { a.invalidations.Add(int64(len(keys))) }
	return a.client(option)
}

// cached is the unit of caching: the client's own cache may answer GETs.
func (c *client) cached(first int, replies *runner.Replies) error {
	if c.commands.Name(first) != "GET" {
		return c.command(first, replies)
	}
	result := c.DoCache(c.ctx, c.B().Get().Key(c.commands.Key(first)).Cache(), timeToLive)
	if result.IsCacheHit() {
		c.hits++
	} else {
		c.misses++
	}
	message, err := result.ToMessage()
	return text(replies, message, err)
}

// CacheCounts returns what the cache did since the last time.
func (a *adapter) CacheCounts() runner.CacheCounts {
	hits, misses, invalidations := a.hits, a.misses, int(a.invalidations.Swap(0))
	a.hits, a.misses = 0, 0
	return runner.CacheCounts{Hits: &hits, Misses: &misses, Invalidations: &invalidations}
}
