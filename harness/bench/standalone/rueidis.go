// rueidis as its README uses it: `rueidis HOST PORT sync|batching KEY_PREFIX`. The first line of input is the password,
// perhaps empty; each of the others is a turn, in seconds.
package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"github.com/redis/rueidis"
)

const batch = 100

var ctx = context.Background()

// A command's key begins at `at` in all keys; its value has `size` bytes, and a GET none. So the garbage collector has no
// pointers to follow in what is to be sent: it works as in a program that has only the client.
type command struct {
	at   int32
	size int16
}

const longest = 2048

var (
	keys   string
	digits = len("0000000")
	length int
	values = strings.Repeat("v", longest)
)

func (c command) key() string {
	return keys[c.at : int(c.at)+length]
}

func (c command) value() string {
	return values[:c.size]
}

// made returns 1,000 groups of commands: four in five are GETs, which have no value.
func made(prefix string) [][batch]command {
	draw := rand.New(rand.NewPCG(1, 1))
	groups, text := make([][batch]command, 1_000), strings.Builder{}
	length = len(prefix) + digits
	for i := range groups {
		for j := range groups[i] {
			one, names := command{at: int32(text.Len())}, 37_500
			if draw.IntN(5) == 0 {
				one.size, names = int16(min(max(1024+262.7*draw.NormFloat64(), 4), longest)), 30_000
			}
			fmt.Fprintf(&text, "%s%0*d", prefix, digits, draw.IntN(names))
			groups[i][j] = one
		}
	}
	keys = unsafe.String(unsafe.SliceData(outside([]byte(text.String()))), text.Len())
	return outside(groups)
}

// outside moves what is to be sent out of Go's heap, whose collector runs when it has doubled: with three megabytes more it
// would run half as often as in a program that has only the client.
func outside[T any](content []T) []T {
	size, flags := len(content)*int(unsafe.Sizeof(content[0])), syscall.MAP_ANON|syscall.MAP_PRIVATE
	bytes, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, flags)
	check(err)
	moved := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bytes))), len(content))
	copy(moved, content)
	return moved
}

func sync(client rueidis.Client, group *[batch]command) {
	for _, one := range group {
		if one.size > 0 {
			check(client.Do(ctx, client.B().Set().Key(one.key()).Value(one.value()).Build()).Error())
			continue
		}
		_, err := client.Do(ctx, client.B().Get().Key(one.key()).Build()).ToString()
		check(err)
	}
}

func batching(client rueidis.Client, group *[batch]command) {
	commands := make(rueidis.Commands, 0, batch)
	for _, one := range group {
		if one.size > 0 {
			commands = append(commands, client.B().Set().Key(one.key()).Value(one.value()).Build())
		} else {
			commands = append(commands, client.B().Get().Key(one.key()).Build())
		}
	}
	for _, response := range client.DoMulti(ctx, commands...) {
		_, err := response.ToString()
		check(err)
	}
}

func check(err error) {
	if err != nil && !rueidis.IsRedisNil(err) {
		panic(err)
	}
}

func main() {
	host, port, scenario, prefix := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	lines := bufio.NewScanner(os.Stdin)
	lines.Scan()
	// One connection, as the scenarios have it. As installed there are as many as processors, up to four, and their buffers,
	// a megabyte each, make Go's collector run less often.
	client, err := rueidis.NewClient(rueidis.ClientOption{
		InitAddress: []string{net.JoinHostPort(host, port)}, Password: lines.Text(), PipelineMultiplex: -1,
	})
	check(err)
	defer client.Close()
	perform := sync
	if scenario == "batching" {
		perform = batching
	}
	groups, at := made(prefix), 0
	check(client.Do(ctx, client.B().Ping().Build()).Error())
	fmt.Println("ready")
	for lines.Scan() {
		seconds, err := strconv.ParseFloat(lines.Text(), 64)
		check(err)
		operations, started := 0, time.Now()
		took := time.Duration(0)
		for ; took.Seconds() < seconds; took = time.Since(started) {
			perform(client, &groups[at])
			at = (at + 1) % len(groups)
			operations += batch
		}
		fmt.Println(operations, took.Nanoseconds())
	}
}
