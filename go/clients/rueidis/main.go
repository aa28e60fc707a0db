// Package main measures rueidis.
package main

import "respmark/runner"

func main() {
	runner.Main("github.com/redis/rueidis", load)
}
