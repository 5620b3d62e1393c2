module apf-console/bench/etcdpace

go 1.26.0

require (
	golang.org/x/net v0.49.0
	golang.org/x/sys v0.40.0
)

require golang.org/x/text v0.33.0 // indirect
