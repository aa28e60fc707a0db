// Package main measures go-redis.
package main

import "respmark/runner"

func main() {
	runner.Main("github.com/redis/go-redis/v9", load)
}
