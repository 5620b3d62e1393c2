import {
  CONTROLLER_MANAGER,
  CRAWLER,
  EXPORTER,
  LEGACY_SCANNER,
  NODE,
  OPERATOR,
  RUNNER,
  SCHEDULER,
  WRITER,
  ADMIN,
  mouse,
} from './identities.ts'
import type { Cluster } from './cluster.ts'
import type { LoadClient, Plan } from './load.ts'

const CONFIG_MAPS = '/api/v1/namespaces/batch/configmaps'
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'
const SEEDED = 400

const seedName = (index: number): string => `seed-${String(index % SEEDED).padStart(4, '0')}`
const configMap = (name: string, size: number): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { payload: 'x'.repeat(size) } })

/** Makes the objects that lists and reads are about, and the node that writes its status. */
export async function seed(cluster: Cluster): Promise<void> {
  const node = JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } })
  await cluster.call('/api/v1/nodes', ADMIN, { method: 'POST', body: node })
  for (let first = 0; first < SEEDED; first += 20) {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        cluster.call(CONFIG_MAPS, ADMIN, { method: 'POST', body: configMap(seedName(first + index), 2_000) }),
      ),
    )
  }
}

/** Log-normal: most near the median, a few several times as long, as execution times are. */
export function around(medianMs: number, spread = 0.5): number {
  const normal = Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random())
  return medianMs * Math.exp(spread * normal)
}

const dryRun = (user: string, path: string, body: string, holdMs: number, query = ''): Plan => ({
  user,
  path: `${path}?dryRun=All${query}`,
  method: 'POST',
  body,
  holdMs: around(holdMs),
})

/** A creation that occupies one seat for about `holdMs`; nothing is stored. */
export const write =
  (user: string, holdMs: number, query?: string) =>
  (worker: number, turn: number): Plan =>
    dryRun(user, CONFIG_MAPS, configMap(`w-${worker}-${turn}`, 200), holdMs, query)

/** A list: as many seats as the server estimates for its objects, for as long as the encoding takes. */
export const list =
  (user: string, query = '') =>
  (): Plan => ({ user, path: `${CONFIG_MAPS}${query}` })

export const read = (worker: number, turn: number): Plan => ({
  user: mouse(worker),
  path: `${CONFIG_MAPS}/${seedName(worker * 31 + turn * 7)}`,
})

export const lease =
  (user: string, holdMs: number) =>
  (worker: number, turn: number): Plan =>
    dryRun(
      user,
      LEASES,
      JSON.stringify({
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: `l-${worker}-${turn}`, namespace: 'kube-system' },
        spec: { holderIdentity: user },
      }),
      holdMs,
    )

/** Of the nodes' requests, writes to nodes go to node-high, all others to system. */
export const nodeStatus = (holdMs: number) => (): Plan => ({
  user: NODE,
  path: '/api/v1/nodes/n1/status?dryRun=All',
  method: 'PUT',
  body: JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }),
  holdMs: around(holdMs),
})
export const nodeReview = (holdMs: number) => (): Plan =>
  dryRun(
    NODE,
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    JSON.stringify({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user: 'alice', nonResourceAttributes: { path: '/metrics', verb: 'get' } },
    }),
    holdMs,
  )

