// Command etcdctl is the client of the release that etcd beside it has.
package main

import "go.etcd.io/etcd/etcdctl/v3/ctlv3"

func main() { ctlv3.MustStart() }
