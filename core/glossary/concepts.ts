import type { TermId } from './glossary.ts'

/** Something to understand that takes more than the sentence of a term. */
interface Concept {
  readonly title: string
  readonly paragraphs: readonly string[]
  /** The terms that lead to it. */
  readonly terms: readonly TermId[]
}

/** What is behind the numbers: from KEP-1040, and what became of it. */
export const CONCEPTS = {
  goals: {
    title: 'Goals, and their order',
    paragraphs: [
      'Flow control has three goals: first the server survives overload, then its capacity is divided fairly, then as much is served as possible. What-if ranks variants so.',
      'It is to prevent: maintenance of the cluster crowded out (S1), priority inversion (S2), low priority without any capacity (S3), a starved garbage collector (S4), a controller or kubelet that runs amuck (S5, S6), and overbearing tenants (S7, S20). What-if › Scenarios runs each of them.',
    ],
    terms: ['apf', 'priority-inversion'],
  },
  limits: {
    title: 'What it does not do',
    paragraphs: [
      'Each server protects itself: servers do not coordinate, nor with a load balancer. It protects processor and memory of the API server; not etcd, not the network, not clients that read slowly, and nothing below HTTP. Nothing is tuned by itself.',
      'Deferred by the proposal: helping load balancers (the Retry-After of today is all), CONNECT requests (still not handled), overload of etcd (the etcd proxy of this console limits it), downstream congestion, automatic limits (Advisor and etcd advice propose, a person decides), events (the admission plugin EventRateLimit exists beside it), and passing information along to avoid priority inversion (a schema for the secondary requests does it).',
    ],
    terms: ['apf', 'server-limit', 'long-running'],
  },
  isolation: {
    title: 'Isolation and fairness together',
    paragraphs: [
      'Levels isolate: a flood in one level cannot take the seats that another needs, at the latest after the next reallocation. Queues divide fairly inside a level: a flow that sends more waits longer, and one that sends little is served at once. Neither replaces the other: two tenants in one level need queues, and heartbeats need a level of their own.',
      'Levels are not ranked. A busy level may use more than its nominal limit while others are idle, so that an idle server shows smaller current limits than shares suggest.',
    ],
    terms: ['priority-level', 'flow', 'borrow', 'fair-share'],
  },
  chain: {
    title: 'Where in the server it acts',
    paragraphs: [
      'A request passes: panic recovery and deadline → authentication → audit → impersonation → priority and fairness (or, with the feature off, the two max-in-flight limits) → authorization → admission with its webhooks → storage. So a request that authorization will refuse has already waited, webhooks and etcd run while its seats are held, and flow control knows who asks.',
      'Watches hold their seats only until they are initialized. Logs, exec, attach, port-forward and proxying are not handled. A client that gives up frees its place in a queue at once; a handler that has begun continues until it notices, and keeps its seats that long.',
    ],
    terms: ['executing', 'long-running', 'watch', 'cancelled'],
  },
  versions: {
    title: 'Versions and switches',
    paragraphs: [
      '1.18 alpha (v1alpha1, fixed limits, one seat each) · 1.20 beta, on by default (v1beta1) · 1.22 widths of lists, initialization of watches · 1.23 v1beta2 · 1.26 borrowing, new names of limits (v1beta3) · 1.28 exempt takes part in borrowing (lendable 0 %, 50 % in the proposal) · 1.29 general availability (v1) · 1.31 the present arithmetic of exempt · 1.32 v1beta3 gone · 1.34 widths by the size of objects.',
      'The feature gate APIPriorityAndFairness and, since it is stable, only the flag --enable-priority-and-fairness=false turn it off; both need a restart of the server, and so do the two limits whose sum is its capacity. In 1.18 it also took --feature-gates=APIPriorityAndFairness=true with --runtime-config=flowcontrol.apiserver.k8s.io/v1alpha1=true. The proxy of this console switches between its modes without a restart.',
      'With it on, requests are decided otherwise: some that were accepted are rejected, and the other way round. What-if replays the same requests with max-in-flight and without.',
    ],
    terms: ['apf', 'server-limit', 'acs', 'autoupdate-spec'],
  },
  open: {
    title: 'What did not have to be finished',
    paragraphs: [
      'The proposal lists four items that block nothing: limits on long-running requests (not done: only the start of a watch is limited), constant numbers of seats in place of shares (not done: shares only), managing versions of built-in objects (done: the annotation autoupdate-spec), and telling paginated lists apart (done: the limit of a list determines its width).',
    ],
    terms: ['long-running', 'shares', 'autoupdate-spec', 'work-estimator'],
  },
  quadrants: {
    title: 'Two shortcuts of fair queuing',
    paragraphs: [
      'Virtual time pretends that queues get equal shares, and that a queue executes its requests one after another. Both can be otherwise, which makes four designs: equal or max-min shares, serial or concurrent execution in the virtual world. Kubernetes has equal and serial.',
      'Equal shares pretend that a queue uses seats that it cannot use, and it pays for them later (Windup, S16: the algorithm maxmin does not). Serial execution would have to revise the past when a request turns out longer than assumed; it does not, and corrects only from then on.',
    ],
    terms: ['virtual-time', 'max-min', 'bound-s'],
  },
  guess: {
    title: 'Why the assumed service time matters',
    paragraphs: [
      'How long a request takes is known only when it ends, so that virtual time charges an assumed time G and corrects it then. With equal widths any G gives the same order. With a G of 60 s and requests of 100 ms, a request of width 2 at the head of a queue costs that queue the time of 600 requests, and once it ends, its next one jumps forward by 1,198 instead of 599: the width outweighs everything. G is 3 ms today.',
      'Its price: until it ends, a long request costs its queue next to nothing, so that a slow reader gets the next seats too (S13).',
    ],
    terms: ['g', 'width', 'virtual-time'],
  },
  time: {
    title: 'Fair over which time',
    paragraphs: [
      'With 4 processors and 50 threads, no thread has 0.08 processors at any instant: it has one or none. With 600 seats and 5,000 flows, none has 0.12 of a request. Fairness is about what each got over time.',
      'Over too long a time, a flow could save credit and crowd others out; over too short a time there is nothing to average. The average can be over intervals, over a window that slides, or decay. A queue here keeps no credit from before its oldest waiting request.',
    ],
    terms: ['fair-share', 'flow', 'epoch'],
  },
  mice: {
    title: 'Elephants and mice',
    paragraphs: [
      'Each flow is dealt a hand of a few queues and joins the one with the least work. A mouse suffers only where elephants are in all of its queues: with 128 queues and a hand of 6, four elephants catch 16 mice in a million. A larger hand makes that rarer and lets one flow fill more queues: at most hand size × queue length limit requests of a flow wait.',
      'Classify › Sharding computes the odds of any shape and deals the hands of your flows (shard --trials deals thousands); S12 shows them as waits.',
    ],
    terms: ['shuffle-sharding', 'hand', 'hand-size', 'elephant', 'squished'],
  },
  suspicion: {
    title: 'Protection, or a wrong configuration',
    paragraphs: [
      'Rejections and long waits with much traffic and a busy processor are protection at work. With little traffic or an idle processor, suspect the configuration: a schema that catches too much, a level with too few seats. Waits belong only to levels whose seats are used up.',
      'Controllers then stop, heartbeats are dropped and load moves to other nodes, kube-proxy starves, leaders are lost (S14). The log of the server says “Unable to list PriorityLevelConfiguration objects” or “Unable to list FlowSchema objects” when it cannot read them. system:masters stays exempt, so that it can be mended.',
    ],
    terms: ['rejected', 'http-429', 'catch-all', 'wait'],
  },
  clients: {
    title: 'Clients and their rates',
    paragraphs: [
      'Clients are expected to keep copies with informers and to wait longer after each failure; client-go waits for Retry-After, at most ten times. A limit of concurrency turns into a rate by service time: 100 seats serve 1,000 requests a second of 100 ms, and 200 of 500 ms. So slower requests alone can cause rejections, at the same rate (S10).',
      'A controller with T threads and requests of W seconds wait and X seconds execution gets T ÷ (W + X) requests a second.',
    ],
    terms: ['retry-after', 'thundering-herd', 'wait'],
  },
  codel: {
    title: 'Why not CoDel',
    paragraphs: [
      'CoDel drops from a queue whose waits stay above 5 ms for 100 ms. Its numbers are those of Internet traffic: many packets in an interval, each far shorter. Here a request may take a minute, and the goal is a second: an interval with enough requests is too long to act. What-if has it as a variant.',
    ],
    terms: ['wait', 'queue-length-limit'],
  },
} as const satisfies Readonly<Record<string, Concept>>

export type ConceptId = keyof typeof CONCEPTS

export const isConcept = (id: string): id is ConceptId => Object.hasOwn(CONCEPTS, id)
/** In the order in which they are read. */
export const CONCEPT_IDS: readonly ConceptId[] = Object.keys(CONCEPTS).filter(isConcept)

/** The concepts that a term leads to. */
export const conceptsOf = (term: TermId): readonly ConceptId[] =>
  CONCEPT_IDS.filter((id) => CONCEPTS[id].terms.some((one) => one === term))

/** All whose title or text has every word, by the given test. */
export const conceptsWith = (holds: (text: string) => boolean): readonly ConceptId[] =>
  CONCEPT_IDS.filter((id) => holds(`${CONCEPTS[id].title} ${CONCEPTS[id].paragraphs.join(' ')}`))

/** Where all of it is written. */
export const REFERENCES = [
  ['Documentation of Kubernetes', 'https://kubernetes.io/docs/concepts/cluster-administration/flow-control/'],
  [
    'KEP-1040',
    'https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/1040-priority-and-fairness',
  ],
] as const
