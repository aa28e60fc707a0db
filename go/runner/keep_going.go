package runner

import (
	"encoding/json"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A keepGoing asks for units that are performed when they are due, whatever becomes of those before.
type keepGoing struct {
	// The number of each walker's first command.
	First []int `json:"first"`
	Due   struct {
		File string `json:"file"`
		At   int64  `json:"at"`
	} `json:"due"`
	// Where the begin and the end of each unit are written as they happen.
	Log string `json:"log"`
	// Once this file exists, no unit begins.
	Enough string `json:"enough"`
	// Nor does any from this moment on.
	Until int64 `json:"until"`
}

const (
	// Whoever waits for a unit looks this often whether it is enough.
	glanceNs = 50_000_000
	// Walkers that hang are waited for until so long after the end.
	graceNs = 100_000_000
)

// A going is such an order under way.
type going struct {
	*keepGoing
	// When each unit is due, in ns after `at`: one queue for all walkers.
	dues  []int64
	taken atomic.Int64

	mutex sync.Mutex
	// nil: it has got its last line.
	log *os.File
}

func newGoing(order *keepGoing) (*going, error) {
	dues, err := readDues(order.Due.File)
	if err != nil {
		return nil, err
	}
	g := &going{keepGoing: order, dues: dues}
	g.log, err = os.OpenFile(order.Log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	return g, err
}

// keepGoing lets walkers perform units until there are no more or it is enough; whoever hangs is left behind.
func (s *session) keepGoing(order *keepGoing) error {
	going, err := newGoing(order)
	if err != nil {
		return err
	}
	s.going = going
	var walkers sync.WaitGroup
	for _, place := range s.places {
		place.walk.goTo(order.First[place.walker])
		walkers.Go(func() {
			defer endProcess()
			place.keepGoing(going)
		})
	}
	ended := make(chan struct{})
	go func() {
		walkers.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(time.Duration(order.Until + graceNs - nowNs())):
	}
	return nil
}

func (p *place) keepGoing(going *going) {
	for {
		unit, isOne := going.next()
		if !isOne {
			return
		}
		replies := Replies{null: p.replies.null, isKept: true}
		going.note(map[string]any{"unit": unit, "walker": p.walker, "began": nowNs()})
		err := p.unit(p.walk.take(), &replies)
		ended := map[string]any{"unit": unit, "walker": p.walker, "ended": nowNs()}
		if err != nil {
			ended["error"], ended["text"] = class(err), shortened(err.Error(), longestText)
		} else {
			ended["reply"] = replies.kept[0]
		}
		going.note(ended)
	}
}

// next takes the next unit and waits until it is due; false: there is none, or it is enough.
func (g *going) next() (unit int, isOne bool) {
	unit = int(g.taken.Add(1) - 1)
	if unit >= len(g.dues) {
		return 0, false
	}
	for {
		now, dueNs := nowNs(), g.Due.At+g.dues[unit]
		if now >= g.Until || g.isEnough() {
			return 0, false
		}
		if now >= dueNs {
			return unit, true
		}
		time.Sleep(time.Duration(min(dueNs-now, glanceNs)))
	}
}

func (g *going) isEnough() bool {
	_, err := os.Stat(g.Enough)
	return err == nil
}

func (g *going) note(fields map[string]any) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.log != nil {
		g.write(fields)
	}
}

// write writes a line at once, so that it is there when the process is killed.
func (g *going) write(fields map[string]any) {
	line, err := json.Marshal(fields)
	if err == nil {
		_, err = g.log.Write(append(line, '\n'))
	}
	if err != nil {
		panic(err)
	}
}

// noteClosed writes the last line; walkers that hung until then have nothing to add.
func (g *going) noteClosed() error {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.write(map[string]any{"closed": nowNs()})
	log := g.log
	g.log = nil
	return log.Close()
}
