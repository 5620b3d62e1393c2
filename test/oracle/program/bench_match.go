package main

import (
	"encoding/json"
	"fmt"
	"os"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset"
)

// benchMatch times upstream's classification: the first schema in matching order that matches. The question is a file
// like one of `oracle match`. With --lines the digest of the request is made from method and address each time.
func benchMatch(o BenchOut, input string, lines bool) error {
	raw, err := os.ReadFile(input)
	if err != nil {
		return err
	}
	var in MatchIn
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	o.Bench, o.Items, o.Queues, o.HandSize = "match", len(in.FlowSchemas), 0, 0
	order, err := matchingOrder(in)
	if err != nil {
		return err
	}
	digests := make([]flowcontrol.RequestDigest, len(in.Requests))
	makers := make([]func() flowcontrol.RequestDigest, len(in.Requests))
	for i, q := range in.Requests {
		r, err := httpRequest(q.Method, q.URL)
		if err != nil {
			return err
		}
		u := &user.DefaultInfo{Name: q.User, Groups: q.Groups}
		makers[i] = func() flowcontrol.RequestDigest {
			ri, err := riFactory.NewRequestInfo(r)
			check(err)
			return flowcontrol.RequestDigest{RequestInfo: ri, User: u}
		}
		digests[i] = makers[i]()
	}
	return o.loop(func(i int) {
		k := i % len(digests)
		rd := digests[k]
		if lines {
			rd = makers[k]()
		}
		for at, fs := range order {
			if flowcontrol.OracleMatchesFlowSchema(rd, fs) {
				sink += float64(at)
				break
			}
		}
	})
}

func matchingOrder(in MatchIn) ([]*flowcontrolv1.FlowSchema, error) {
	byName := map[string]*flowcontrolv1.FlowSchema{}
	var all []*flowcontrolv1.FlowSchema
	for i := range in.FlowSchemas {
		fs := &in.FlowSchemas[i]
		byName[fs.Name] = fs
		all = append(all, fs)
	}
	clk := fakeClock()
	c := newController(clk, 600, queueset.NewQueueSetFactory(clk))
	c.Digest(plObjects(in.Levels), all)
	var order []*flowcontrolv1.FlowSchema
	for _, name := range c.FlowSchemaOrder() {
		fs, ok := byName[name]
		if !ok {
			return nil, fmt.Errorf("the question has no schema %q", name)
		}
		order = append(order, fs)
	}
	return order, nil
}
