import { builtInLevel, flowSchema, queueLevel } from './flowObjects.ts'
import type { Incident } from './incident.ts'
import { account, everyday, lists, master, person, reads, watches, writes } from './senders.ts'
import {
  orders,
  invoicer,
  innocent,
  blames,
  after,
  team,
  EDIT_BLAMED,
  RESTART_BLAMED,
  CONSEQUENCE,
  QUEUE_ADVICE,
} from './truths.ts'

const ONSET = 70
const ASKED = 150

/** What the builders of the verdict may read. */
export const DEVELOPMENT: readonly Incident[] = [
  {
    name: 'two-loads',
    kind: 'two loads at once',
    limits: [26, 14],
    onset: 65,
    asked: ASKED,
    clients: [
      ...everyday(),
      ...innocent,
      writes(person('dora'), { workers: 2, thinkMs: 500 }, { holdMs: 60 }),
      writes(person('emil'), { workers: 2, thinkMs: 500 }, { holdMs: 60 }),
      writes(account('reports', 'nightly-export'), after(65, { workers: 70 }), { holdMs: 900 }),
      writes(person('grafana-prod'), after(80, { workers: 40 }), { holdMs: 700 }),
    ],
    truth: {
      story:
        'Two clients that have nothing to do with each other flood two levels: reports:nightly-export workload-low from second 65 with 70 threads, the user grafana-prod global-default from second 80 with 40.',
      symptom: {
        given: 'requests wait in workload-low and in global-default',
        words: [/workload-low/, /global-default/, /wait|queue|reject/i],
      },
      cause: { given: 'one client floods in each of two levels', words: [/flood|sends most|most of the requests/i] },
      culprit: {
        given: 'reports:nightly-export in workload-low, grafana-prod in global-default',
        words: [/nightly-export/, /grafana-prod/],
      },
      victims: {
        given: 'shop:orders, shop:cart, billing:invoicer in workload-low; dora and emil in global-default',
        words: [/shop:orders|shop:cart|invoicer/, /dora|emil/],
      },
      remedy: {
        given: 'slow both down (fewer threads), or give each a level of its own that does not borrow',
        words: [/nightly-export/, /slow|limit|fewer|level of (?:its|their) own|isolat/i],
      },
      forbidden: [
        CONSEQUENCE,
        blames('orders|cart|invoicer|dora|emil', 'an innocent is blamed'),
        EDIT_BLAMED,
        RESTART_BLAMED,
        QUEUE_ADVICE,
      ],
    },
  },
  {
    name: 'scanner-in-a-crowd',
    kind: 'a culprit among 20 innocent users; an edit that is not to blame',
    limits: [20, 10],
    onset: ONSET,
    asked: ASKED,
    clients: [
      ...everyday(),
      ...Array.from({ length: 20 }, (_, index) => writes(team(index), { workers: 1, thinkMs: 700 }, { holdMs: 120 })),
      writes(account('platform', 'image-scanner'), after(ONSET, { workers: 50 }), { holdMs: 1_200 }),
    ],
    events: [
      {
        at: 84,
        run: ({ control }) =>
          control.applyAs(
            'argocd',
            builtInLevel('workload-high', (limited) => ({ ...limited, nominalConcurrencyShares: 44 })),
          ),
      },
    ],
    truth: {
      story:
        'Twenty accounts of workload-low work evenly; platform:image-scanner joins at second 70 with 50 threads of 1.2 s each. At second 84 argocd gives workload-high 44 shares instead of 40, which takes no seat from anybody who waits.',
      symptom: { given: 'requests wait in workload-low', words: [/workload-low/, /wait|queue/i] },
      cause: { given: 'one client floods', words: [/flood|sends most|most of the requests/i] },
      culprit: { given: 'platform:image-scanner', words: [/image-scanner/] },
      victims: {
        given: 'the twenty team-NN:app, each delayed by some hundred milliseconds',
        words: [/team-\d\d|\b(?:19|20|2\d) (?:other )?(?:users|flows|clients|accounts)/i],
      },
      remedy: {
        given: 'slow image-scanner down, or a level of its own',
        words: [/image-scanner/, /slow|limit|fewer|level of its own|isolat/i],
      },
      forbidden: [
        CONSEQUENCE,
        blames(String.raw`team-\d\d:app`, 'an innocent is blamed'),
        { why: 'the edit of workload-high is innocent', words: /(?:most likely|cause)[^.]*(?:recent )?edit|undo/i },
        RESTART_BLAMED,
        QUEUE_ADVICE,
      ],
    },
  },
  {
    name: 'schema-catches-strangers',
    kind: 'an edit that is to blame: a schema that catches strangers',
    limits: [26, 14],
    onset: ONSET,
    asked: ASKED,
    objects: [
      queueLevel('ingest', 8, { queues: 16, handSize: 4, length: 20 }),
      flowSchema('ingest', { subjects: [{ account: 'shipper', of: 'telemetry' }], to: 'ingest', precedence: 800 }),
    ],
    clients: [
      ...everyday(),
      writes(account('telemetry', 'shipper'), { workers: 1, thinkMs: 500 }, { holdMs: 60 }),
      writes(orders, { workers: 4, thinkMs: 200 }, { holdMs: 150 }),
      writes(invoicer, { workers: 4, thinkMs: 200 }, { holdMs: 150 }),
      writes(account('web', 'frontend'), { workers: 6, thinkMs: 200 }, { holdMs: 150 }),
    ],
    events: [
      {
        at: ONSET,
        run: ({ control }) =>
          control.applyAs(
            'observability-team',
            flowSchema('ingest-all', {
              subjects: [{ group: 'system:serviceaccounts' }],
              to: 'ingest',
              precedence: 700,
              groups: [''],
              resources: ['configmaps'],
            }),
          ),
      },
    ],
    truth: {
      story:
        'Nobody sends more than before. At second 70 observability-team creates the flow schema ingest-all, which sends every service account’s requests about configmaps to the small level ingest instead of workload-low.',
      symptom: { given: 'requests wait in ingest', words: [/\bingest\b/, /wait|queue/i] },
      cause: {
        given: 'the new flow schema ingest-all catches service accounts that were in workload-low',
        words: [/ingest-all/, /edit|creat|chang|catch|new/i],
      },
      culprit: { given: 'FlowSchema ingest-all, by observability-team', words: [/ingest-all/] },
      victims: {
        given: 'shop:orders, billing:invoicer, web:frontend (and telemetry:shipper, whose level it was)',
        words: [/orders|invoicer|frontend|service-?accounts?/i],
      },
      remedy: {
        given: 'delete ingest-all, or let it match the shipper only',
        words: [/ingest-all/, /delete|undo|remove|narrow|revert/i],
      },
      forbidden: [
        blames('orders|invoicer|frontend|shipper|nightly', 'no client floods'),
        { why: 'no client sends more', words: /flow floods|more requests/i },
        RESTART_BLAMED,
        QUEUE_ADVICE,
      ],
    },
  },
  {
    name: 'backup-limits-itself',
    kind: 'a client that limits itself',
    limits: [40, 20],
    onset: 60,
    asked: 140,
    clients: [
      ...everyday(),
      ...innocent.map((client) => ({ ...client, workers: 1 })),
      reads(account('backup', 'archiver'), after(60, { workers: 10, perSecond: 5 })),
    ],
    truth: {
      story:
        'The owner of backup:archiver complains that 5,000 objects take a quarter of an hour. Nothing waits: its client library allows it 5 requests a second, evenly spaced, from second 60.',
      symptom: {
        given: 'nothing waits or is rejected',
        words: [/no request waits|nothing (?:waits|queues)|delays nothing/i],
      },
      cause: {
        given: 'a client limits itself to 5 requests a second',
        words: [/client-side|limits itself|own rate|throttles itself|evenly/i],
      },
      culprit: {
        given: 'backup:archiver itself (schema service-accounts where only metrics say it)',
        words: [/archiver|service-accounts/],
      },
      victims: {
        given: 'nobody else',
        words: [/no request waits|nothing (?:waits|queues)|nobody|no other/i],
      },
      remedy: {
        given: 'raise QPS and burst of the client',
        words: [/qps|burst|rate of (?:the|its) client|client(?:’|')?s? (?:own )?(?:limit|rate)/i],
      },
      forbidden: [
        { why: 'no request waits', words: /\d+ requests? (?:wait|queue)s?\b|is (?:rejecting|queueing)|flow floods/i },
        EDIT_BLAMED,
        RESTART_BLAMED,
      ],
    },
  },
  {
    name: 'sidecars-reconnect',
    kind: 'a watch storm',
    limits: [40, 20],
    stored: 1_500,
    onset: ONSET,
    asked: ASKED,
    clients: [
      ...everyday(),
      ...innocent,
      watches(account('mesh', 'sidecar'), after(ONSET, { workers: 90, thinkMs: 100 }), {
        unreadMs: 2_500,
        hangUpMs: 3_000,
      }),
    ],
    truth: {
      story:
        'From second 70, 90 sidecars of the account mesh:sidecar open watches of all configmaps of catalog with initial events, read them slowly, lose the connection after three seconds and begin again.',
      symptom: { given: 'requests wait in workload-low', words: [/workload-low/, /wait|queue|reject/i] },
      cause: { given: 'watches being initialised hold the seats', words: [/watch/i] },
      culprit: { given: 'mesh:sidecar', words: [/sidecar/] },
      victims: { given: 'shop:orders, shop:cart, billing:invoicer', words: [/orders|cart|invoicer/] },
      remedy: {
        given: 'let the sidecars back off with jitter and resume from their resourceVersion',
        words: [/back ?off|jitter|resume|resourceVersion/i],
      },
      forbidden: [
        CONSEQUENCE,
        blames('orders|cart|invoicer', 'an innocent is blamed'),
        EDIT_BLAMED,
        RESTART_BLAMED,
        QUEUE_ADVICE,
      ],
    },
  },
  {
    name: 'neighbours-in-one-queue',
    kind: 'hash collisions with few queues',
    limits: [26, 14],
    onset: ONSET,
    asked: ASKED,
    objects: [
      queueLevel('tenants', 30, { queues: 4, handSize: 1, length: 60 }),
      flowSchema('tenants', {
        subjects: [{ group: 'system:serviceaccounts:tenants' }],
        to: 'tenants',
        precedence: 600,
      }),
    ],
    clients: [
      ...everyday(),
      ...['pricing', 'catalog', 'search', 'session'].map((name) =>
        writes(account('tenants', name), { workers: 2, thinkMs: 400 }, { holdMs: 80 }),
      ),
      writes(account('tenants', 'crawler'), after(ONSET, { workers: 40 }), { holdMs: 500 }),
    ],
    truth: {
      story:
        'The level tenants has four queues and hands of one. tenants:crawler floods from second 70; its only queue is also the only one of tenants:pricing, which waits behind it for seconds. tenants:catalog, search and session have other queues and hardly wait.',
      symptom: { given: 'requests wait in tenants', words: [/\btenants\b/, /wait|queue/i] },
      cause: {
        given: 'crawler floods, and the few queues make pricing wait behind it',
        words: [
          /queues? (?:shared|is shared)|share[sd]? (?:a|the|its|one|all|most)?[^.]*queue|same queue|few queues|hand/i,
        ],
      },
      culprit: { given: 'tenants:crawler', words: [/crawler/] },
      victims: { given: 'tenants:pricing alone', words: [/pricing/] },
      remedy: {
        given: 'more queues and larger hands, or slow crawler down',
        words: [/more queues|queues?[^.]*(?:128|64|32|hand)|slow down [^.]*crawler|level of its own/i],
      },
      forbidden: [
        CONSEQUENCE,
        blames('pricing|catalog|search|session', 'an innocent is blamed'),
        EDIT_BLAMED,
        RESTART_BLAMED,
        {
          why: 'these have another queue',
          words: /(?:catalog|search|session)[^.]{0,60}(?:shares? (?:its|the|a) queue|behind)/i,
        },
        { why: 'fair queuing does not protect pricing here', words: /fair queuing serves the other flows between/i },
      ],
    },
  },
  {
    name: 'migration-script-of-masters',
    kind: 'exempt flood by system:masters',
    limits: [40, 20],
    stored: 1_500,
    onset: ONSET,
    asked: ASKED,
    clients: [
      ...everyday(),
      ...innocent,
      lists(account('shop', 'search'), { workers: 1, thinkMs: 900 }, { limit: 100 }),
      lists(master('root-migrate'), after(ONSET, { workers: 8 })),
    ],
    truth: {
      story:
        'From second 70 a script of the user root-migrate, in system:masters, lists all configmaps of catalog with 8 threads without a pause. It is exempt, so nothing stops it; the machine has no processor time left, and everybody’s requests take many times longer, and some wait because exempt seats are taken from what other levels lend.',
      symptom: {
        given: 'requests of all levels take many times longer while the exempt level holds many seats; few wait',
        words: [/exempt|slower|longer|take[s]? \d/i],
      },
      cause: { given: 'exempt traffic of system:masters takes the machine', words: [/exempt/i] },
      culprit: {
        given: 'root-migrate, or system:masters where dumps do not show exempt requests',
        words: [/root-migrate|system:masters/],
      },
      victims: {
        given: 'everybody: shop:search, alice, bob, shop:orders',
        words: [
          /search|alice|bob|orders|service-accounts|global-default|workload-low|all (?:other )?(?:levels|clients)|every(?:body|one)/i,
        ],
      },
      remedy: {
        given: 'let the script use an account that is not in system:masters, or page and pause',
        words: [/system:masters|other (?:user|account)|not exempt|certificate/i],
      },
      forbidden: [
        CONSEQUENCE,
        blames('orders|cart|invoicer|search|alice|bob', 'an innocent is blamed'),
        { why: 'something is wrong', words: /delays nothing\.? *$|nothing is wrong/im },
        EDIT_BLAMED,
        RESTART_BLAMED,
      ],
    },
  },
  {
    name: 'checkout-gives-up-early',
    kind: 'short client timeouts',
    limits: [20, 10],
    onset: ONSET,
    asked: ASKED,
    clients: [
      ...everyday(),
      ...Array.from({ length: 4 }, (_, index) =>
        writes(account('etl', `loader-${index + 1}`), { workers: 12, thinkMs: 100 }, { holdMs: 700 }),
      ),
      writes(account('shop', 'checkout'), { workers: 20, thinkMs: 100, to: ONSET }, { holdMs: 700 }),
      writes(account('shop', 'checkout'), after(ONSET, { workers: 20, thinkMs: 100 }), {
        holdMs: 700,
        query: '&timeout=3s',
      }),
    ],
    truth: {
      story:
        'workload-low is busy all day: everybody waits for one or two seconds, and nobody minds. At second 70 shop:checkout is rolled out with a timeout of 3 s, so the server lets it wait for 0.75 s only and rejects most of its requests; the four loaders send the same as before and are served.',
      symptom: {
        given: 'requests of workload-low are rejected with time-out',
        words: [/workload-low/, /reject|time-?out|429/i],
      },
      cause: {
        given: 'clients with a short timeout',
        words: [/short (?:client )?(?:deadline|timeout)|timeout of|deadlines?/i],
      },
      culprit: { given: 'shop:checkout, by its own timeout', words: [/checkout/] },
      victims: { given: 'shop:checkout itself', words: [/checkout/] },
      remedy: { given: 'raise the timeout of checkout', words: [/raise|longer|increase/i, /timeout|deadline/i] },
      forbidden: [
        blames(String.raw`loader-\d`, 'an innocent is blamed'),
        { why: 'nobody sends more than before', words: /flow floods|more requests/i },
        EDIT_BLAMED,
        RESTART_BLAMED,
      ],
    },
  },
]
