// A program that uses a server in one way: `load PORT WAY NAME`; go-redis.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/redis/go-redis/v9"
)

const script = "local sum = 0 for i = 1, 1000000 do sum = sum + i end return sum"

var ctx = context.Background()

func connect() *redis.Client {
	return redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + os.Args[1], ClientName: os.Args[3], PoolSize: 3})
}

func forever(pause time.Duration, work func()) {
	for {
		work()
		time.Sleep(pause)
	}
}

type way struct {
	pauseMs int
	work    func(rdb *redis.Client, n int)
}

func name(n int) string { return fmt.Sprintf("new:%d", n%1000) }

var ways = map[string]way{
	"churn": {20, func(_ *redis.Client, _ int) {
		one := connect()
		one.Get(ctx, "key:1")
		one.Close()
	}},
	"loop":      {0, func(rdb *redis.Client, n int) { rdb.Set(ctx, name(n), "value", 0) }},
	"keys":      {20, func(rdb *redis.Client, _ int) { rdb.Keys(ctx, "*") }},
	"whole-set": {50, func(rdb *redis.Client, _ int) { rdb.SMembers(ctx, "members") }},
	"script":    {50, func(rdb *redis.Client, _ int) { rdb.Eval(ctx, script, nil) }},
	"set-expire": {4, func(rdb *redis.Client, n int) {
		rdb.Set(ctx, name(n), "value", 0)
		rdb.Expire(ctx, name(n), time.Minute)
	}},
	"poll":         {5, func(rdb *redis.Client, _ int) { rdb.LPop(ctx, "nothing") }},
	"wrong-type":   {10, func(rdb *redis.Client, _ int) { rdb.LPush(ctx, "text", "value") }},
	"large-values": {100, func(rdb *redis.Client, _ int) { rdb.Get(ctx, "large") }},
	"leak":         {200, func(_ *redis.Client, _ int) { connect().Ping(ctx) }},
	"requests": {10, func(rdb *redis.Client, n int) {
		rdb.Get(ctx, fmt.Sprintf("key:%d", n%1000))
		if n%3 == 0 {
			rdb.Set(ctx, name(n), "value", 10*time.Minute)
		}
		rdb.HGet(ctx, "hash", "field")
	}},
	"batch": {20, func(rdb *redis.Client, n int) {
		rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
			for place := 0; place < 50; place++ {
				pipe.Get(ctx, fmt.Sprintf("key:%d", (n+place)%1000))
			}
			return nil
		})
	}},
	"set-ex": {4, func(rdb *redis.Client, n int) { rdb.Set(ctx, name(n), "value", 10*time.Minute) }},
	"worker": {0, func(rdb *redis.Client, n int) {
		if n == 0 {
			go forever(50*time.Millisecond, func() { rdb.RPush(ctx, "queue", "job") })
		}
		rdb.BLPop(ctx, 2*time.Second, "queue")
	}},
	"subscriber": {1000, func(rdb *redis.Client, n int) {
		if n == 0 {
			go forever(20*time.Millisecond, func() { rdb.Publish(ctx, "news", "message") })
			messages := rdb.Subscribe(ctx, "news").Channel()
			go func() {
				for range messages {
				}
			}()
		}
	}},
}

func main() {
	rdb, chosen := connect(), ways[os.Args[2]]
	for n := 0; ; n++ {
		chosen.work(rdb, n)
		if n == 0 {
			fmt.Println("begun")
		}
		time.Sleep(time.Duration(chosen.pauseMs) * time.Millisecond)
	}
}
