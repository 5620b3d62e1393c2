// Command etcd runs the upstream etcd server, at the version that the chosen
// Kubernetes release itself requires.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
