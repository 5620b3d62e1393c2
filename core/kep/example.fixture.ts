/** The draft's example, with a marker between its documents and with the spelling of the original text. */
export const EXAMPLE = `kind: RequestPriority
meta: { name: system-top }
spec: { exempt: true }
---
kind: RequestPriority
meta: { name: system-high }
spec: { assuredConcurrencyShares: 100, queues: 128, handSize: 6, queueLengthLimit: 100 }
---
kind: RequestPriority
meta: { name: system-low }
spec: { assuredConcurrencyShares: 30, queues: 1, queueLengthLimit: 1000 }
---
kind: RequestPriority
meta: { name: workload-high }
spec: { assuredConcurrencyShares: 30, queues: 128, handSize: 6, queueLengthLimit: 100 }
---
kind: RequestPriority
meta: { name: workload-low }
spec: { catchAll: true, assuredConcurrencyShares: 100, queues: 128, handSize: 6, queueLengthLimit: 100 }
---
kind: FlowSchema
meta: { name: system-top }
spec:
  requestPriority: { name: system-top }
  match:
    - and:
        - superSet:
          field: groups
          set: ['system:masters']
---
kind: FlowSchema
meta: { name: system-high }
spec:
  requestPriority: { name: system-high }
  flowDistinguisher: { source: user }
  match:
    - and:
        - superSet: { field: groups, set: ['system:nodes'] }
        - equals: { field: resource, value: nodes }
    - and:
        - superSet: { field: groups, set: ['system:nodes'] }
        - equals: { field: namespace, value: kube-system }
    - and:
        - patternMatch: { field: user, pattern: 'system:controller:.*' }
        - inSet: { field: resource, set: [endpoints, configmaps, leases] }
        - equals: { field: namespace, value: kube-system }
---
kind: FlowSchema
meta: { name: system-low }
spec:
  matchingPriority: 900
  requestPriority: { name: system-low }
  flowDistinguisher: { source: user }
  match:
    - and:
        - equals: { field: user, value: 'system:controller:garbage-collector' }
---
kind: FlowSchema
meta: { name: workload-high }
spec:
  requestPriority: { name: workload-high }
  flowDistinguisher: { source: namespace }
  match:
    - and:
        - notPatternMatch:
          field: user
          pattern: system:serviceaccount:.*
---
kind: FlowSchema
meta: { name: workload-low }
spec:
  matchingPriority: 9999
  requestPriority: { name: workload-high }
  flowDistinguisher: { source: namespace }
  match:
    - and: []
---
kind: FlowSchema
meta: { name: system-top }
spec:
  matchingPriority: 900
  requestPriority: { name: system-top }
  flowDistinguisher: { source: user }
  match:
    - and:
        - inSet: { field: resource, set: [tokenreviews, subjectaccessreviews] }
        - superSet: { field: user, set: ['system:serviceaccount:example-com:network-apiserver'] }
`
