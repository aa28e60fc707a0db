//go:build before_9_2

package main

import "github.com/redis/go-redis/v9"

// speakResp2 is never asked for: the library has no such option.
func speakResp2(*redis.UniversalOptions) {}
