package main

import (
	"fmt"
	"strings"
)

// ---- URLs ----

var urlResources = [][2]string{{"", "pods"}, {"", "nodes"}, {"", "namespaces"}, {"", "secrets"}, {"", "events"}, {"", "configmaps"}, {"", "serviceaccounts"}, {"apps", "deployments"}, {"apps", "replicasets"},
	{"coordination.k8s.io", "leases"}, {"batch", "jobs"}, {"example.com", "pods"}, {"rbac.authorization.k8s.io", "clusterroles"}}

func genQuery(r *R) string {
	var q []string
	add := func(p float64, s ...string) {
		if r.chance(p) {
			q = append(q, pick(r, s...))
		}
	}
	add(0.3, "limit=500", "limit=1", "limit=0", "limit=-5", "limit=abc", "limit=", "limit=50", "limit=100000", "limit=9223372036854775807", "limit=9223372036854775808", "limit=%201", "limit=0x10", "limit=+5", "limit=1.5")
	add(0.4, "resourceVersion=0", "resourceVersion=12345", "resourceVersion=", "resourceVersion=abc")
	add(0.2, "resourceVersionMatch=Exact", "resourceVersionMatch=NotOlderThan", "resourceVersionMatch=", "resourceVersionMatch=Other", "resourceVersionMatch=exact")
	add(0.12, "continue=token", "continue=")
	add(0.2, "fieldSelector=metadata.name%3Dfoo", "fieldSelector=spec.nodeName%3Dn1", "fieldSelector=status.phase%3DRunning", "fieldSelector=metadata.name%3D%3Dfoo", "fieldSelector=metadata.name%21%3Dfoo",
		"fieldSelector=metadata.name%3Da%2Fb", "fieldSelector=metadata.name%3D", "fieldSelector=metadata.name%3D..", "fieldSelector=bad", "fieldSelector=", "fieldSelector=metadata.name%3Dfoo,spec.nodeName%3Dn1",
		"fieldSelector=metadata.name%3Dx&fieldSelector=metadata.name%3Dy", "fieldSelector=spec.nodeName%3D", "fieldSelector=%2C")
	add(0.15, "labelSelector=app%3Dweb", "labelSelector=", "labelSelector=%28", "labelSelector=a+in+%28b%2Cc%29", "labelSelector=app%3Dweb&labelSelector=x")
	add(0.25, "watch=true", "watch=1", "watch=0", "watch=false", "watch=", "watch=TRUE", "watch=False", "watch=yes", "watch", "watch=true&watch=false")
	add(0.1, "sendInitialEvents=true", "sendInitialEvents=false", "sendInitialEvents=1", "sendInitialEvents=", "sendInitialEvents=0")
	add(0.06, "timeoutSeconds=30", "timeoutSeconds=x", "timeoutSeconds=", "timeoutSeconds=-1")
	add(0.05, "allowWatchBookmarks=true", "pretty=true", "dryRun=All", "timeout=5s", "allowWatchBookmarks=x")
	if len(q) == 0 {
		return ""
	}
	return "?" + strings.Join(q, "&")
}

func genPath(r *R) string {
	if r.chance(0.15) {
		return pick(r, "/", "/healthz", "/healthz/etcd", "/healthzz", "/readyz", "/livez/ping", "/api", "/api/", "/api/v1", "/api/v1/", "/apis", "/apis/apps", "/apis/apps/v1", "/apis/apps/v1/", "/version", "/metrics",
			"/openapi/v2", "/logs/", "/debug/pprof/heap", "//api/v1/pods", "/api//v1/pods", "/api/v1//pods", "/apis/apps//deployments", "/api/v1/watch", "/api/v1/proxy", "/apis/apps/v1/watch",
			"/api/v1/namespaces/", "/api/v1/namespaces/ns1/", "/API/v1/pods", "/apix/v1/pods", "/api/v1/namespaces//pods", "/healthz/*", "/a%2Fb", "/healthz/a%20b")
	}
	g := pick(r, urlResources...)
	p := "/api/v1"
	if g[0] != "" {
		p = "/apis/" + g[0] + "/" + pick(r, "v1", "v1beta1")
	}
	p += pick(r, "", "", "", "", "", "", "", "/watch", "/proxy")
	if r.chance(0.6) {
		p += "/namespaces/" + pick(r, "default", "kube-system", "ns1", "status", "finalize")
		if r.chance(0.1) {
			return p + pick(r, "", "/", "/status", "/finalize", "/other", "/status/x")
		}
	}
	p += "/" + g[1]
	if r.chance(0.5) {
		p += "/" + pick(r, "foo", "bar", "a.b", "x", "status", "a%2Fb")
		if r.chance(0.35) {
			p += "/" + pick(r, "status", "scale", "log", "exec", "token", "proxy", "finalize", "binding")
			if r.chance(0.2) {
				p += "/" + pick(r, "extra", "extra/more", "")
			}
		}
	} else if r.chance(0.1) {
		p += "/"
	}
	return p
}

