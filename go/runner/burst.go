package runner

import "sync"

// A burst is one of a client whose commands wait for their replies: each command has a goroutine. Goroutines live as
// long as the trial, so that units neither start them nor allocate what they need.
type burst struct {
	commands *Commands
	senders  []*sender
	underWay sync.WaitGroup
}

// A sender sends one command of each burst.
type sender struct {
	// The number of the command to send.
	number  chan int
	command Unit
	replies Replies
	err     error
}

func startBurst(command Unit, commands *Commands, depth int, null error) *burst {
	b := &burst{commands: commands}
	for range depth {
		// With room for one number, whoever begins a burst waits for no goroutine.
		one := &sender{number: make(chan int, 1), command: command, replies: Replies{null: null}}
		b.senders = append(b.senders, one)
		go one.live(&b.underWay)
	}
	return b
}

func (s *sender) live(underWay *sync.WaitGroup) {
	defer endProcess()
	for number := range s.number {
		s.err = s.command(number, &s.replies)
		underWay.Done()
	}
}

// perform is a unit.
func (b *burst) perform(first int, replies *Replies) error {
	b.underWay.Add(len(b.senders))
	for _, one := range b.senders {
		one.replies.isKept = replies.isKept
		one.number <- first
		first = b.commands.Next(first)
	}
	b.underWay.Wait()
	for _, one := range b.senders {
		if one.err != nil {
			return one.err
		}
		if replies.isKept {
			replies.add(&one.replies)
			one.replies.kept, one.replies.bytes = nil, 0
		}
	}
	return nil
}

func (b *burst) close() {
	for _, one := range b.senders {
		close(one.number)
	}
}