const watch =
  (hangUpMs: number) =>
  (worker: number): Plan => ({
    user: mouse(worker),
    path: `${CONFIG_MAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    hangUpMs: around(hangUpMs),
  })

/** What every cluster does all day. */
const background: readonly LoadClient[] = [
  { workers: 20, plan: read, thinkMs: 500 },
  { workers: 12, plan: write(mouse(3), 250), thinkMs: 600 },
  { workers: 8, plan: list(EXPORTER, '?limit=100'), thinkMs: 1_500 },
  { workers: 40, plan: write(WRITER, 350), thinkMs: 500 },
  { workers: 25, plan: write(OPERATOR, 300), thinkMs: 600 },
  { workers: 6, plan: write(SCHEDULER, 150), thinkMs: 400 },
  { workers: 4, plan: lease(CONTROLLER_MANAGER, 20), thinkMs: 500 },
  { workers: 4, plan: lease(SCHEDULER, 20), thinkMs: 500 },
  { workers: 20, plan: nodeStatus(60), thinkMs: 900 },
  { workers: 15, plan: nodeReview(100), thinkMs: 700 },
  { workers: 10, plan: watch(4_000), thinkMs: 1_000 },
]

/** Length of one lap of {@link demoLoad}, seconds. */
export const DEMO_LAP_SECONDS = 210

/**
 * The story of the recording, for 600 seats: calm; a crawler saturates workload-low, which borrows, queues and
 * rejects; controllers need their seats back; users and a restricted client get in trouble; recovery.
 */
const incident: readonly LoadClient[] = [
  { workers: 230, plan: write(CRAWLER, 1_800), from: 25, to: 60 },
  { workers: 620, plan: write(CRAWLER, 2_200), from: 45, to: 112 },
  { workers: 120, plan: write(RUNNER, 1_200), thinkMs: 200, from: 35, to: 140 },
  { workers: 25, plan: write(RUNNER, 900, '&timeout=4s'), from: 70, to: 130 },
  { workers: 12, plan: list(EXPORTER), from: 50, to: 125 },
  { workers: 110, plan: write(OPERATOR, 900), from: 82, to: 150 },
  { workers: 60, plan: write(CONTROLLER_MANAGER, 700), thinkMs: 100, from: 88, to: 145 },
  { workers: 110, plan: (worker, turn) => write(mouse(worker), 800)(worker, turn), thinkMs: 50, from: 105, to: 150 },
  { workers: 26, plan: write(LEGACY_SCANNER, 900), thinkMs: 100, from: 118, to: 150 },
  { workers: 60, plan: nodeStatus(300), thinkMs: 200, from: 120, to: 140 },
]

/** The day's work with the incident once in every lap. */
export const demoLoad = (laps: number): readonly LoadClient[] => [
  ...background,
  ...Array.from({ length: laps }, (_, lap) =>
    incident.map((client) => ({
      ...client,
      from: lap * DEMO_LAP_SECONDS + (client.from ?? 0),
      to: lap * DEMO_LAP_SECONDS + (client.to ?? DEMO_LAP_SECONDS),
    })),
  ).flat(),
]

/** A few small requests: nothing queues, and no rule fires. */
export const trickle: readonly LoadClient[] = [
  { workers: 5, plan: read, thinkMs: 300 },
  { workers: 1, plan: list(CRAWLER, '?limit=50'), thinkMs: 500 },
]

/** For a server of 30 seats: workload-low saturated, borrowing, queueing and rejecting within seconds. */
export const saturating: readonly LoadClient[] = [
  { workers: 400, plan: write(CRAWLER, 400) },
  { workers: 20, plan: write(WRITER, 300, '&timeout=2s') },
  { workers: 10, plan: read, thinkMs: 100 },
  { workers: 6, plan: write(OPERATOR, 200), thinkMs: 200 },
]

/** Writes that are stored, by two accounts, under the watches of 200 others. */
export const mutating: readonly LoadClient[] = [
  {
    workers: 200,
    plan: (worker) => ({
      user: mouse(worker),
      path: `${CONFIG_MAPS}?watch=1&resourceVersion=0&labelSelector=none`,
      hangUpMs: 600_000,
    }),
  },
  {
    workers: 40,
    thinkMs: 20,
    plan: (worker, turn) => ({
      user: worker % 2 === 0 ? WRITER : CRAWLER,
      path: `${CONFIG_MAPS}/${seedName(worker)}`,
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      body: JSON.stringify({ data: { turn: String(turn) } }),
    }),
  },
]

/** Watches with all objects first, closed and begun again, by twenty users. */
export const watching: readonly LoadClient[] = [{ workers: 120, plan: watch(300), thinkMs: 50 }]

/**
 * For a server of 120 seats, by name: demand that comes and goes, the work of a day, and lists that are many seats
 * wide.
 */
export const loads = {
  waves: [
    { workers: 10, plan: read, thinkMs: 100 },
    ...[0, 12, 24].map((from) => ({ workers: 250, plan: write(CRAWLER, 500), from, to: from + 6 })),
  ],
  mixed: [...background, { workers: 60, plan: write(CRAWLER, 500) }],
  'list-storm': [
    { workers: 8, plan: list(EXPORTER), thinkMs: 300 },
    { workers: 80, plan: write(WRITER, 300) },
    { workers: 10, plan: read, thinkMs: 100 },
  ],
} as const satisfies Readonly<Record<string, readonly LoadClient[]>>

/** One level after the other is busy, each for twelve seconds of forty, again and again. */
const inTurn = (seconds: number): readonly LoadClient[] =>
  Array.from({ length: Math.ceil(seconds / 40) }, (_, turn) => turn * 40).flatMap((from) => [
    { workers: 110, plan: write(CRAWLER, 700), from, to: from + 12 },
    { workers: 60, plan: write(OPERATOR, 500), from: from + 13, to: from + 25 },
    { workers: 60, plan: write(mouse(5), 500), from: from + 26, to: from + 38 },
  ])

/** For forecasts, on a server of 120 seats: loads that go on for so many seconds. */
export const predictable = {
  waves: (seconds: number): readonly LoadClient[] => [{ workers: 10, plan: read, thinkMs: 200 }, ...inTurn(seconds)],
  mixed: (): readonly LoadClient[] => [...background, { workers: 60, plan: write(CRAWLER, 900) }],
  'elephants-and-mice': (): readonly LoadClient[] => [
    { workers: 150, plan: write(CRAWLER, 1_000) },
    { workers: 12, plan: write(WRITER, 400), thinkMs: 500 },
    { workers: 12, plan: write(RUNNER, 400), thinkMs: 500 },
    { workers: 20, plan: read, thinkMs: 400 },
    { workers: 10, plan: write(OPERATOR, 300), thinkMs: 500 },
  ],
  'list-storm': (): readonly LoadClient[] => [
    { workers: 6, plan: list(EXPORTER), thinkMs: 500 },
    { workers: 90, plan: write(WRITER, 700) },
    { workers: 10, plan: read, thinkMs: 200 },
  ],
} as const satisfies Readonly<Record<string, (seconds: number) => readonly LoadClient[]>>
