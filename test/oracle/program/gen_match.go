package main

import (
	"fmt"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
)

// ---- match ----

var matchUsers = []string{"alice", "bob", "*", "", "system:anonymous", "system:kube-scheduler", "system:node:n1", "system:serviceaccount:kube-system:builder", "system:serviceaccount:kube-system:", "system:serviceaccount:default:sa1",
	"system:serviceaccount:kube-system:a:b", "system:serviceaccount:kube-systemx:builder", "system:serviceaccount:*:sa1"}
var matchGroups = []string{"system:authenticated", "system:unauthenticated", "system:masters", "system:nodes", "system:serviceaccounts", "dev", "*", "team-a"}

func genSubject(r *R) flowcontrolv1.Subject {
	switch r.Intn(10) {
	case 0, 1, 2:
		return flowcontrolv1.Subject{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: pick(r, matchUsers...)}}
	case 3, 4, 5, 6:
		return flowcontrolv1.Subject{Kind: flowcontrolv1.SubjectKindGroup, Group: &flowcontrolv1.GroupSubject{Name: pick(r, matchGroups...)}}
	case 7, 8:
		return flowcontrolv1.Subject{Kind: flowcontrolv1.SubjectKindServiceAccount, ServiceAccount: &flowcontrolv1.ServiceAccountSubject{Namespace: pick(r, "kube-system", "default", "*"), Name: pick(r, "*", "builder", "sa1", "")}}
	}
	// malformed: never matches
	return pick(r, flowcontrolv1.Subject{Kind: "Robot", User: &flowcontrolv1.UserSubject{Name: "*"}}, flowcontrolv1.Subject{Kind: flowcontrolv1.SubjectKindUser}, flowcontrolv1.Subject{Kind: flowcontrolv1.SubjectKindGroup},
		flowcontrolv1.Subject{Kind: flowcontrolv1.SubjectKindServiceAccount})
}

func list(r *R, star float64, xs ...string) []string {
	switch {
	case r.chance(star):
		return []string{"*"}
	case r.chance(0.05):
		return append(some(r, 2, xs), "*")
	case r.chance(0.03):
		return []string{}
	}
	return some(r, r.in(1, 4), xs)
}

func genFS(r *R, i int, pls []PL) flowcontrolv1.FlowSchema {
	fs := flowcontrolv1.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("fs-%d", i)}}
	fs.Spec.MatchingPrecedence = int32(pick(r, r.in(1, 10), r.in(1, 10000), 1000))
	fs.Spec.PriorityLevelConfiguration.Name = pick(r, pls...).Name
	if r.chance(0.08) {
		fs.Spec.PriorityLevelConfiguration.Name = "missing"
	}
	switch r.Intn(3) {
	case 0:
		fs.Spec.DistinguisherMethod = &flowcontrolv1.FlowDistinguisherMethod{Type: flowcontrolv1.FlowDistinguisherMethodByUserType}
	case 1:
		fs.Spec.DistinguisherMethod = &flowcontrolv1.FlowDistinguisherMethod{Type: flowcontrolv1.FlowDistinguisherMethodByNamespaceType}
	}
	for k := pick(r, 0, 1, 1, 1, 2, 3); k > 0; k-- {
		var rule flowcontrolv1.PolicyRulesWithSubjects
		for j := r.in(1, 3); j > 0; j-- {
			rule.Subjects = append(rule.Subjects, genSubject(r))
		}
		for j := pick(r, 0, 1, 1, 2); j > 0; j-- {
			rule.ResourceRules = append(rule.ResourceRules, flowcontrolv1.ResourcePolicyRule{
				Verbs:      list(r, 0.5, "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"),
				APIGroups:  list(r, 0.5, "", "apps", "coordination.k8s.io", "example.com"),
				Resources:  list(r, 0.5, "pods", "nodes", "namespaces", "pods/status", "pods/*", "secrets", "deployments", "leases", "deployments/scale", "serviceaccounts/token"),
				Namespaces: list(r, 0.5, "default", "kube-system", "ns1"), ClusterScope: r.chance(0.5)})
		}
		for j := pick(r, 0, 0, 1, 2); j > 0; j-- {
			rule.NonResourceRules = append(rule.NonResourceRules, flowcontrolv1.NonResourcePolicyRule{
				Verbs: list(r, 0.6, "get", "post", "head", "delete"), NonResourceURLs: list(r, 0.3, "/healthz", "/healthz/*", "/", "/*", "/livez", "/readyz/", "/apis/apps/v1", "/version", "/api", "/debug/*", "healthz", "")})
		}
		fs.Spec.Rules = append(fs.Spec.Rules, rule)
	}
	return fs
}

func genMatch(r *R, i int) any {
	in := MatchIn{ID: fmt.Sprintf("match-%d", i)}
	if i%10 == 0 {
		in.Levels = defaultPLs()
		for _, fs := range append(append([]*flowcontrolv1.FlowSchema{}, bootstrap.MandatoryFlowSchemas...), bootstrap.SuggestedFlowSchemas...) {
			in.FlowSchemas = append(in.FlowSchemas, *fs)
		}
		for k := r.in(0, 3); k > 0; k-- {
			in.FlowSchemas = append(in.FlowSchemas, genFS(r, k, in.Levels))
		}
	} else {
		in.Levels = []PL{{Name: "exempt", Type: "Exempt"}, {Name: "catch-all", Type: "Reject", Shares: 5}, {Name: "many", Type: "Queue", Shares: 30, Queues: 64, HandSize: 6, QueueLengthLimit: 50},
			{Name: "single", Type: "Queue", Shares: 30, Queues: 1, HandSize: 1, QueueLengthLimit: 50}, {Name: "two", Type: "Queue", Shares: 30, Queues: 2, HandSize: 1, QueueLengthLimit: 50}, {Name: "rej", Type: "Reject", Shares: 30}}
		for k := r.in(1, 9); k > 0; k-- {
			in.FlowSchemas = append(in.FlowSchemas, genFS(r, k, in.Levels))
		}
		if r.chance(0.3) { // an API object named like a mandatory one
			fs := genFS(r, 0, in.Levels)
			fs.Name = pick(r, "exempt", "catch-all")
			in.FlowSchemas = append(in.FlowSchemas, fs)
		}
	}
	for len(in.Requests) < 20 {
		q := MatchRequest{User: pick(r, matchUsers...), Groups: some(r, r.in(0, 3), matchGroups), Method: genMethod(r), URL: genPath(r) + pick(r, "", genQuery(r))}
		if q.Groups == nil {
			q.Groups = []string{}
		}
		if rr, err := httpRequest(q.Method, q.URL); err == nil {
			if _, err := riFactory.NewRequestInfo(rr); err == nil {
				in.Requests = append(in.Requests, q)
			}
		}
	}
	return in
}
