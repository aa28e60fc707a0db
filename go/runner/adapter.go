package runner

// An Adapter is a library in one configuration, for one trial. What it lacks of Batching, Transactions, Pools and
// Caches, it leaves out, as client.toml says.
type Adapter interface {
	// Settings returns what a reader must know; `protocol` where the RESP version is another one than the option says.
	Settings() map[string]any
	// Null returns the error that stands for a reply that is null.
	Null() error
	// Connect returns a client for so many goroutines.
	Connect(goroutines int) (Client, error)
}

// A Client is what commands are sent on, as the library's documentation has it. Its units are used by several
// goroutines at once.
type Client interface {
	// Open opens so many connections now, so that no unit has to.
	Open(connections int) error
	// Command is a unit: one command, whose reply is awaited.
	Command() Unit
	Close() error
}

// A Unit performs one unit, which begins with command number `first`, and hands its replies over, in order.
type Unit func(first int, replies *Replies) error

// A BurstingClient issues commands without waiting for one; of other clients, each command of a burst has a goroutine.
type BurstingClient interface {
	// Burst is a unit: `depth` commands issued without waiting, then all of them awaited.
	Burst(depth int) Unit
}

// A BatchingClient can buffer commands.
type BatchingClient interface {
	// Batch is a unit: `depth` commands, one flush, all replies.
	Batch(depth int) Unit
}

// A TransactingClient has transactions.
type TransactingClient interface {
	// Transaction is a unit: MULTI, `depth` commands, EXEC.
	Transaction(depth int, form string) Unit
}

// A PoolingAdapter has a pool.
type PoolingAdapter interface {
	// Pool returns a client whose goroutines borrow from a pool of so many connections; maxIdle is 0 if all are kept.
	Pool(goroutines, maxTotal, maxIdle int) (Client, error)
}

// A CachingAdapter has a client-side cache.
type CachingAdapter interface {
	// Cache returns a client whose GETs a cache of so many entries may answer.
	Cache(entries int) (Client, error)
	// CacheCounts returns what it did since the last time.
	CacheCounts() CacheCounts
}

// CacheCounts are what a client-side cache did; nil: the library does not count it.
type CacheCounts struct {
	Hits          *int `json:"hits"`
	Misses        *int `json:"misses"`
	Invalidations *int `json:"invalidations"`
}

// PoolWaitS is the longest that a unit waits for a connection of a pool, in seconds.
const PoolWaitS = 3

// Unsupported is an error: this machine, this server or this version of the library cannot do it, for this reason.
type Unsupported string

func (u Unsupported) Error() string {
	return string(u)
}
