// Command controller is a client as controllers are written, on client-go
// alone: shared informers, leader election, and a writer that limits its own
// rate. It tells on standard output what it goes through, one line of JSON for
// each event, until its standard input ends.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/go-logr/logr/funcr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

// retriesAreLogged is the verbosity from which client-go says that it was told
// to come again later.
const retriesAreLogged = 4

// settings are what the command line says.
type settings struct {
	kubeconfig string
	// Whose objects are watched and written.
	namespace string
	// Of this client, of its lease, and in what it writes.
	name string
	// How long the lease holds without being renewed; none without.
	lease time.Duration
	// How often an object is written, at most; never without.
	writeEvery time.Duration
	// What the writer limits itself to, in requests a second.
	qps float64
	// When a watch ends and the next begins; client-go's own choice without.
	watchSeconds int64
	protobuf     bool
}

func main() {
	var given settings
	flag.StringVar(&given.kubeconfig, "kubeconfig", "", "how to reach the server")
	flag.StringVar(&given.namespace, "namespace", "default", "namespace of everything that is watched and written")
	flag.StringVar(&given.name, "name", "", "name of this client")
	flag.DurationVar(&given.lease, "lease", 0, "how long a lease holds; without it no leader is elected")
	flag.DurationVar(&given.writeEvery, "write-every", 0, "how often to write; without it nothing is written")
	flag.Float64Var(&given.qps, "qps", 5, "requests a second that the writer limits itself to")
	flag.Int64Var(&given.watchSeconds, "watch-seconds", 0, "when watches end and begin anew")
	flag.BoolVar(&given.protobuf, "protobuf", false, "speak protobuf instead of JSON")
	flag.Parse()

	out := newTeller(os.Stdout)
	klog.SetLoggerWithOptions(
		funcr.NewJSON(out.logged, funcr.Options{Verbosity: retriesAreLogged}),
		klog.ContextualLogger(true),
	)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		// Whoever started it and is gone has closed its input.
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	if err := run(ctx, given, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, given settings, out *teller) error {
	config, err := clientcmd.BuildConfigFromFlags("", given.kubeconfig)
	if err != nil {
		return err
	}
	config.WarningHandler = warnings{out}
	config.Wrap(out.observe)
	if given.protobuf {
		config.ContentType = "application/vnd.kubernetes.protobuf"
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	// A kind that servers warn of.
	if _, err := client.CoreV1().Endpoints(given.namespace).List(ctx, metav1.ListOptions{}); err != nil {
		out.failed("list of endpoints", err)
	}
	stopInforming, err := inform(ctx, client, given, out)
	if err != nil {
		return err
	}
	defer stopInforming()

	// Whoever stops the writer and the leader waits for what they still say.
	done := make(chan struct{}, 2)
	go func() {
		defer func() { done <- struct{}{} }()
		if given.writeEvery == 0 {
			return
		}
		limited := rest.CopyConfig(config)
		limited.QPS, limited.Burst = float32(given.qps), 1
		writer, err := kubernetes.NewForConfig(limited)
		if err != nil {
			out.failed("writer", err)
			return
		}
		write(ctx, writer.CoreV1().ConfigMaps(given.namespace), given, out)
	}()
	go func() {
		defer func() { done <- struct{}{} }()
		if given.lease > 0 {
			lead(ctx, client, given, out)
		}
	}()
	<-ctx.Done()
	<-done
	<-done
	return nil
}
