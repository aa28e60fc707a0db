package runner

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strconv"
)

// A Trial is the line without a name. A number that the scenario does not have is 0.
type Trial struct {
	Client   string         `json:"client"`
	Options  map[string]any `json:"options"`
	Scenario string         `json:"scenario"`
	Shape    Shape          `json:"shape"`
	Workload string         `json:"workload"`
	Samples  int            `json:"samples"`
	Open     bool           `json:"open"`
	Server   Server         `json:"server"`
}

// Is says whether an option has this value, as names have it.
func (t *Trial) Is(option, value string) bool {
	return fmt.Sprint(t.Options[option]) == value
}

// HasLimits says whether the trial is about how long callers wait: then the library's own limits hold, or those that the
// option `limits` names.
func (t *Trial) HasLimits() bool {
	return t.Options["limits"] != nil
}

// walkers returns how many walkers this process has.
func (t *Trial) walkers() int {
	if t.Scenario == "batching" {
		return max(t.Shape.Connections, 1)
	}
	return max(t.Shape.Threads, 1)
}

func (t *Trial) isSliding() bool {
	return t.Shape.Window == "sliding"
}

// commandsPerUnit returns how many commands a unit takes.
func (t *Trial) commandsPerUnit() int {
	if t.isSliding() {
		return 1
	}
	return max(t.Shape.Depth, 1)
}

// A Shape has the scenario's numbers and forms.
type Shape struct {
	Depth        int    `json:"depth"`
	Window       string `json:"window"`
	Form         string `json:"form"`
	Threads      int    `json:"threads"`
	Connections  int    `json:"connections"`
	MaxTotal     int    `json:"max_total"`
	MaxIdle      int    `json:"max_idle"`
	CacheEntries int    `json:"cache_entries"`
}

// Watched is what sentinels call the primary that they watch.
const Watched = "respmark"

// A Server is where it is, and how to log in; that of a cluster is one of its nodes.
type Server struct {
	Host       string `json:"host"`
	Port       int    `json:"port"`
	UnixSocket string `json:"unix_socket"`
	Database   int    `json:"database"`
	Username   string `json:"username"`
	Password   string `json:"password"`
	TLS        *TLS   `json:"tls"`
	Cluster    bool   `json:"cluster"`
	// Sentinels are those that tell which server is the primary, where there are any.
	Sentinels []Place `json:"sentinels"`
}

// A Place is a host and a port, as package net writes them.
type Place string

// UnmarshalJSON reads a host and a port.
func (p *Place) UnmarshalJSON(text []byte) error {
	var host string
	var port int
	if err := json.Unmarshal(text, &[]any{&host, &port}); err != nil {
		return err
	}
	*p = Place(net.JoinHostPort(host, strconv.Itoa(port)))
	return nil
}

// SentinelAddresses returns where the sentinels are, as package net has it; empty: there are none.
func (s *Server) SentinelAddresses() []string {
	var addresses []string
	for _, place := range s.Sentinels {
		addresses = append(addresses, string(place))
	}
	return addresses
}

// Address returns the network and the address of a server, as package net has them.
func (s *Server) Address() (network, address string) {
	if s.UnixSocket != "" {
		return "unix", s.UnixSocket
	}
	return "tcp", net.JoinHostPort(s.Host, strconv.Itoa(s.Port))
}

// TLS says how to speak it to the server; the files are PEM.
type TLS struct {
	CAFile          string `json:"ca_file"`
	CertificateFile string `json:"certificate_file"`
	KeyFile         string `json:"key_file"`
	Verify          bool   `json:"verify"`
}

// Config returns what crypto/tls takes; nil without TLS.
func (t *TLS) Config() (*tls.Config, error) {
	if t == nil {
		return nil, nil
	}
	config := &tls.Config{InsecureSkipVerify: !t.Verify}
	if t.CAFile != "" {
		pem, err := os.ReadFile(t.CAFile)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s has no certificate", t.CAFile)
		}
	}
	if t.CertificateFile != "" {
		keyFile := t.KeyFile
		if keyFile == "" {
			keyFile = t.CertificateFile
		}
		certificate, err := tls.LoadX509KeyPair(t.CertificateFile, keyFile)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{certificate}
	}
	return config, nil
}

// An order is any other line: one of its fields is not null.
type order struct {
	Client    *string    `json:"client"`
	Connect   *struct{}  `json:"connect"`
	Echo      *echo      `json:"echo"`
	Work      *work      `json:"work"`
	KeepGoing *keepGoing `json:"keep_going"`
	Bare      *bare      `json:"bare"`
}

// An echo asks for the first walker's replies to so many commands, or of so many bytes.
type echo struct {
	First    int `json:"first"`
	Commands int `json:"commands"`
	Bytes    int `json:"bytes"`
}

// Work is one slice; `first` has the number of each walker's first command.
type work struct {
	First    []int     `json:"first"`
	LeadInNs int64     `json:"lead_in_ns"`
	Ns       int64     `json:"ns"`
	Keep     bool      `json:"keep"`
	Arrivals *arrivals `json:"arrivals"`
}

// Arrivals say when the units of an open loop are due.
type arrivals struct {
	File string `json:"file"`
	At   int64  `json:"at"`
	// How many units are the lead-in's.
	LeadIn  int   `json:"lead_in"`
	DrainNs int64 `json:"drain_ns"`
	// How long before a unit is due whoever waits for it reads the clock; nil: the usual time.
	AwakeNs *int64 `json:"awake_ns"`
}

// A bare loop is what the measured one is compared with.
type bare struct {
	First int   `json:"first"`
	Ns    int64 `json:"ns"`
}
