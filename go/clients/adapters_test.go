// Package clients holds the libraries' adapters, each of which is a module of its own.
package clients

import (
	"os"
	"os/exec"
	"testing"
)

func TestTheAdapterOfValkeyGoIsThatOfRueidis(test *testing.T) {
	made, err := exec.Command("sed", "-f", "rueidis/valkey.sed", "rueidis/adapter.go").Output()
	if err != nil {
		test.Fatal(err)
	}
	kept, err := os.ReadFile("valkey-go/adapter.go")
	if err != nil {
		test.Fatal(err)
	}
	if string(made) != string(kept) {
		test.Error("sed -f rueidis/valkey.sed rueidis/adapter.go >valkey-go/adapter.go, in go/clients")
	}
}
