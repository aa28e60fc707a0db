package runner

import (
	"cmp"
	"os"
	"runtime"
)

// A session is one trial, from its line to the next one's, or to the end of the input.
type session struct {
	trial    *Trial
	adapter  Adapter
	commands *Commands
	scenario *scenario
	samples  []*samples
	places   []*place
	workers  *workers
	// nil: it was not asked to keep going.
	going *going
}

// newSession loads the library and prepares every command, without a connection.
func newSession(trial *Trial, load Load) (*session, error) {
	commands, err := readCommands(trial.Workload)
	if err != nil {
		return nil, err
	}
	adapter, err := load(trial, commands)
	if err != nil {
		_ = commands.free()
		return nil, err
	}
	s := &session{trial: trial, adapter: adapter, commands: commands}
	s.scenario = &scenario{trial: trial, adapter: adapter, commands: commands}
	for range s.count() {
		room, err := newSamples(trial.Samples/s.count(), trial.Open)
		if err != nil {
			return nil, err
		}
		s.samples = append(s.samples, room)
	}
	return s, nil
}

// perWalker returns how many places a walker has.
func (s *session) perWalker() int {
	if s.trial.isSliding() {
		return s.trial.Shape.Depth
	}
	return 1
}

// count returns how many places there are.
func (s *session) count() int {
	return s.trial.walkers() * s.perWalker()
}

// settings returns what a reader must know of the runtime and the library.
func (s *session) settings() map[string]any {
	settings := map[string]any{
		"GOMAXPROCS":      runtime.GOMAXPROCS(0),
		"GOGC":            cmp.Or(os.Getenv("GOGC"), "100"),
		"keys_given_as":   "string",
		"values_given_as": "string",
	}
	for name, value := range s.adapter.Settings() {
		settings[name] = value
	}
	return settings
}

// connect opens every connection that the trial uses, and starts its goroutines.
func (s *session) connect() error {
	units, err := s.scenario.open()
	if err != nil {
		return err
	}
	for i, unit := range units {
		walk := newWalk(s.commands.count, s.trial.commandsPerUnit(), s.perWalker() > 1)
		for range s.perWalker() {
			made := &place{walker: i, walk: walk, unit: unit, samples: s.samples[len(s.places)]}
			made.replies.null = s.adapter.Null()
			if s.trial.Open {
				if made.timer, err = newTimer(); err != nil {
					return err
				}
			}
			s.places = append(s.places, made)
		}
	}
	s.workers = startWorkers(s.places, s.trial.walkers())
	return nil
}

// echo performs units of the first walker; returns the replies.
func (s *session) echo(order *echo) ([]any, error) {
	first := s.places[0]
	replies := Replies{null: s.adapter.Null(), isKept: true}
	first.walk.goTo(order.First)
	for len(replies.kept) < order.Commands && replies.bytes < order.Bytes {
		if err := first.unit(first.walk.take(), &replies); err != nil {
			return nil, err
		}
	}
	s.cacheCounts()
	return replies.kept, nil
}

// work works for one slice.
func (s *session) work(order *work) (worked, error) {
	var parts []*part
	if order.Arrivals != nil {
		var err error
		if parts, err = readArrivals(order); err != nil {
			return worked{}, err
		}
	}
	answer := s.workers.work(order, parts)
	answer.Cache = s.cacheCounts()
	return answer, nil
}

// cacheCounts returns what the client-side cache did since the last time; nil if there is none.
func (s *session) cacheCounts() *CacheCounts {
	cache, isOne := s.adapter.(CachingAdapter)
	if !isOne || s.trial.Scenario != "caching" {
		return nil
	}
	counts := cache.CacheCounts()
	return &counts
}

// bared is the answer to an order for the bare loop.
type bared struct {
	Units   int    `json:"units"`
	Started moment `json:"started"`
	Ended   moment `json:"ended"`
}

// bare lets the loop that a user would write perform units of the only walker.
func (s *session) bare(order *bare) (bared, error) {
	if len(s.places) > 1 {
		return bared{}, Unsupported("the bare loop has one goroutine")
	}
	s.places[0].walk.goTo(order.First)
	started := currentMoment()
	units, err := s.places[0].performBare(started[0] + order.Ns)
	return bared{units, started, currentMoment()}, err
}

// close ends what the trial has: goroutines, connections, timers and storage.
func (s *session) close() error {
	if s.workers != nil {
		s.workers.close()
	}
	s.scenario.close()
	if s.going != nil {
		if err := s.going.noteClosed(); err != nil {
			return err
		}
	}
	for _, place := range s.places {
		if place.timer != nil {
			if err := place.timer.close(); err != nil {
				return err
			}
		}
	}
	for _, samples := range s.samples {
		if err := samples.free(); err != nil {
			return err
		}
	}
	return s.commands.free()
}
