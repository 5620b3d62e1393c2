package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
)

// ---- dump: the debug endpoints ----

type DumpStart struct {
	At            I64      `json:"at"`
	PriorityLevel string   `json:"priorityLevel"`
	FlowSchema    string   `json:"flowSchema"`
	Distinguisher string   `json:"distinguisher"`
	Hash          U64      `json:"hash"`
	User          string   `json:"user"`
	Groups        []string `json:"groups"`
	Method        string   `json:"method"`
	URL           string   `json:"url"`
	Initial       int      `json:"initialSeats"`
	Final         int      `json:"finalSeats"`
	Latency       I64      `json:"additionalLatency"`
}
type DumpIn struct {
	ServerLimit int         `json:"serverConcurrencyLimit"`
	StartTime   I64         `json:"startUnixNano"`
	Levels      []PL        `json:"priorityLevels"`
	Starts      []DumpStart `json:"starts"`
}
type DumpOut struct {
	PriorityLevels string `json:"dump_priority_levels"`
	Queues         string `json:"dump_queues"`
	Requests       string `json:"dump_requests"`
	Details        string `json:"dump_requests_details"`
}

func runDump(in DumpIn) (out DumpOut, err error) {
	clk := fakeClock()
	base := time.Unix(0, int64(in.StartTime)).UTC()
	clk.SetTime(base)
	c := newController(clk, in.ServerLimit, queueset.NewQueueSetFactory(clk))
	c.Digest(plObjects(in.Levels), []*flowcontrolv1.FlowSchema{})
	for _, s := range in.Starts {
		clk.SetTime(base.Add(time.Duration(s.At)))
		r, err := httpRequest(s.Method, s.URL)
		if err != nil {
			return out, err
		}
		ri, err := riFactory.NewRequestInfo(r)
		if err != nil {
			return out, err
		}
		rd := flowcontrol.RequestDigest{RequestInfo: ri, User: &user.DefaultInfo{Name: s.User, Groups: s.Groups}}
		c.QueueSet(s.PriorityLevel).StartRequest(withDigest(r.Context(), rd), &fcrequest.WorkEstimate{InitialSeats: uint64(s.Initial), FinalSeats: uint64(s.Final), AdditionalLatency: time.Duration(s.Latency)},
			uint64(s.Hash), s.Distinguisher, s.FlowSchema, nil, nil, nil)
	}
	m := mux.NewPathRecorderMux("x")
	c.Interface().Install(m)
	get := func(p string) string {
		w := httptest.NewRecorder()
		r, _ := http.NewRequest("GET", "/debug/api_priority_and_fairness/"+p, nil)
		m.ServeHTTP(w, r)
		return w.Body.String()
	}
	out = DumpOut{get("dump_priority_levels"), get("dump_queues"), get("dump_requests"), get("dump_requests?includeRequestDetails=x")}
	return
}

// genDump keeps to the requests of one level, at most one of them executing, because upstream's order of rows is otherwise random.
func genDump(r *R, i int) any {
	q := r.in(1, 12)
	in := DumpIn{ServerLimit: 7, Starts: []DumpStart{}, StartTime: I64(1_700_000_000_000_000_000 + r.Int63n(1e15)), Levels: []PL{{Name: "exempt", Type: "Exempt"}, {Name: "catch-all", Type: "Reject", Shares: 5, Lendable: p32(0)},
		{Name: pick(r, "q", "a-level-with-a-longer-name", "workload"), Type: "Queue", Shares: 1, Queues: int32(q), HandSize: 1, QueueLengthLimit: 50}}}
	if r.chance(0.3) {
		in.StartTime -= in.StartTime % 1_000_000_000
	}
	t := I64(0)
	active := in.Levels[2].Name // requests of one level only
	n := r.in(0, 8)
	if i%5 == 4 {
		active, n = pick(r, "exempt", "catch-all"), 1
	}
	for ; n > 0; n-- {
		t += pick(r, I64(r.Intn(1_000_000_000)), I64(r.Intn(1000))*1_000_000, I64(r.in(1, 5))*1_000_000_000)
		s := DumpStart{At: t, PriorityLevel: active, FlowSchema: pick(r, "fs-one", "s"), Distinguisher: pick(r, "", "alice", "system:serviceaccount:default:builder"), Hash: U64(r.Uint64()), User: pick(r, "alice", "bob", ""), Groups: []string{"dev"},
			Method: pick(r, "GET", "POST", "PUT"), URL: pick(r, "/api/v1/namespaces/ns1/pods/p1", "/apis/apps/v1/namespaces/ns1/deployments/d/scale", "/api/v1/nodes", "/healthz", "/apis/apps/v1/deployments?limit=5"), Initial: r.in(20, 22)}
		if r.chance(0.4) {
			s.Final, s.Latency = r.in(1, 10), pick(r, I64(5_000_000), 1_500_000_000, 1, 999, 50_000_001, 90_000_000_000, 1_000)
		}
		in.Starts = append(in.Starts, s)
	}
	return in
}
func withDigest(ctx context.Context, rd flowcontrol.RequestDigest) context.Context {
	return apirequest.WithUser(apirequest.WithRequestInfo(ctx, rd.RequestInfo), rd.User)
}
