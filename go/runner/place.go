package runner

import "sync"

// A place performs one unit after another, in a goroutine that lives as long as the trial: it is a walker, or one of the
// places of a walker's sliding window.
type place struct {
	walker   int
	walk     *walk
	unit     Unit
	replies  Replies
	samples  *samples
	failures *failures
	// Of an open loop.
	timer *timer
}

// perform performs units one after the other until this moment, and at least one.
//
// This is the measured loop: everything in it is charged to the client. One reading of the clock ends a unit and starts
// the next, one store keeps its latency, one comparison checks whether the time is over.
func (p *place) perform(endNs int64) {
	then := nowNs()
	for {
		err := p.unit(p.walk.take(), &p.replies)
		now := nowNs()
		if err == nil {
			p.samples.add(now - then)
		} else {
			p.failures.add(err)
		}
		if now >= endNs {
			return
		}
		then = now
	}
}

// performDue performs units when they are due, until the part is over.
func (p *place) performDue(part *part) {
	for {
		due, started, isOne := part.next(p.timer)
		if !isOne {
			return
		}
		err := p.unit(p.walk.take(), &p.replies)
		took := nowNs() - started
		if err != nil {
			p.failures.add(err)
			took = -max(took, 1)
		}
		p.samples.addDue(took, float64(due), float64(started-part.at-due))
	}
}

// performBare is the loop that a user would write; it returns how many units there were.
func (p *place) performBare(endNs int64) (int, error) {
	for units := 1; ; units++ {
		if err := p.unit(p.walk.take(), &p.replies); err != nil {
			return units, err
		}
		if nowNs() >= endNs {
			return units, nil
		}
	}
}

// A barrier lets goroutines go on when all of them have arrived. The last one does something first, so that no hand-over
// to another one lies between two moments.
type barrier struct {
	mutex   sync.Mutex
	opened  *sync.Cond
	size    int
	arrived int
	rounds  int
	last    func()
}

func newBarrier(size int, last func()) *barrier {
	made := &barrier{size: size, last: last}
	made.opened = sync.NewCond(&made.mutex)
	return made
}

func (b *barrier) await() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.arrived++
	if b.arrived == b.size {
		b.last()
		b.arrived = 0
		b.rounds++
		b.opened.Broadcast()
		return
	}
	for round := b.rounds; round == b.rounds; {
		b.opened.Wait()
	}
}
