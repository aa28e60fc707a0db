//go:build !before_9_22

package main

import "github.com/redis/go-redis/v9"

func dialOnce(options *redis.UniversalOptions) {
	options.DialerRetries = 1
}
