// Package main measures valkey-go.
package main

import "respmark/runner"

func main() {
	runner.Main("github.com/valkey-io/valkey-go", load)
}
