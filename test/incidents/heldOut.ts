import { builtInLevel, flowSchema, queueLevel } from './flowObjects.ts'
import type { Falsehood, Incident } from './incident.ts'
import { account, component, everyday, leases, lists, node, person, writes, type Pace } from './senders.ts'

const after = (at: number, pace: Pace): Pace => ({ ...pace, from: at })
const blames = (names: string): Falsehood => ({
  why: 'an innocent is blamed',
  words: new RegExp(
    String.raw`(?:${names})\b[^.]{0,40} (?:sends? most|floods|holds? most|is the (?:cause|culprit))|(?:caused by|slow down|because of) (?:[a-z-]+:)?(?:${names})\b`,
    'i',
  ),
})
const NO_EDIT: Falsehood = { why: 'no edit is to blame', words: /(?:most likely|cause)[^.]*\bedit\b|\bundo\b/i }
const NO_RESTART: Falsehood = { why: 'no server restarted', words: /restarted|fewer seats than before/i }
const NO_LONGER_QUEUES: Falsehood = {
  why: 'longer queues only let the flood wait longer',
  words: /(?:longer|lengthen|raise)[^.]*queue(?:LengthLimit| length|s\b)/i,
}

const CONSEQUENCE: Falsehood = {
  why: 'that requests take longer follows from the load, and no webhook is slow',
  words: /so the server itself or its etcd is slow|Look at what only these requests use/,
}

const services = (...names: readonly string[]) => names.map((name) => account('pay', name))

