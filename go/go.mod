module respmark

go 1.26.0
