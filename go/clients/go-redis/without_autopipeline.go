//go:build before_9_22 || before_9_23

package main

import "respmark/runner"

func (c *client) pipelineAutomatically() error {
	return runner.Unsupported("automatic pipelining in full duplex came with go-redis 9.23")
}