/** What nobody reads who builds the verdict. */
export const HELD_OUT: readonly Incident[] = [
  {
    name: 'restart-with-fewer-seats',
    kind: 'restart with lower --max-requests-inflight',
    limits: [40, 20],
    onset: 75,
    asked: 150,
    clients: [
      ...everyday(),
      ...services('ledger', 'settle', 'refund', 'fraud', 'audit').map((who) =>
        writes(who, { workers: 8, thinkMs: 300 }, { holdMs: 350 }),
      ),
    ],
    events: [{ at: 75, run: ({ restart }) => restart([10, 5]) }],
    truth: {
      story:
        'Five accounts use about 20 seats of workload-low all the time. At second 75 the server restarts with --max-requests-inflight=10 and --max-mutating-requests-inflight=5 instead of 40 and 20. The clients send as before and wait since.',
      symptom: { given: 'requests wait in workload-low', words: [/workload-low/, /wait|queue/i] },
      cause: {
        given: 'the server restarted with 15 seats instead of 60',
        words: [/fewer seats|flags?|inflight|15 (?:seats )?(?:instead|in place|of|seats)|60/i],
      },
      culprit: {
        given: 'the flags --max-requests-inflight and --max-mutating-requests-inflight',
        words: [/inflight|flags?|seats than before/i],
      },
      victims: {
        given: 'pay:ledger, settle, refund, fraud, audit',
        words: [/ledger|settle|refund|fraud|pay:audit|service-accounts|\b[45] (?:users|flows|clients|accounts)/],
      },
      remedy: { given: 'set the flags back', words: [/flags?|inflight/i] },
      forbidden: [
        blames('ledger|settle|refund|fraud|audit'),
        { why: 'nobody sends more', words: /flow floods|more requests/i },
        NO_EDIT,
        NO_LONGER_QUEUES,
      ],
    },
  },
  {
    name: 'inventory-lists-everything',
    kind: 'a wide-list client (page size)',
    limits: [80, 40],
    stored: 1_500,
    onset: 70,
    asked: 150,
    clients: [
      ...everyday(),
      ...services('ledger', 'settle', 'refund').map((who) => writes(who, { workers: 3, thinkMs: 400 }, { holdMs: 80 })),
      lists(account('store', 'catalog-ui'), { workers: 2, thinkMs: 800 }, { limit: 50 }),
      lists(account('store', 'inventory'), after(70, { workers: 24, thinkMs: 200 }), { unreadMs: 3_000 }),
    ],
    truth: {
      story:
        'From second 70 store:inventory lists all 1,500 configmaps of catalog without limit, 24 at a time, and takes three seconds to read each answer. Each list is several seats wide. store:catalog-ui lists the same objects by 50 and does no harm.',
      symptom: { given: 'requests wait in workload-low', words: [/workload-low/, /wait|queue|reject/i] },
      cause: {
        given: 'wide lists without limit (read slowly)',
        words: [/wide|slow reader|reads? large answers|lists? /i],
      },
      culprit: { given: 'store:inventory', words: [/inventory/] },
      victims: { given: 'pay:ledger, settle, refund, store:catalog-ui', words: [/ledger|settle|refund|catalog-ui/] },
      remedy: {
        given: 'list in pages (limit), or resourceVersion=0, or watch',
        words: [/limit|pages?\b|watch/i, /inventory/],
      },
      forbidden: [CONSEQUENCE, blames('ledger|settle|refund|catalog-ui'), NO_EDIT, NO_RESTART, NO_LONGER_QUEUES],
    },
  },
  {
    name: 'guard-catches-leases',
    kind: 'leases and heartbeats in the wrong level',
    limits: [26, 14],
    onset: 70,
    asked: 150,
    objects: [
      queueLevel('guarded', 5, { queues: 8, handSize: 2, length: 20 }),
      flowSchema('guarded', { subjects: [{ user: 'legacy-agent' }], to: 'guarded', precedence: 900 }),
    ],
    clients: [
      ...everyday(0),
      ...services('ledger', 'settle').map((who) => writes(who, { workers: 2, thinkMs: 400 }, { holdMs: 80 })),
      leases(component('controller-manager'), { workers: 2, thinkMs: 400 }, { holdMs: 40 }),
      leases(component('scheduler'), { workers: 2, thinkMs: 400 }, { holdMs: 40 }),
      ...Array.from({ length: 12 }, (_, index) =>
        leases(
          node(`ip-10-0-0-${index + 10}`),
          { workers: 1, thinkMs: 500 },
          { holdMs: 60, namespace: 'kube-node-lease' },
        ),
      ),
      writes(person('legacy-agent'), { workers: 1, thinkMs: 300 }, { holdMs: 100 }),
    ],
    events: [
      {
        at: 70,
        run: ({ control }) =>
          control.applyAs(
            'security-gitops',
            flowSchema('lease-guard', {
              subjects: [{ group: 'system:authenticated' }],
              to: 'guarded',
              precedence: 90,
              groups: ['coordination.k8s.io'],
              resources: ['leases'],
            }),
          ),
      },
    ],
    truth: {
      story:
        'At second 70 security-gitops creates the flow schema lease-guard (precedence 90), which sends every request about leases to the level guarded of one seat: the leases of the leaders and of twelve nodes wait there with each other.',
      symptom: {
        given: 'leases (leader election, node heartbeats) wait in guarded',
        words: [/guarded/, /wait|queue|reject/i, /lease|heartbeat|leader/i],
      },
      cause: { given: 'the new flow schema lease-guard catches leases', words: [/lease-guard/] },
      culprit: { given: 'FlowSchema lease-guard, by security-gitops', words: [/lease-guard/] },
      victims: {
        given: 'kube-controller-manager, kube-scheduler, the nodes',
        words: [/controller-manager|scheduler|nodes?\b/i],
      },
      remedy: {
        given: 'delete lease-guard, or let it not match leases of leaders and nodes',
        words: [/lease-guard/, /delete|undo|remove|narrow|revert/i],
      },
      forbidden: [
        blames(String.raw`ledger|settle|legacy-agent|system:node:[a-z0-9-]+|controller-manager|scheduler`),
        { why: 'nobody sends more', words: /flow floods|more requests/i },
        NO_RESTART,
        NO_LONGER_QUEUES,
      ],
    },
  },
  {
    name: 'one-namespace-many-senders',
    kind: 'a flow that is a namespace shared by several senders',
    limits: [26, 14],
    onset: 70,
    asked: 150,
    objects: [
      queueLevel('teams', 40, { queues: 32, handSize: 4, length: 40 }),
      flowSchema('teams', {
        subjects: [{ group: 'system:serviceaccounts:team-a' }, { group: 'system:serviceaccounts:team-b' }],
        to: 'teams',
        precedence: 650,
        by: 'ByNamespace',
      }),
    ],
    clients: [
      ...everyday(),
      writes(account('team-a', 'web'), { workers: 2, thinkMs: 300 }, { holdMs: 80, namespace: 'team-a' }),
      writes(account('team-a', 'cron'), { workers: 1, thinkMs: 400 }, { holdMs: 80, namespace: 'team-a' }),
      writes(account('team-b', 'web'), { workers: 2, thinkMs: 300 }, { holdMs: 80, namespace: 'team-b' }),
      writes(account('team-b', 'api'), { workers: 2, thinkMs: 300 }, { holdMs: 80, namespace: 'team-b' }),
      writes(account('team-a', 'importer'), after(70, { workers: 45 }), { holdMs: 600, namespace: 'team-a' }),
    ],
    truth: {
      story:
        'The schema teams makes one flow of each namespace. team-a:importer floods from second 70; team-a:web and team-a:cron are in the same flow, namespace team-a, and wait behind it for seconds. team-b is hardly delayed.',
      symptom: { given: 'requests wait in teams', words: [/\bteams\b/, /wait|queue|reject/i] },
      cause: {
        given: 'importer floods a flow that it shares with others (ByNamespace)',
        words: [/namespace|several users|shared?/i, /team-a/],
      },
      culprit: { given: 'team-a:importer', words: [/importer/] },
      victims: { given: 'team-a:web and team-a:cron, which share the flow', words: [/team-a:(?:web|cron)|\bcron\b/] },
      remedy: {
        given: 'distinguish by user, or slow importer down',
        words: [/ByUser|by user|slow[^.]*importer|importer[^.]*level of its own/i],
      },
      forbidden: [CONSEQUENCE, blames('cron|web|api'), NO_EDIT, NO_RESTART, NO_LONGER_QUEUES],
    },
  },
  {
    name: 'shares-lowered-beside-a-new-schema',
    kind: 'an edit that is to blame (shares lowered), beside one that is not',
    limits: [26, 14],
    onset: 70,
    asked: 150,
    clients: [
      ...everyday(),
      ...services('ledger', 'settle', 'refund', 'fraud').map((who) =>
        writes(who, { workers: 5, thinkMs: 250 }, { holdMs: 300 }),
      ),
      writes(person('nora'), { workers: 1, thinkMs: 700 }, { holdMs: 60 }),
    ],
    events: [
      {
        at: 70,
        run: ({ control }) =>
          control.applyAs(
            'cost-optimizer',
            builtInLevel('workload-low', (limited) => ({
              ...limited,
              nominalConcurrencyShares: 15,
              borrowingLimitPercent: 0,
            })),
          ),
      },
      {
        at: 81,
        run: ({ control }) =>
          control.applyAs(
            'netops',
            flowSchema('partner-api', {
              subjects: [{ user: 'partner-gateway' }],
              to: 'global-default',
              precedence: 7_000,
            }),
          ),
      },
    ],
    truth: {
      story:
        'Four accounts use about 11 seats of workload-low. At second 70 cost-optimizer gives the level 15 shares instead of 100 and forbids it to borrow: 4 seats. Eleven seconds later netops creates the flow schema partner-api, which matches nobody.',
      symptom: { given: 'requests wait in workload-low', words: [/workload-low/, /wait|queue/i] },
      cause: { given: 'the edit of workload-low', words: [/edit|chang|lowered|shares/i, /workload-low/] },
      culprit: {
        given: 'the edit of PriorityLevelConfiguration workload-low by cost-optimizer',
        words: [/cost-optimizer|(?:edit|chang)[^.]*workload-low|workload-low[^.]*(?:edit|chang|was)/i],
      },
      victims: {
        given: 'pay:ledger, settle, refund, fraud',
        words: [/ledger|settle|refund|fraud|service-accounts|\b[34] (?:users|flows|clients|accounts)/],
      },
      remedy: { given: 'undo the edit: 100 shares and borrowing', words: [/undo|revert|back|former|100/i] },
      forbidden: [
        blames('ledger|settle|refund|fraud|nora'),
        { why: 'partner-api matches nobody', words: /(?:most likely|cause)[^.]*partner-api|undo[^.]*partner-api/i },
        { why: 'nobody sends more', words: /flow floods|more requests/i },
        NO_RESTART,
        NO_LONGER_QUEUES,
      ],
    },
  },
  {
    name: 'own-level-edited-after-the-flood',
    kind: 'an edit that is not to blame (beside a flood), in a crowd',
    limits: [33, 17],
    onset: 70,
    asked: 150,
    clients: [
      ...everyday(),
      ...Array.from({ length: 14 }, (_, index) =>
        writes(person(`analyst-${String(index + 1).padStart(2, '0')}`), { workers: 1, thinkMs: 900 }, { holdMs: 90 }),
      ),
      writes(person('notebook-runner'), after(70, { workers: 36 }), { holdMs: 800 }),
    ],
    events: [
      {
        at: 88,
        run: ({ control }) =>
          control.applyAs(
            'oncall',
            builtInLevel('global-default', (limited) => ({ ...limited, lendablePercent: 40 })),
          ),
      },
    ],
    truth: {
      story:
        'Fourteen people read through global-default; the user notebook-runner floods it from second 70. At second 88 oncall lowers lendablePercent of global-default from 50 to 40, which takes nothing from it: requests waited 18 s before.',
      symptom: { given: 'requests wait in global-default', words: [/global-default/, /wait|queue|reject/i] },
      cause: { given: 'one client floods', words: [/flood|sends most|most of the requests/i] },
      culprit: { given: 'notebook-runner', words: [/notebook-runner/] },
      victims: {
        given: 'the fourteen analysts (alice and bob too)',
        words: [/analyst|alice|bob|\b1[3-6] (?:[a-z]+ )?(?:users|flows|clients|accounts)/i],
      },
      remedy: {
        given: 'slow notebook-runner down, or a level of its own',
        words: [/notebook-runner/, /slow|limit|fewer|level of its own|isolat/i],
      },
      forbidden: [CONSEQUENCE, blames(String.raw`analyst-\d\d|alice|bob`), NO_EDIT, NO_RESTART, NO_LONGER_QUEUES],
    },
  },
  {
    name: 'busier-but-well',
    kind: 'nothing wrong',
    limits: [40, 20],
    onset: 70,
    asked: 150,
    clients: [
      ...everyday(),
      ...services('ledger', 'settle', 'refund').map((who) => writes(who, { workers: 3, thinkMs: 500 }, { holdMs: 90 })),
      writes(account('pay', 'settle'), after(70, { workers: 3, thinkMs: 450 }), { holdMs: 90 }),
    ],
    events: [
      {
        at: 62,
        run: ({ control }) =>
          control.applyAs(
            'platform',
            flowSchema('partner-api', {
              subjects: [{ user: 'partner-gateway' }],
              to: 'workload-high',
              precedence: 7_000,
            }),
          ),
      },
    ],
    truth: {
      story:
        'Nothing is wrong: pay:settle sends twice as much from second 70, all of it is served at once, and a new flow schema matches nobody.',
      symptom: {
        given: 'nothing waits or is rejected',
        words: [/no request waits|nothing (?:waits|queues|is wrong)|delays nothing/i],
      },
      cause: { given: 'none', words: [/^(?![\s\S]*(?:most likely(?!: flow control delays nothing)|cause \())/i] },
      culprit: { given: 'nobody', words: [/^(?![\s\S]*(?:flood|culprit|sends most))/i] },
      victims: { given: 'nobody', words: [/^(?![\s\S]*(?:victim|suffer|delayed))/i] },
      remedy: { given: 'none needed', words: [/^(?![\s\S]*(?:slow down|undo|raise the|give it))/i] },
      forbidden: [
        { why: 'no request waits', words: /\d+ requests? waits?\b|is (?:rejecting|queueing)/i },
        { why: 'no client limits itself', words: /client-side throttling|limits itself/i },
        NO_EDIT,
        NO_RESTART,
      ],
    },
  },
  {
    name: 'two-loads-in-one-level',
    kind: 'two loads at once, in one level',
    limits: [26, 14],
    onset: 65,
    asked: 150,
    clients: [
      ...everyday(),
      ...services('ledger', 'settle', 'refund').map((who) => writes(who, { workers: 3, thinkMs: 400 }, { holdMs: 80 })),
      writes(account('ci', 'runner'), after(65, { workers: 45 }), { holdMs: 1_800 }),
      writes(account('ml', 'trainer'), after(80, { workers: 32 }), { holdMs: 4_000 }),
    ],
    truth: {
      story:
        'ci:runner floods workload-low from second 65 with 45 threads of 1.8 s, ml:trainer from second 80 with 32 of 4 s. Either alone takes all seats that the level can get; the three accounts of pay wait for a seat to be free.',
      symptom: { given: 'requests wait in workload-low', words: [/workload-low/, /wait|queue|reject/i] },
      cause: { given: 'two clients flood', words: [/flood|sends most|most of the requests/i] },
      culprit: { given: 'ci:runner and ml:trainer', words: [/ci:runner|\brunner/, /trainer/] },
      victims: { given: 'pay:ledger, settle, refund', words: [/ledger|settle|refund/] },
      remedy: {
        given: 'slow both down or give each a level of its own',
        words: [/runner|trainer/, /slow|limit|fewer|level of (?:its|their) own|isolat/i],
      },
      forbidden: [
        { why: 'it is a culprit', words: /Suffering: [^.\n]*(?:trainer|runner)/ },
        CONSEQUENCE,
        blames('ledger|settle|refund'),
        NO_EDIT,
        NO_RESTART,
        NO_LONGER_QUEUES,
      ],
    },
  },
]
