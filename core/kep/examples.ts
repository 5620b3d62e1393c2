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

/** Level, assured shares, queues and hand size of the recommended and mandatory levels of Kubernetes 1.18. */
const LEVELS_OF_1_18: readonly (readonly [name: string, shares: number, queues?: number, handSize?: number])[] = [
  ['system', 30, 64, 6],
  ['leader-election', 10, 16, 4],
  ['workload-high', 40, 128, 6],
  ['workload-low', 100, 128, 6],
  ['global-default', 20, 128, 6],
  ['catch-all', 1],
]
const SHARES_OF_1_18 = LEVELS_OF_1_18.reduce((sum, [, shares]) => sum + shares, 0)
/** The limits of such a server unless its flags say otherwise. */
const SEATS_OF_1_18 = 600

const responseOf = (queues?: number, handSize?: number): string =>
  queues === undefined
    ? '{ type: Reject }'
    : `{ type: Queue, queuing: { queues: ${queues}, handSize: ${handSize}, queueLengthLimit: 50 } }`

/** The levels of Kubernetes 1.18 as its API had them, with their seats and how to turn flow control on there. */
const ALPHA = [
  '# kube-apiserver --feature-gates=APIPriorityAndFairness=true \\',
  '#   --runtime-config=flowcontrol.apiserver.k8s.io/v1alpha1=true',
  ...LEVELS_OF_1_18.map(
    ([name, shares, queues, handSize]) => `---
apiVersion: flowcontrol.apiserver.k8s.io/v1alpha1
kind: PriorityLevelConfiguration
metadata: { name: ${name} }
spec:
  type: Limited
  limited:
    assuredConcurrencyShares: ${shares} # ${Math.ceil((SEATS_OF_1_18 * shares) / SHARES_OF_1_18)} of ${SEATS_OF_1_18} seats
    limitResponse: ${responseOf(queues, handSize)}`,
  ),
  '',
].join('\n')

/** The level exempt as the revision of the proposal has it that lets it take part in borrowing. */
const EXEMPT_OF_KEP = `# KEP-1040 lends half of exempt, servers none of it.
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: { name: exempt }
spec: { type: Exempt, exempt: { nominalConcurrencyShares: 0, lendablePercent: 50 } }
`

/** Texts of earlier designs that can be converted, by name. */
export const EXAMPLES = { 'kep-draft': EXAMPLE, 'kep-exempt': EXEMPT_OF_KEP, '1.18': ALPHA } as const
