package main

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"respmark/runner"
)

// limit is how long a caller waits at most, where the option `limits` bounds it.
const limit = time.Second

// setLimits bounds waits by the library's own options.
func setLimits(options *redis.UniversalOptions, trial *runner.Trial) {
	isStrict := trial.Is("limits", "strict")
	if isStrict || trial.Is("limits", "1s") {
		options.DialTimeout, options.ReadTimeout, options.WriteTimeout, options.PoolTimeout = limit, limit, limit, limit
	}
	if isStrict {
		options.MaxRetries, options.MaxRedirects, options.ContextTimeoutEnabled = -1, -1, true
		dialOnce(options)
	}
}

// A deadline gives each command a context that ends in time, as a caller does.
type deadline struct{}

func (deadline) DialHook(next redis.DialHook) redis.DialHook {
	return next
}

func (deadline) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return next(ctx, command)
	}
}

func (deadline) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
