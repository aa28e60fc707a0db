//go:build !before_9_2

package main

import "github.com/redis/go-redis/v9"

func speakResp2(options *redis.UniversalOptions) {
	options.Protocol = 2
}
