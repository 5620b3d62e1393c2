import { spawn } from 'node:child_process'
import { builtInLevel, flowSchema, queueLevel } from './flowObjects.ts'
import type { Falsehood, Incident } from './incident.ts'
import { account, everyday, lists, person, reads, writes } from './senders.ts'
import { after, blames, innocent, invoicer, orders, SERVER_BLAMED, team } from './truths.ts'

const ONSET = 60
const ASKED = 125

/** Of a first cause or a remedy: that a change is innocent may be said. */
const EDIT: Falsehood = { why: 'no edit is to blame', words: /^\d\. .*recent edit|undo/im }
const RESTART: Falsehood = { why: 'no restart is to blame', words: /^\d\. .*(?:restarted|fewer seats)/im }

/** Incidents made after the first sixteen, for trying what nobody had thought of. */
export const SECOND: readonly Incident[] = [
  {
    name: 'two-in-a-crowd',
    kind: 'two loads of different kinds in one level with 20 innocent users; an innocent edit seconds before',
    limits: [30, 15],
    onset: ONSET,
    asked: ASKED,
    clients: [
      ...everyday(),
      ...Array.from({ length: 20 }, (_, index) => writes(team(index), { workers: 1, thinkMs: 700 }, { holdMs: 120 })),
      writes(account('ci', 'runner'), after(ONSET, { workers: 40 }), { holdMs: 800 }),
      writes(account('ml', 'trainer'), after(66, { workers: 14 }), { holdMs: 9_000 }),
    ],
    events: [
      {
        at: 56,
        run: ({ control }) =>
          control.applyAs(
            'argocd',
            builtInLevel('global-default', (limited) => ({ ...limited, nominalConcurrencyShares: 22 })),
          ),
      },
    ],
    truth: {
      story:
        'Twenty accounts of workload-low work evenly. At second 56 argocd gives global-default 22 shares instead of 20. At second 60 ci:runner begins with 40 threads of 0.8 s, at second 66 ml:trainer with 14 of 9 s.',
      symptom: { given: 'requests wait in workload-low', words: [/workload-low/, /wait|queue/i] },
      cause: { given: 'one client floods and another holds seats for long', words: [/flood|slow reader|holds seats/i] },
      culprit: { given: 'ci:runner and ml:trainer', words: [/ci:runner/, /ml:trainer/] },
      victims: {
        given: 'the twenty team-NN:app',
        words: [/team-\d\d|\b(?:19|20|2\d) (?:other )?(?:users|flows|clients|accounts)/i],
      },
      remedy: { given: 'slow runner down; let trainer hold seats for less', words: [/runner|trainer/] },
      forbidden: [blames(String.raw`team-\d\d:app`, 'an innocent is blamed'), EDIT, RESTART, SERVER_BLAMED],
    },
  },
  {
    name: 'reporting-goes-first',
    kind: 'an existing schema steals traffic by its precedence',
    limits: [26, 14],
    onset: ONSET,
    asked: ASKED,
    objects: [
      queueLevel('reporting', 8, { queues: 16, handSize: 4, length: 50 }),
      flowSchema('reporting', { subjects: [{ group: 'system:serviceaccounts' }], to: 'reporting', precedence: 9_500 }),
    ],
    clients: [
      ...everyday(),
      writes(orders, { workers: 4, thinkMs: 200 }, { holdMs: 150 }),
      writes(invoicer, { workers: 4, thinkMs: 200 }, { holdMs: 150 }),
      writes(account('web', 'frontend'), { workers: 6, thinkMs: 200 }, { holdMs: 150 }),
    ],
    events: [
      {
        at: ONSET,
        run: ({ control }) =>
          control.applyAs(
            'bi-team',
            flowSchema('reporting', {
              subjects: [{ group: 'system:serviceaccounts' }],
              to: 'reporting',
              precedence: 900,
            }),
          ),
      },
    ],
    truth: {
      story:
        'Nobody sends more. The schema reporting matched nothing, because service-accounts came before it; at second 60 bi-team sets its precedence from 9500 to 900, so that all service accounts go to the level reporting of two seats.',
      symptom: { given: 'requests wait in reporting', words: [/reporting/, /wait|queue/i] },
      cause: {
        given: 'the schema reporting is matched before service-accounts since an edit of its precedence',
        words: [/edit|chang/i, /precedence/i],
      },
      culprit: { given: 'FlowSchema reporting, by bi-team', words: [/reporting/, /bi-team/] },
      victims: { given: 'shop:orders, billing:invoicer, web:frontend', words: [/orders|invoicer|frontend/i] },
      remedy: { given: 'set the precedence back', words: [/undo|back|revert|restore/i] },
      forbidden: [
        blames('orders|invoicer|frontend|coredns-operator', 'no client floods'),
        { why: 'no client sends more', words: /flow floods|receives more requests/i },
        RESTART,
        SERVER_BLAMED,
      ],
    },
  },
  {
    name: 'limit-was-dropped',
    kind: 'page size removed from a list client',
    limits: [26, 14],
    stored: 1_500,
    onset: 110,
    asked: 175,
    clients: [
      ...everyday(),
      ...innocent,
      lists(account('inventory', 'scanner'), { workers: 6, thinkMs: 200, to: 110 }, { limit: 50, unreadMs: 300 }),
      lists(account('inventory', 'scanner'), after(110, { workers: 6, thinkMs: 200 }), { unreadMs: 300 }),
    ],
    truth: {
      story:
        'inventory:scanner lists the configmaps of catalog with limit=50; at second 110 a release of it drops the limit. Each list of 4.5 MB takes two seats instead of one, which nothing waits for, and the machine is busy: requests of all take five to ten times as long.',
      symptom: { given: 'requests of all take longer; none wait', words: [/take longer|slower/i] },
      cause: {
        given: 'whole lists keep the machine busy',
        words: [/lists?\b|list configmaps/i, /slower|take longer/i],
      },
      culprit: { given: 'inventory:scanner', words: [/inventory:scanner/] },
      victims: { given: 'everybody', words: [/orders|cart|invoicer|flow schema/] },
      remedy: { given: 'list with limit again', words: [/scanner/, /limit|page/i] },
      forbidden: [blames('orders|cart|invoicer', 'an innocent is blamed'), EDIT, RESTART],
    },
  },
  {
    name: 'heartbeats-among-the-crowd',
    kind: 'heartbeats that a standing schema sends to workload-low; a flood there',
    limits: [26, 14],
    onset: ONSET,
    asked: ASKED,
    objects: [flowSchema('edge-nodes', { subjects: [{ group: 'system:nodes' }], to: 'workload-low', precedence: 350 })],
    clients: [
      ...everyday(8),
      ...innocent,
      writes(account('edge', 'sync'), after(ONSET, { workers: 60 }), { holdMs: 900 }),
    ],
    truth: {
      story:
        'The schema edge-nodes has long sent all requests of nodes to workload-low. At second 60 edge:sync floods that level, and the heartbeats of eight nodes wait with everybody.',
      symptom: {
        given: 'requests wait in workload-low, heartbeats of nodes among them',
        words: [/workload-low/, /wait|queue/i, /heartbeat|node/i],
      },
      cause: {
        given: 'edge:sync floods; heartbeats are there because of edge-nodes',
        words: [/flood|edge-nodes/i],
      },
      culprit: { given: 'edge:sync, and the schema edge-nodes', words: [/edge:sync/, /edge-nodes/] },
      victims: { given: 'system:node:worker-N and shop, billing', words: [/worker-\d|nodes/] },
      remedy: {
        given: 'slow edge:sync down; send nodes to node-high or system again',
        words: [/edge:sync|edge-nodes/],
      },
      forbidden: [blames('orders|cart|invoicer|worker-\\d', 'an innocent is blamed'), EDIT, RESTART, SERVER_BLAMED],
    },
  },
  {
    name: 'level-made-anew',
    kind: 'a level deleted and created again with less',
    limits: [26, 14],
    onset: 75,
    asked: 140,
    objects: [
      queueLevel('batch-jobs', 40, { queues: 16, handSize: 4, length: 50 }),
      flowSchema('batch-jobs', {
        subjects: [{ group: 'system:serviceaccounts:jobs' }],
        to: 'batch-jobs',
        precedence: 700,
      }),
    ],
    clients: [
      ...everyday(),
      ...innocent,
      writes(account('jobs', 'etl'), { workers: 4, thinkMs: 100 }, { holdMs: 250 }),
      writes(account('jobs', 'mailer'), { workers: 2, thinkMs: 200 }, { holdMs: 150 }),
    ],
    events: [
      { at: ONSET, run: ({ control }) => control.remove('PriorityLevelConfiguration', 'batch-jobs') },
      {
        at: 75,
        run: ({ control }) =>
          control.applyAs('flux', queueLevel('batch-jobs', 5, { queues: 16, handSize: 4, length: 50 })),
      },
    ],
    truth: {
      story:
        'The level batch-jobs has 6 seats. At second 60 it is deleted, so that its schema dangles and its clients are served by workload-low; at second 75 flux creates it again with 5 shares instead of 40, one seat.',
      symptom: { given: 'requests wait in batch-jobs', words: [/batch-jobs/, /wait|queue/i] },
      cause: {
        given: 'batch-jobs was created again with fewer seats',
        words: [/edit|creat|chang|new level/i, /batch-jobs/],
      },
      culprit: { given: 'the level batch-jobs, by flux', words: [/batch-jobs/, /flux/] },
      victims: { given: 'jobs:etl and jobs:mailer', words: [/etl|mailer/] },
      remedy: { given: 'give it the shares that it had', words: [/batch-jobs/, /undo|shares|restore|back/i] },
      forbidden: [
        blames('orders|cart|invoicer|etl|mailer', 'no client floods'),
        { why: 'no client sends more', words: /flow floods|receives more requests/i },
        RESTART,
        SERVER_BLAMED,
      ],
    },
  },
  {
    name: 'burst-of-the-past',
    kind: 'a burst that ended three minutes ago',
    limits: [26, 14],
    onset: ONSET,
    asked: 275,
    clients: [
      ...everyday(),
      ...innocent,
      writes(account('ci', 'pipeline'), { workers: 60, from: ONSET, to: 90 }, { holdMs: 700 }),
    ],
    truth: {
      story: 'ci:pipeline floods workload-low from second 60 to 90; three minutes later somebody looks.',
      symptom: { given: 'nothing waits now', words: [/no request waits|nothing (?:waits|queues)|delays nothing/i] },
      cause: { given: 'nothing is wrong now', words: [/nothing|delays no/i] },
      culprit: { given: 'nobody now', words: [/nothing|no request/i] },
      victims: { given: 'nobody now', words: [/nothing|no request/i] },
      remedy: { given: 'nothing to do now', words: [/nothing|no request|no edit/i] },
      forbidden: [
        { why: 'nothing waits now', words: /\d+ requests? (?:wait|queue)s?\b|is (?:rejecting|queueing)/i },
        blames('orders|cart|invoicer', 'an innocent is blamed'),
        EDIT,
        RESTART,
        SERVER_BLAMED,
      ],
    },
  },
  {
    name: 'flood-after-restart',
    kind: 'a restart with other, larger flags; a flood a little later',
    limits: [26, 14],
    onset: 70,
    asked: 130,
    clients: [
      ...everyday(),
      ...innocent,
      writes(account('media', 'thumbnailer'), after(72, { workers: 70 }), { holdMs: 700 }),
    ],
    events: [{ at: 50, run: ({ restart }) => restart([30, 16]) }],
    truth: {
      story:
        'At second 50 the server restarts with 46 seats instead of 40, which harms nobody. At second 72 media:thumbnailer floods workload-low.',
      symptom: { given: 'requests wait in workload-low', words: [/workload-low/, /wait|queue/i] },
      cause: { given: 'one client floods', words: [/flood/i] },
      culprit: { given: 'media:thumbnailer', words: [/media:thumbnailer/] },
      victims: { given: 'shop:orders, shop:cart, billing:invoicer', words: [/orders|cart|invoicer/] },
      remedy: {
        given: 'slow thumbnailer down, or a level of its own',
        words: [/thumbnailer/, /slow|level of its own/i],
      },
      forbidden: [blames('orders|cart|invoicer', 'an innocent is blamed'), EDIT, RESTART, SERVER_BLAMED],
    },
  },
  {
    name: 'cure-that-harms',
    kind: 'a flood, and an edit for its level that takes the seats of another',
    limits: [26, 14],
    onset: ONSET,
    asked: 145,
    clients: [
      ...everyday(),
      writes(orders, { workers: 10, thinkMs: 200 }, { holdMs: 200 }),
      writes(invoicer, { workers: 8, thinkMs: 200 }, { holdMs: 200 }),
      writes(account('web', 'frontend'), { workers: 8, thinkMs: 200 }, { holdMs: 200 }),
      writes(person('bi-export'), after(ONSET, { workers: 60 }), { holdMs: 600 }),
    ],
    events: [
      {
        at: 85,
        run: ({ control }) =>
          control.applyAs(
            'sre-oncall',
            builtInLevel('global-default', (limited) => ({ ...limited, nominalConcurrencyShares: 400 })),
          ),
      },
    ],
    truth: {
      story:
        'bi-export floods global-default from second 60. At second 85 sre-oncall gives that level 400 shares instead of 20: workload-low, which used 13 of its 17 seats, has 7 and waits from then on.',
      symptom: {
        given: 'requests wait in global-default and in workload-low',
        words: [/workload-low/, /global-default/, /wait|queue/i],
      },
      cause: {
        given: 'bi-export floods global-default; the edit took the seats of workload-low',
        words: [/flood|recent edit/i],
      },
      culprit: { given: 'bi-export, and the edit of global-default', words: [/bi-export/, /sre-oncall|edit/] },
      victims: {
        given: 'orders, invoicer, frontend in workload-low; alice and bob',
        words: [/orders|invoicer|frontend/],
      },
      remedy: { given: 'slow bi-export down; undo the edit', words: [/bi-export|undo/i] },
      forbidden: [blames('orders|invoicer|frontend|alice|bob', 'an innocent is blamed'), RESTART, SERVER_BLAMED],
    },
  },
  {
    name: 'full-machine',
    kind: 'nothing wrong but a full machine',
    limits: [40, 20],
    stored: 800,
    onset: ONSET,
    asked: 122,
    clients: [
      ...everyday(),
      ...innocent,
      lists(account('inventory', 'viewer'), { workers: 1, thinkMs: 900 }, { limit: 100 }),
    ],
    events: [
      {
        at: ONSET,
        run: () => {
          for (let index = 0; index < 8; index++)
            spawn('timeout', ['66', 'sh', '-c', 'while :; do :; done'], { stdio: 'ignore' })
          return Promise.resolve()
        },
      },
    ],
    truth: {
      story:
        'Other processes take the processors of the machine from second 60. Nothing waits; everything takes longer.',
      symptom: { given: 'requests take longer; none wait', words: [/longer|slower|slow/i] },
      cause: { given: 'the server has no processor time', words: [/server slower|slow server|processor|cpu/i] },
      culprit: { given: 'the machine', words: [/server|machine|processor|cpu/i] },
      victims: { given: 'everybody', words: [/every|all|levels|schemas|orders|viewer/i] },
      remedy: { given: 'look at the machine', words: [/cpu|processor|machine|etcd|server/i] },
      forbidden: [
        blames('orders|cart|invoicer|viewer|alice|bob', 'an innocent is blamed'),
        { why: 'nothing waits', words: /flow floods|receives more requests/i },
        EDIT,
        RESTART,
      ],
    },
  },
  {
    name: 'own-limit-beside-a-flood',
    kind: 'a client that limits itself while another level is flooded',
    limits: [26, 14],
    onset: ONSET,
    asked: ASKED,
    clients: [
      ...everyday(),
      ...innocent,
      reads(account('backup', 'archiver'), { workers: 10, perSecond: 4 }),
      writes(person('bi-export'), after(ONSET, { workers: 60 }), { holdMs: 600 }),
    ],
    truth: {
      story:
        'backup:archiver always sends 4 requests a second, evenly, in workload-low, where nothing waits. bi-export floods global-default from second 60.',
      symptom: { given: 'requests wait in global-default', words: [/global-default/, /wait|queue/i] },
      cause: { given: 'one client floods', words: [/flood/i] },
      culprit: { given: 'bi-export', words: [/bi-export/] },
      victims: { given: 'alice, bob', words: [/alice|bob/] },
      remedy: { given: 'slow bi-export down', words: [/bi-export/] },
      forbidden: [
        blames('orders|cart|invoicer|archiver|alice|bob', 'an innocent is blamed'),
        EDIT,
        RESTART,
        SERVER_BLAMED,
      ],
    },
  },
]
