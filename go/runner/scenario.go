package runner

// A scenario has the units of each walker, and every connection that they use.
type scenario struct {
	trial    *Trial
	adapter  Adapter
	commands *Commands
	clients  []Client
	bursts   []*burst
}

// open opens the connections, and returns each walker's unit.
func (s *scenario) open() ([]Unit, error) {
	shape, walkers := &s.trial.Shape, s.trial.walkers()
	switch s.trial.Scenario {
	case "new-connection":
		return []Unit{newConnection(s.adapter)}, nil
	case "threads":
		return s.threads(walkers, min(walkers, max(shape.Connections, 1)))
	case "pool":
		pool, isThere := s.adapter.(PoolingAdapter)
		if !isThere {
			return nil, Unsupported("the adapter has no pool")
		}
		client, err := pool.Pool(walkers, shape.MaxTotal, shape.MaxIdle)
		return s.opened(client, err, min(walkers, shape.MaxTotal), walkers, Client.Command)
	case "caching":
		cache, isThere := s.adapter.(CachingAdapter)
		if !isThere {
			return nil, Unsupported("the adapter has no cache")
		}
		client, err := cache.Cache(shape.CacheEntries)
		return s.opened(client, err, 1, 1, Client.Command)
	case "pipelining":
		goroutines := walkers * shape.Depth
		return s.connected(goroutines, walkers, s.pipelining)
	case "batching":
		return s.eachItsOwn(walkers, func(client Client) Unit { return client.(BatchingClient).Batch(shape.Depth) })
	case "transaction":
		return s.connected(1, 1, func(client Client) Unit {
			return client.(TransactingClient).Transaction(shape.Depth, shape.Form)
		})
	}
	return s.connected(1, walkers, Client.Command)
}

// threads returns the units of goroutines that share so many clients: goroutine i has client i mod n.
func (s *scenario) threads(goroutines, clients int) ([]Unit, error) {
	units := make([]Unit, goroutines)
	for i := range clients {
		users := (goroutines - i + clients - 1) / clients
		shared, err := s.connected(users, 1, Client.Command)
		if err != nil {
			return nil, err
		}
		for user := i; user < goroutines; user += clients {
			units[user] = shared[0]
		}
	}
	return units, nil
}

// eachItsOwn returns the units of walkers that have a client each.
func (s *scenario) eachItsOwn(walkers int, of func(Client) Unit) ([]Unit, error) {
	var units []Unit
	for range walkers {
		own, err := s.connected(1, 1, of)
		if err != nil {
			return nil, err
		}
		units = append(units, own...)
	}
	return units, nil
}

// connected opens a client for so many goroutines, and returns its unit for each walker.
func (s *scenario) connected(goroutines, walkers int, of func(Client) Unit) ([]Unit, error) {
	client, err := s.adapter.Connect(goroutines)
	return s.opened(client, err, goroutines, walkers, of)
}

func (s *scenario) opened(client Client, err error, connections, walkers int, of func(Client) Unit) ([]Unit, error) {
	if err != nil {
		return nil, err
	}
	s.clients = append(s.clients, client)
	if err := client.Open(connections); err != nil {
		return nil, err
	}
	units := make([]Unit, walkers)
	for i := range units {
		units[i] = of(client)
	}
	return units, nil
}

// pipelining returns the unit of a burst, or of a place of a sliding window.
func (s *scenario) pipelining(client Client) Unit {
	if s.trial.isSliding() {
		return client.Command()
	}
	if bursting, isOne := client.(BurstingClient); isOne {
		return bursting.Burst(s.trial.Shape.Depth)
	}
	started := startBurst(client.Command(), s.commands, s.trial.Shape.Depth, s.adapter.Null())
	s.bursts = append(s.bursts, started)
	return started.perform
}

// newConnection is a unit: connect, one command, close.
func newConnection(adapter Adapter) Unit {
	return func(first int, replies *Replies) error {
		client, err := adapter.Connect(1)
		if err != nil {
			return err
		}
		if err := client.Command()(first, replies); err != nil {
			client.Close()
			return err
		}
		return client.Close()
	}
}

// close ends goroutines and closes every client; as its users do, without asking whether a connection was still there.
func (s *scenario) close() {
	for _, burst := range s.bursts {
		burst.close()
	}
	for _, client := range s.clients {
		_ = client.Close()
	}
}
