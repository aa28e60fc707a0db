package runner

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestSentinelsAreWhereTheTrialSays(t *testing.T) {
	var server Server
	if err := json.Unmarshal([]byte(`{"sentinels": [["127.0.0.1", 26379], ["::1", 26380]]}`), &server); err != nil {
		t.Fatal(err)
	}
	expected := []string{"127.0.0.1:26379", "[::1]:26380"}
	if found := server.SentinelAddresses(); !slices.Equal(found, expected) {
		t.Errorf("%v", found)
	}
	if none := (&Server{}).SentinelAddresses(); none != nil {
		t.Errorf("%v", none)
	}
}
