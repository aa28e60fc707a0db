module respmark/client

go 1.26.0

require (
	github.com/valkey-io/valkey-go v1.0.79
	respmark v0.0.0
)

require golang.org/x/sys v0.47.0 // indirect

replace respmark => ../..
