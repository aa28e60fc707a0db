// No client at all: its commands do nothing. A trial of it shows what the loops themselves cost every client.
package main

import "respmark/runner"

func main() {
	runner.Main("", func(_ *runner.Trial, commands *runner.Commands) (runner.Adapter, error) {
		return null{commands}, nil
	})
}

type null struct {
	commands *runner.Commands
}

func (n null) Settings() map[string]any                  { return nil }
func (n null) Null() error                               { return nil }
func (n null) Connect(int) (runner.Client, error)        { return n, nil }
func (n null) Pool(int, int, int) (runner.Client, error) { return n, nil }
func (n null) Open(int) error                            { return nil }
func (n null) Close() error                              { return nil }

func (n null) Command() runner.Unit {
	return func(first int, replies *runner.Replies) error {
		return replies.Text(n.commands.Key(first), nil)
	}
}

func (n null) Batch(depth int) runner.Unit {
	return func(first int, replies *runner.Replies) error {
		for range depth {
			if err := replies.Text(n.commands.Key(first), nil); err != nil {
				return err
			}
			first = n.commands.Next(first)
		}
		return nil
	}
}

func (n null) Transaction(depth int, _ string) runner.Unit {
	return n.Batch(depth)
}
