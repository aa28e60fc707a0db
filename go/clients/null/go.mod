module respmark/client

go 1.26.0

require respmark v0.0.0

replace respmark => ../..