func genMethod(r *R) string {
	return pick(r, "GET", "GET", "GET", "GET", "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "get", "CONNECT")
}

func genRequestInfo(r *R, i int) any { return RequestInfoIn{genMethod(r), genPath(r) + genQuery(r)} }

func genEstimate(r *R, i int) any {
	for {
		in := EstimateIn{Method: pick(r, "GET", "GET", "GET", "GET", "POST", "PUT", "PATCH", "DELETE"), URL: genPath(r) + genQuery(r), WatchList: !r.chance(0.15), SizeBased: !r.chance(0.25), ConsistentReads: r.chance(0.6)}
		if i%3 != 0 && in.Method == "GET" { // mostly collections
			g := pick(r, urlResources...)
			p := "/api/v1/"
			if g[0] != "" {
				p = "/apis/" + g[0] + "/v1/"
			}
			in.URL = p + pick(r, "", "namespaces/ns1/") + g[1] + genQuery(r)
		}
		in.NoRequestInfo = r.chance(0.02)
		in.Stats = EstimateStats{State: pick(r, "ok", "ok", "ok", "ok", "ok", "ok", "stale", "notfound", "error"), Count: I64(pick(r, 0, 1, r.in(0, 100), r.in(0, 3000), r.in(0, 200_000), 1_000_000)),
			AvgSize: I64(pick(r, 0, -1, r.in(1, 500), r.in(500, 20_000), r.in(20_000, 1_500_000), 100_000))}
		in.Watchers = pick(r, 0, r.in(0, 9), 9, 10, 11, r.in(0, 200), r.in(0, 20_000))
		in.MaxSeats = U64(pick(r, 0, 1, r.in(1, 15), r.in(1, 150), 100, 10))
		if rr, err := httpRequest(in.Method, in.URL); err == nil {
			if _, err := riFactory.NewRequestInfo(rr); err == nil {
				return in
			}
		}
	}
}

func genWatches(r *R, i int) any {
	urls := []string{}
	for _, res := range []string{"/api/v1/%spods", "/apis/example.com/v1/%spods", "/api/v1/%sconfigmaps", "/apis/apps/v1/%sdeployments"} {
		for _, ns := range []string{"", "namespaces/ns1/", "namespaces/ns2/"} {
			for _, q := range []string{"?watch=true", "?watch=true&fieldSelector=metadata.name%3Dfoo", "?watch=true&fieldSelector=spec.nodeName%3Dn1", "?watch=true&fieldSelector=spec.nodeName%3D", "?watch=true&fieldSelector=spec.nodeName%21%3Dn1",
				"?watch=true&labelSelector=a%3Db", "", "?watch=true&fieldSelector=spec.nodeName%3Dn1,status.phase%3DRunning", "?watch=1&fieldSelector=bad"} {
				urls = append(urls, fmt.Sprintf(res, ns)+q)
			}
		}
	}
	urls = append(urls, "/api/v1/namespaces?watch=true", "/api/v1/namespaces?watch=true&fieldSelector=metadata.name%3Dns1", "/api/v1/watch/namespaces/ns1/pods", "/api/v1/watch/namespaces/ns1/pods/foo", "/api/v1/watch/pods?fieldSelector=spec.nodeName%3Dn1", "/api/v1/watch/namespaces/ns1", "/api/v1/nodes?watch=true")
	var in WatchesIn
	for k := r.in(1, 40); k > 0; k-- {
		in.Watches = append(in.Watches, pick(r, urls...))
	}
	for k := r.in(5, 20); k > 0; k-- {
		p := pick(r, "/api/v1/namespaces/ns1/pods", "/api/v1/namespaces/ns1/pods/foo", "/api/v1/namespaces/ns1/pods/foo/status", "/api/v1/namespaces/ns2/pods/bar", "/apis/example.com/v1/namespaces/ns1/pods/foo", "/api/v1/namespaces/ns1/configmaps/foo",
			"/apis/apps/v1/namespaces/ns1/deployments/foo", "/api/v1/namespaces/ns1", "/api/v1/nodes/n1", "/api/v1/namespaces", "/api/v1/pods", "/healthz")
		in.Request = append(in.Request, RequestInfoIn{pick(r, "POST", "PUT", "PATCH", "DELETE", "GET"), p})
	}
	return in
}
