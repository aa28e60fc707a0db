//go:build !before_9_22

package main

import "github.com/redis/go-redis/v9"

func dialOnce(options *redis.Options) {
	options.DialerRetries = 1
}
