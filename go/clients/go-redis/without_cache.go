//go:build before_9_22

package main

type cacheStats struct{}
