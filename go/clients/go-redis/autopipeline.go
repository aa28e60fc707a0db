//go:build !before_9_22 && !before_9_23

package main

import (
	"github.com/redis/go-redis/v9"

	"respmark/runner"
)

// fullDuplex sends commands while others are awaited, as pipelining does; the default waits for each batch.
var fullDuplex = redis.AutoPipelineOptions{FullDuplex: true}

// pipelineAutomatically sends commands through the library's AutoPipeliner; those of a burst, through the one whose
// methods do not wait.
func (c *client) pipelineAutomatically() error {
	pipeline := c.redis.AutoPipelineWithOptions
	if c.trial.Shape.Window == "burst" {
		pipeline = c.redis.AsyncAutoPipelineWithOptions
	}
	options := fullDuplex
	on, err := pipeline(&options)
	c.on = on
	return err
}

// Burst issues commands, whose results are awaited when they are read.
func (c *client) Burst(depth int) runner.Unit {
	sent := make([]redis.Cmder, depth)
	return func(first int, replies *runner.Replies) error {
		for i := range sent {
			sent[i] = c.send(c.on, first)
			first = c.commands.Next(first)
		}
		var failed error
		for _, command := range sent {
			// All must end before the next burst begins.
			if err := reply(command, replies); err != nil {
				failed = err
			}
		}
		return failed
	}
}
