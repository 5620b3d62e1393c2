import { spawn } from 'node:child_process'
import { level, limited } from '../cluster/flowControl.ts'
import { builtInLevel, flowSchema, queueLevel } from './flowObjects.ts'
import type { Falsehood, Incident } from './incident.ts'
import { account, everyday, lists, person, reads, watches, writes } from './senders.ts'
import { slowWebhook } from './slowWebhook.ts'
import { after, blames, innocent, invoicer, orders, SERVER_BLAMED, team } from './truths.ts'

const ONSET = 60
const ASKED = 130

/** Of a first cause or a remedy: that a change is innocent may be said. */
const EDIT: Falsehood = { why: 'no edit is to blame', words: /^\d\. .*recent edit|undo/im }
const RESTART: Falsehood = { why: 'no restart is to blame', words: /^\d\. .*(?:restarted|fewer seats)/im }
const FLOOD: Falsehood = { why: 'no client sends more', words: /flow floods|receives more requests/i }

/** Incidents made after those of `second.ts`: several causes at once, and innocents that look guilty. */
export const THIRD: readonly Incident[] = [
  {
    name: 'slow-image-policy',
    kind: 'a webhook that becomes slow for one namespace',
    limits: [26, 14],
    onset: ONSET,
    asked: ASKED,
    clients: [
      ...everyday(),
      ...innocent,
      writes(account('web', 'frontend'), { workers: 60, thinkMs: 1_000 }, { holdMs: 80 }),
      writes(account('data', 'sync'), { workers: 3, thinkMs: 400 }, { holdMs: 80, namespace: 'team-a' }),
    ],
    events: [{ at: ONSET, run: ({ cluster }) => slowWebhook(cluster, 'shop', 1_500) }],
    truth: {
      story:
        'Nobody sends more. From second 60 an admission webhook delays each creation of a configmap in the namespace shop by 1.5 s; the same clients need many times the seats, and workload-low is full. data:sync writes to team-a, is not delayed by the webhook, and waits as well.',
      symptom: { given: 'requests wait in workload-low', words: [/workload-low/, /wait|queue/i] },
      cause: { given: 'creations take 1.5 s longer than before', words: [/slower|take longer|longer than before/i] },
      culprit: { given: 'what creations of configmaps use: an admission webhook', words: [/webhook|admission/i] },
      victims: {
        given: 'web:frontend, shop:orders, shop:cart, billing:invoicer, data:sync',
        words: [/frontend|orders|cart|invoicer|sync|service-accounts/],
      },
      remedy: { given: 'look at the webhook; more shares do not help', words: [/webhook|admission/i] },
      forbidden: [
        blames('orders|cart|invoicer|sync|frontend', 'no client is to blame'),
        FLOOD,
        EDIT,
        RESTART,
        { why: 'other requests are as fast as before', words: /the server itself or its etcd is slow/i },
      ],
    },
  },
  {
    name: 'smaller-after-restart',
    kind: 'a restart with fewer seats that harms one level, then a flood in another',
    limits: [40, 20],
    onset: ONSET,
    asked: 150,
    clients: [
      ...everyday(),
      writes(orders, { workers: 10, thinkMs: 200 }, { holdMs: 200 }),
      writes(invoicer, { workers: 10, thinkMs: 200 }, { holdMs: 200 }),
      writes(account('web', 'frontend'), { workers: 10, thinkMs: 200 }, { holdMs: 200 }),
      writes(person('bi-export'), after(90, { workers: 60 }), { holdMs: 600 }),
    ],
    events: [{ at: ONSET, run: ({ restart }) => restart([14, 6]) }],
    truth: {
      story:
        'At second 60 the server restarts with 20 seats instead of 60: workload-low, which used 15, has 9 and waits. From second 90 bi-export floods global-default, from which workload-low can no longer borrow.',
      symptom: {
        given: 'requests wait in workload-low and in global-default',
        words: [/workload-low/, /global-default/, /wait|queue|reject/i],
      },
      cause: {
        given: 'fewer seats than before; bi-export floods global-default',
        words: [/fewer seats|flood/i],
      },
      culprit: {
        given: 'the flags of the server (20 seats, 60 before), and bi-export',
        words: [/bi-export/, /20 seats|60 (?:seats )?before|max-requests-inflight|fewer seats/i],
      },
      victims: { given: 'orders, invoicer, frontend; alice and bob', words: [/orders|invoicer|frontend/] },
      remedy: {
        given: 'set the flags back; slow bi-export down',
        words: [/flag|in-?flight|back/i, /bi-export/],
      },
      forbidden: [blames('orders|invoicer|frontend|alice|bob', 'an innocent is blamed'), EDIT, SERVER_BLAMED],
    },
  },
  {
    name: 'storm-beside-listers',
    kind: 'a watch storm with innocent listers, and an innocent edit seconds before',
    limits: [40, 20],
    stored: 1_500,
    onset: 110,
    asked: 180,
    clients: [
      ...everyday(),
      ...innocent,
      lists(account('inventory', 'viewer'), { workers: 2, thinkMs: 900 }, { limit: 100 }),
      lists(account('audit', 'lister'), { workers: 2, thinkMs: 1_500 }, { unreadMs: 400 }),
      watches(account('mesh', 'proxy'), after(110, { workers: 70, thinkMs: 100 }), {
        unreadMs: 2_500,
        hangUpMs: 3_000,
      }),
    ],
    events: [
      {
        at: 104,
        run: ({ control }) =>
          control.applyAs(
            'argocd',
            builtInLevel('workload-high', (own) => ({ ...own, nominalConcurrencyShares: 42 })),
          ),
      },
    ],
    truth: {
      story:
        'audit:lister lists all configmaps of catalog all day, inventory:viewer in pages. From second 110, 70 proxies of mesh:proxy open watches with initial events, read slowly, lose the connection and begin again. argocd’s edit of workload-high at second 104 takes hardly a seat from workload-low.',
      symptom: { given: 'requests wait in workload-low', words: [/workload-low/, /wait|queue|reject/i] },
      cause: { given: 'watches being initialised hold the seats', words: [/watch/i] },
      culprit: { given: 'mesh:proxy', words: [/mesh:proxy/] },
      victims: {
        given: 'shop:orders, shop:cart, billing:invoicer, inventory:viewer, audit:lister',
        words: [/orders|cart|invoicer|viewer|lister/],
      },
      remedy: { given: 'back off with jitter, resume', words: [/back ?off|jitter|resume|resourceVersion/i] },
      forbidden: [blames('orders|cart|invoicer|viewer|lister', 'an innocent is blamed'), EDIT, RESTART, SERVER_BLAMED],
    },
  },
  {
    name: 'lender-beside-a-flood',
    kind: 'a flood beside a level that lends nearly all of its seats and keeps what it uses',
    limits: [26, 14],
    onset: ONSET,
    asked: ASKED,
    objects: [
      queueLevel('payments', 100, { queues: 32, handSize: 4, length: 50 }, { lendablePercent: 90 }),
      flowSchema('payments', {
        subjects: [{ group: 'system:serviceaccounts:payments' }],
        to: 'payments',
        precedence: 700,
      }),
    ],
    clients: [
      ...everyday(),
      ...innocent,
      writes(account('payments', 'api'), { workers: 12, thinkMs: 200 }, { holdMs: 300 }),
      writes(account('payments', 'ledger'), { workers: 4, thinkMs: 200 }, { holdMs: 300 }),
      writes(account('lab', 'notebook'), after(ONSET, { workers: 90 }), { holdMs: 1_500 }),
    ],
    truth: {
      story:
        'From second 60 lab:notebook floods workload-low. payments owns 12 of 40 seats, uses 9 and lends 90 % of them: it keeps what it uses, since no level with demand gets less than that or its nominal limit, and waits for nothing.',
      symptom: { given: 'requests wait in workload-low', words: [/workload-low/, /wait|queue|reject/i] },
      cause: { given: 'one client floods', words: [/flood/i] },
      culprit: { given: 'lab:notebook', words: [/lab:notebook/] },
      victims: { given: 'shop and billing in workload-low', words: [/orders|cart|invoicer/] },
      remedy: { given: 'slow notebook down, or a level of its own', words: [/notebook/, /slow|level of its own/i] },
      forbidden: [
        blames('api|ledger|orders|cart|invoicer', 'an innocent is blamed'),
        { why: 'payments waits for nothing', words: /payments:(?:api|ledger)|lendablePercent|lender squeezed/i },
        EDIT,
        RESTART,
        SERVER_BLAMED,
      ],
    },
  },
  {
    name: 'level-deleted-in-the-flood',
    kind: 'a level that holds a flood back is deleted during it',
    limits: [26, 14],
    onset: ONSET,
    asked: 140,
    objects: [
      queueLevel('log-ingest', 10, { queues: 16, handSize: 4, length: 50 }),
      flowSchema('log-ingest', {
        subjects: [{ account: 'shipper', of: 'logs' }],
        to: 'log-ingest',
        precedence: 700,
      }),
    ],
    clients: [
      ...everyday(),
      ...innocent,
      writes(account('web', 'frontend'), { workers: 6, thinkMs: 200 }, { holdMs: 150 }),
      writes(account('logs', 'shipper'), after(ONSET, { workers: 60 }), { holdMs: 700 }),
    ],
    events: [{ at: 85, run: ({ control }) => control.remove('PriorityLevelConfiguration', 'log-ingest') }],
    truth: {
      story:
        'logs:shipper floods its own small level log-ingest from second 60, which harms nobody else. At second 85 somebody deletes that level: its schema dangles, the flood goes to workload-low, where fair queuing lets the others wait for some tens of milliseconds.',
      symptom: { given: 'requests wait in workload-low', words: [/workload-low/, /wait|queue|reject/i] },
      cause: {
        given: 'logs:shipper floods workload-low since its level was deleted',
        words: [/flood|delet|dangling|recent edit/i],
      },
      culprit: {
        given: 'logs:shipper, and the deletion of log-ingest',
        words: [/logs:shipper/, /log-ingest/, /delet|dangl|does not exist|recent edit/i],
      },
      victims: {
        given: 'hardly anybody: orders, cart, invoicer and frontend by some tens of milliseconds',
        words: [/no other client of workload-low was seen to suffer|orders|cart|invoicer|frontend/],
      },
      remedy: { given: 'create the level again, or slow shipper down', words: [/log-ingest|shipper/] },
      forbidden: [
        blames('orders|cart|invoicer|frontend', 'an innocent is blamed'),
        RESTART,
        SERVER_BLAMED,
        {
          why: 'the level does not exist any more',
          words: /log-ingest (?:is (?:full|queueing|rejecting)|rejects)|requests? waits? in log-ingest/i,
        },
      ],
    },
  },
  {
    name: 'leases-for-one-seat',
    kind: 'heartbeats and leader election caught by a new schema; a busy but innocent client beside',
    limits: [26, 14],
    onset: ONSET,
    asked: ASKED,
    objects: [queueLevel('coordination', 5, { queues: 8, handSize: 2, length: 20 })],
    clients: [
      ...everyday(10),
      ...innocent,
      writes(account('ci', 'runner'), { workers: 12, thinkMs: 300 }, { holdMs: 300 }),
      writes(account('operators', 'fleet'), { workers: 3, thinkMs: 200 }, { holdMs: 300 }),
    ],
    events: [
      {
        at: ONSET,
        run: ({ control }) =>
          control.applyAs(
            'tidy-bot',
            flowSchema('coordination', {
              subjects: [{ group: 'system:authenticated' }],
              to: 'coordination',
              precedence: 90,
              namespaces: ['kube-node-lease', 'kube-system', 'shop'],
              groups: ['coordination.k8s.io', ''],
              resources: ['leases', 'configmaps'],
              verbs: ['create', 'update', 'patch'],
            }),
          ),
      },
    ],
    truth: {
      story:
        'Nobody sends more. At second 60 tidy-bot creates the flow schema coordination of precedence 90, which sends the leases of nodes and controllers and all writes of configmaps in shop to a level of one seat.',
      symptom: {
        given: 'requests wait in coordination, heartbeats and leases among them',
        words: [/coordination/, /wait|queue|reject|time/i, /heartbeat|lease|node/i],
      },
      cause: {
        given: 'the new schema coordination catches them',
        words: [/recent edit|wrong level|creat|catch/i, /coordination/],
      },
      culprit: { given: 'FlowSchema coordination, by tidy-bot', words: [/FlowSchema coordination/, /tidy-bot/] },
      victims: {
        given: 'system:node:worker-N, controller-manager, scheduler; runner, orders, fleet',
        words: [/worker-\d|nodes|heartbeat|lease/i],
      },
      remedy: { given: 'delete the schema', words: [/coordination/, /delete|undo|remove|narrow/i] },
      forbidden: [blames('runner|orders|cart|invoicer|fleet', 'no client floods'), FLOOD, RESTART, SERVER_BLAMED],
    },
  },
  {
    name: 'edit-and-slow-machine',
    kind: 'a guilty edit, and a machine that gets slow afterwards',
    limits: [26, 14],
    onset: ONSET,
    asked: ASKED,
    clients: [
      ...everyday(),
      writes(orders, { workers: 10, thinkMs: 200 }, { holdMs: 200 }),
      writes(invoicer, { workers: 8, thinkMs: 200 }, { holdMs: 200 }),
      writes(account('web', 'frontend'), { workers: 8, thinkMs: 200 }, { holdMs: 200 }),
      lists(account('inventory', 'viewer'), { workers: 1, thinkMs: 900 }, { limit: 100 }),
    ],
    stored: 800,
    events: [
      {
        at: ONSET,
        run: ({ control }) =>
          control.applyAs(
            'capacity-bot',
            builtInLevel('workload-low', (own) => ({
              ...own,
              nominalConcurrencyShares: 25,
              borrowingLimitPercent: 0,
            })),
          ),
      },
      {
        at: 85,
        run: () => {
          for (let index = 0; index < 6; index++)
            spawn('timeout', ['50', 'sh', '-c', 'while :; do :; done'], { stdio: 'ignore' })
          return Promise.resolve()
        },
      },
    ],
    truth: {
      story:
        'workload-low uses 13 of its 17 seats. At second 60 capacity-bot gives it 25 shares instead of 100 and forbids borrowing: it has 6 and waits. At second 85 other processes take the processors of the machine, which makes everything somewhat slower.',
      symptom: { given: 'requests wait in workload-low', words: [/workload-low/, /wait|queue|reject/i] },
      cause: { given: 'the edit of workload-low', words: [/recent edit|changed|shares/i] },
      culprit: { given: 'the edit, by capacity-bot', words: [/workload-low/, /capacity-bot/] },
      victims: { given: 'orders, invoicer, frontend, viewer', words: [/orders|invoicer|frontend|viewer/] },
      remedy: { given: 'undo the edit', words: [/undo|restore|back/i] },
      forbidden: [blames('orders|invoicer|frontend|viewer', 'no client floods'), FLOOD, RESTART],
    },
  },
  {
    name: 'one-of-twenty-in-a-namespace',
    kind: 'a culprit among 20 innocents that share its flow (ByNamespace); a second load of another level',
    limits: [26, 14],
    onset: ONSET,
    asked: ASKED,
    objects: [
      queueLevel('tenants', 60, { queues: 64, handSize: 6, length: 50 }),
      flowSchema('tenants', {
        subjects: [{ group: 'system:serviceaccounts:acme' }, { group: 'system:serviceaccounts:globex' }],
        to: 'tenants',
        precedence: 600,
        by: 'ByNamespace',
      }),
    ],
    clients: [
      ...everyday(),
      ...Array.from({ length: 20 }, (_, index) =>
        writes(account('acme', `job-${index + 1}`), { workers: 1, thinkMs: 900 }, { holdMs: 100, namespace: 'team-a' }),
      ),
      ...['api', 'web', 'mail'].map((name) =>
        writes(account('globex', name), { workers: 2, thinkMs: 500 }, { holdMs: 100, namespace: 'team-b' }),
      ),
      writes(account('acme', 'job-13'), after(ONSET, { workers: 50 }), { holdMs: 700, namespace: 'team-a' }),
      writes(person('bi-export'), after(75, { workers: 40 }), { holdMs: 600 }),
    ],
    truth: {
      story:
        'tenants has one flow for each namespace. From second 60 acme:job-13 floods it with 50 threads; its nineteen neighbours wait behind it in the same flow, globex does not. From second 75 bi-export floods global-default.',
      symptom: {
        given: 'requests wait in tenants and in global-default',
        words: [/tenants/, /global-default/, /wait|queue|reject/i],
      },
      cause: { given: 'job-13 floods the flow that others share', words: [/flood|several users in one flow/i] },
      culprit: { given: 'acme:job-13; bi-export', words: [/acme:job-13\b/, /bi-export/] },
      victims: {
        given: 'the other acme:job-N; alice and bob',
        words: [/acme:job-(?!13\b)\d|\b(?:1[0-9]|2\d) (?:other |more |small )?(?:users|flows|clients|accounts)/i],
      },
      remedy: {
        given: 'slow job-13 down, or flows by user; slow bi-export down',
        words: [/job-13\b|ByUser/, /bi-export/],
      },
      forbidden: [
        blames(String.raw`acme:job-(?!13\b)\d+|globex|alice|bob`, 'an innocent is blamed'),
        EDIT,
        RESTART,
        SERVER_BLAMED,
        {
          why: 'the neighbours share its flow, so fair queuing does not serve them between its requests',
          words: /job-13\b[^\n]*fair queuing serves the others/i,
        },
      ],
    },
  },
  {
    name: 'rejected-uploads',
    kind: 'a level that rejects under a new load, a flood in another level, a client that limits itself, an innocent edit',
    limits: [40, 20],
    onset: ONSET,
    asked: ASKED,
    objects: [
      level('uploads', limited(14, { lendablePercent: 0, borrowingLimitPercent: 0 })),
      flowSchema('uploads', {
        subjects: [{ group: 'system:serviceaccounts:media' }],
        to: 'uploads',
        precedence: 700,
      }),
    ],
    clients: [
      ...everyday(),
      ...innocent,
      reads(account('backup', 'archiver'), { workers: 10, perSecond: 4 }),
      writes(account('media', 'avatars'), { workers: 1, thinkMs: 500 }, { holdMs: 100 }),
      writes(account('media', 'thumbs'), { workers: 1, thinkMs: 600 }, { holdMs: 100 }),
      writes(account('media', 'transcoder'), after(ONSET, { workers: 12, thinkMs: 200 }), { holdMs: 900 }),
      writes(person('bi-export'), after(70, { workers: 60 }), { holdMs: 700 }),
    ],
    events: [
      {
        at: 54,
        run: ({ control }) =>
          control.applyAs(
            'argocd',
            builtInLevel('workload-high', (own) => ({ ...own, nominalConcurrencyShares: 42 })),
          ),
      },
    ],
    truth: {
      story:
        'uploads has three seats and no queues. From second 60 media:transcoder keeps them, and most requests of media:avatars and thumbs are rejected. From second 70 bi-export floods global-default. backup:archiver sends 4 requests a second evenly, as always; argocd’s edit at second 54 takes nothing from anybody.',
      symptom: {
        given: 'requests are rejected in uploads and wait in global-default',
        words: [/uploads/, /global-default/, /reject|429/i],
      },
      cause: {
        given: 'transcoder floods uploads, which has no queues',
        words: [/flood|without queues|sends most/i],
      },
      culprit: { given: 'media:transcoder, and bi-export', words: [/media:transcoder/, /bi-export/] },
      victims: {
        given: 'media:avatars and thumbs (rejected requests are in no dump: flow schema uploads); alice, bob',
        words: [/avatars|thumbs|flow schema uploads/],
      },
      remedy: {
        given: 'slow transcoder down or give uploads queues; slow bi-export down',
        words: [/transcoder|Queue/, /bi-export/],
      },
      forbidden: [
        blames('avatars|thumbs|archiver|orders|cart|invoicer|alice|bob', 'an innocent is blamed'),
        EDIT,
        RESTART,
        SERVER_BLAMED,
      ],
    },
  },
  {
    name: 'slow-policy-and-a-flood',
    kind: 'a webhook that becomes slow and a flood of another level at the same time, after an innocent restart',
    limits: [40, 20],
    onset: 90,
    asked: 165,
    clients: [
      ...everyday(),
      ...innocent,
      writes(account('web', 'frontend'), { workers: 70, thinkMs: 1_000 }, { holdMs: 80 }),
      writes(account('data', 'sync'), { workers: 3, thinkMs: 400 }, { holdMs: 80, namespace: 'team-a' }),
      writes(person('bi-export'), after(92, { workers: 60 }), { holdMs: 600 }),
    ],
    events: [
      { at: 30, run: ({ restart }) => restart([40, 20]) },
      { at: 90, run: ({ cluster }) => slowWebhook(cluster, 'shop', 2_000) },
    ],
    truth: {
      story:
        'At second 30 the server restarts as it was. From second 90 an admission webhook delays each creation of a configmap in shop by 2 s, so that the same clients fill workload-low; from second 92 bi-export floods global-default, from which workload-low borrowed.',
      symptom: {
        given: 'requests wait in workload-low and in global-default',
        words: [/workload-low/, /global-default/, /wait|queue|reject/i],
      },
      cause: {
        given: 'bi-export floods global-default; requests of workload-low take longer',
        words: [/flood|slower|longer/i],
      },
      culprit: {
        given: 'bi-export; a webhook, of which the console sees that requests of service-accounts take longer',
        words: [/bi-export/, /service-accounts|webhook/],
      },
      victims: {
        given: 'frontend, orders, cart, invoicer, sync; alice and bob',
        words: [/frontend|orders|cart|invoicer|sync/],
      },
      remedy: { given: 'slow bi-export down; look at the webhook', words: [/bi-export/, /webhook/i] },
      forbidden: [
        blames('frontend|sync|orders|cart|invoicer|alice|bob', 'no client of workload-low sends more'),
        EDIT,
        RESTART,
      ],
    },
  },
  {
    name: 'two-clients-of-one-level',
    kind: 'two loads in one level beside 12 innocents and an old dangling schema; nothing edited',
    limits: [30, 15],
    onset: ONSET,
    asked: ASKED,
    objects: [flowSchema('audit', { subjects: [{ account: 'exporter', of: 'audit' }], to: 'audit', precedence: 500 })],
    clients: [
      ...everyday(),
      ...Array.from({ length: 12 }, (_, index) => writes(team(index), { workers: 1, thinkMs: 600 }, { holdMs: 120 })),
      writes(account('search', 'indexer'), after(ONSET, { workers: 60 }), { holdMs: 900 }),
      writes(account('ci', 'runner'), after(72, { workers: 50 }), { holdMs: 700 }),
    ],
    truth: {
      story:
        'search:indexer floods workload-low from second 60 with 60 threads, ci:runner from second 72 with 50. The schema audit has named a level that does not exist for long, and nobody sends what it would take.',
      symptom: { given: 'requests wait in workload-low', words: [/workload-low/, /wait|queue|reject/i] },
      cause: { given: 'two clients flood', words: [/flood/i] },
      culprit: { given: 'search:indexer and ci:runner', words: [/search:indexer/, /ci:runner/] },
      victims: {
        given: 'the twelve team-NN:app, by some hundred milliseconds',
        words: [/team-\d\d|\b1\d (?:more |small )?(?:users|flows|clients|accounts)/i],
      },
      remedy: { given: 'slow both down', words: [/indexer|runner/, /slow|level of its own/i] },
      forbidden: [
        blames(String.raw`team-\d\d:app`, 'an innocent is blamed'),
        { why: 'no request is of the dangling schema', words: /^\d\. dangling|Cause \([a-z]+\), flow schema audit/im },
        EDIT,
        RESTART,
        SERVER_BLAMED,
      ],
    },
  },
  {
    name: 'shares-cut-under-a-flood',
    kind: 'a flood, and during it a guilty edit that cuts another level, whose victims wait for it alone',
    limits: [26, 14],
    onset: ONSET,
    asked: 140,
    objects: [
      queueLevel('payments', 60, { queues: 32, handSize: 4, length: 50 }),
      flowSchema('payments', {
        subjects: [{ group: 'system:serviceaccounts:payments' }],
        to: 'payments',
        precedence: 700,
      }),
    ],
    clients: [
      ...everyday(),
      ...innocent,
      writes(account('payments', 'api'), { workers: 8, thinkMs: 200 }, { holdMs: 200 }),
      writes(account('payments', 'ledger'), { workers: 4, thinkMs: 200 }, { holdMs: 200 }),
      writes(account('lab', 'notebook'), after(ONSET, { workers: 60 }), { holdMs: 800 }),
    ],
    events: [
      {
        at: 90,
        run: ({ control }) =>
          control.applyAs('finops', queueLevel('payments', 12, { queues: 32, handSize: 4, length: 50 })),
      },
    ],
    truth: {
      story:
        'lab:notebook floods workload-low from second 60, which harms payments in nothing. At second 90 finops gives payments 12 shares instead of 60: it has 2 seats instead of 8, uses 6, and waits.',
      symptom: {
        given: 'requests wait in workload-low and in payments',
        words: [/workload-low/, /payments/, /wait|queue|reject/i],
      },
      cause: {
        given: 'notebook floods workload-low; the edit took the seats of payments',
        words: [/flood|recent edit/i],
      },
      culprit: { given: 'lab:notebook, and the edit of payments by finops', words: [/lab:notebook/, /finops/] },
      victims: { given: 'payments:api and ledger; shop and billing', words: [/payments:(?:api|ledger)/] },
      remedy: { given: 'slow notebook down; undo the edit', words: [/notebook/, /undo/i] },
      forbidden: [
        blames('payments:api|payments:ledger|orders|cart|invoicer', 'an innocent is blamed'),
        RESTART,
        SERVER_BLAMED,
      ],
    },
  },
]
