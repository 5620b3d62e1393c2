import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { builtInObjects } from '../../core/config/builtIn.ts'
import { API_VERSION } from '../../core/config/content.ts'
import { AUTOUPDATE_ANNOTATION, CATCH_ALL, defaultLevel, type LimitedSpec } from '../../core/config/objects.ts'
import { runCommand } from '../harness/command.ts'
import { DEFAULT_VERSION } from './binaries.ts'
import { flowControl, level, LEVEL, limited, type FlowControl } from './flowControl.ts'
import { ADMIN, CRAWLER, LEGACY_SCANNER, mouse, OPERATOR, RUNNER, WRITER } from './identities.ts'
import { patient, runLoad, type LoadClient } from './load.ts'
import { seed, watching } from './profiles.ts'
import { noCluster, useCluster } from './suite.ts'

const AnswerSchema = z.looseObject({
  summary: z.string(),
  findings: z.array(z.looseObject({ cause: z.string(), evidenceFor: z.array(z.string()) })),
})
type Answer = z.infer<typeof AnswerSchema>

/** Names, with commas between them; all without. */
const CHOSEN = process.env['APF_CAUSES']?.split(',')
/** How long a situation is read, and how much of it comes before what happens in it. */
const SECONDS = 60
const CHANGE = 32

const PATH = '/api/v1/namespaces/batch/configmaps'
/** A creation that keeps its seat for so long; nothing is stored. */
const held = (
  user: (worker: number) => string,
  workers: number,
  holdMs: number,
  { query = '', ...more }: Partial<LoadClient> & { readonly query?: string } = {},
): LoadClient => ({
  workers,
  thinkMs: 50,
  plan: (worker, turn) => ({
    user: user(worker),
    path: `${PATH}?dryRun=All${query}`,
    method: 'POST',
    body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `d-${worker}-${turn}` } }),
    holdMs,
  }),
  ...more,
})
/** Of varying length: requests at a fixed interval are those of a client that limits itself. */
const calm: LoadClient = {
  ...held(mouse, 4, 100),
  plan: (worker, turn) => ({ ...held(mouse, 4, 40 + ((worker * 37 + turn * 61) % 120)).plan(worker, turn) }),
}
/** Twenty users with as many requests all the time, for more seats than the ten of global-default. */
const crowd = (more: Partial<LoadClient> = {}): LoadClient => held(mouse, 40, 700, { thinkMs: 300, ...more })
const BEFORE = { to: CHANGE }
const AFTER = { from: CHANGE }

const DEFAULTS = builtInObjects(DEFAULT_VERSION)
/** Changes built-in levels, for good. */
async function change(
  { applyAs }: FlowControl,
  names: readonly string[],
  edit: (own: LimitedSpec) => LimitedSpec,
): Promise<void> {
  for (const name of names) {
    const found = DEFAULTS.levels.find(({ metadata }) => metadata.name === name)
    const { limited: was, ...spec } = (found && defaultLevel(found).spec) ?? {}
    if (was === undefined) continue
    await applyAs('tests', {
      apiVersion: API_VERSION,
      kind: LEVEL,
      metadata: { name, annotations: { [AUTOUPDATE_ANNOTATION]: 'false' } },
      spec: { ...spec, limited: { ...edit(was) } },
    })
  }
}
const queues = (count: number, handSize: number, queueLengthLimit: number): LimitedSpec['limitResponse'] => ({
  type: 'Queue',
  queuing: { queues: count, handSize, queueLengthLimit },
})
/** A schema in front of the built-in ones, for all requests of some users. */
const schemaFor = (name: string, users: readonly string[], to: string, by = 'ByUser') => ({
  apiVersion: API_VERSION,
  kind: 'FlowSchema',
  metadata: { name },
  spec: {
    priorityLevelConfiguration: { name: to },
    matchingPrecedence: 500,
    distinguisherMethod: { type: by },
    rules: [
      {
        subjects: users.map((user) => ({ kind: 'User', user: { name: user } })),
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }],
      },
    ],
  },
})
const MICE = Array.from({ length: 20 }, (_, index) => mouse(index))
/** All but the level that the server keeps as it is. */
const LEVELS = DEFAULTS.levels.map(({ metadata }) => metadata.name).filter((name) => name !== CATCH_ALL)

interface Situation {
  /** The cause that is in it. */
  readonly given: string
  readonly what: string
  readonly load: readonly LoadClient[]
  /** Makes the objects before the clients begin. */
  readonly objects?: (control: FlowControl) => Promise<unknown>
  /** What happens while they send, at the moment of change. */
  readonly edit?: (control: FlowControl) => Promise<unknown>
  /** Of the server, from the moment of change on. */
  readonly restartWithSeats?: number
}

const ALL: readonly Situation[] = [
  { given: 'nothing-waits', what: 'a few requests', load: [calm] },
  { given: 'one-flow', what: 'one account sends with 250 threads', load: [calm, held(() => CRAWLER, 250, 300)] },
  {
    given: 'slow-reader',
    what: 'requests of one account that take 25 s',
    load: [calm, held(() => CRAWLER, 120, 25_000), held(() => WRITER, 4, 100)],
  },
  {
    given: 'short-deadlines',
    what: 'clients with timeout=4s',
    load: [calm, held(mouse, 300, 700, { query: '&timeout=4s' })],
  },
  {
    given: 'reject-level',
    what: 'a level of type Reject',
    load: [crowd()],
    async objects({ applyAs }) {
      await applyAs('tests', level('tight', limited(20)))
      await applyAs('tests', schemaFor('tight', MICE, 'tight'))
    },
  },
  {
    given: 'catch-all-traffic',
    what: 'a schema sends a client to catch-all',
    load: [calm, held(() => LEGACY_SCANNER, 30, 400)],
    objects: ({ applyAs }) => applyAs('tests', schemaFor('restricted', [LEGACY_SCANNER], 'catch-all')),
  },
  {
    given: 'dangling-schema',
    what: 'the level of a schema is missing',
    load: [calm, held(() => CRAWLER, 250, 300)],
    objects: ({ applyAs }) => applyAs('tests', schemaFor('batch', [CRAWLER], 'batch')),
  },
  {
    given: 'recent-edit',
    what: 'an edit takes shares and borrowing from a level',
    load: [crowd()],
    objects: (control) => change(control, ['global-default'], (own) => ({ ...own, nominalConcurrencyShares: 100 })),
    edit: (control) =>
      change(control, ['global-default'], (own) => ({
        ...own,
        nominalConcurrencyShares: 20,
        borrowingLimitPercent: 0,
      })),
  },
  {
    given: 'fewer-seats',
    what: 'a restart with a quarter of the seats',
    load: [crowd({ workers: 30 })],
    objects: (control) => change(control, ['global-default'], (own) => ({ ...own, nominalConcurrencyShares: 60 })),
    restartWithSeats: 30,
  },
  {
    given: 'server-restarted',
    what: 'a restart, and clients that send at once',
    load: [calm, held(mouse, 60, 700, AFTER)],
    restartWithSeats: 120,
  },
  {
    given: 'borrowing-capped',
    what: 'a level that may not borrow',
    load: [crowd()],
    objects: (control) => change(control, ['global-default'], (own) => ({ ...own, borrowingLimitPercent: 0 })),
  },
  {
    given: 'nothing-to-borrow',
    what: 'other levels lend nothing',
    load: [crowd()],
    objects: (control) => change(control, LEVELS, (own) => ({ ...own, lendablePercent: 0 })),
  },
  {
    given: 'more-requests',
    what: 'ten times as many requests of twenty users',
    load: [held(mouse, 20, 300, { thinkMs: 1_200, ...BEFORE }), held(mouse, 200, 300, AFTER)],
  },
  {
    given: 'slow-requests',
    what: 'requests of one schema take fifteen times as long',
    load: [
      held(() => OPERATOR, 4, 200),
      held(() => WRITER, 4, 200),
      held(mouse, 40, 200, { thinkMs: 1_500, ...BEFORE }),
      held(mouse, 40, 3_000, { thinkMs: 1_500, ...AFTER }),
    ],
  },
  {
    given: 'slow-server',
    what: 'every request takes ten times as long',
    load: [[200, BEFORE] as const, [2_000, AFTER] as const].flatMap(([holdMs, when]) => [
      held(() => OPERATOR, 12, holdMs, { thinkMs: 400, ...when }),
      held((worker) => [WRITER, RUNNER, CRAWLER][worker % 3] ?? WRITER, 12, holdMs, { thinkMs: 400, ...when }),
      held(mouse, 30, holdMs, { thinkMs: 400, ...when }),
    ]),
  },
  {
    given: 'shared-flow',
    what: 'a schema by namespace, one user of which floods',
    load: [calm, held(() => mouse(7), 150, 300)],
    objects: ({ applyAs }) => applyAs('tests', schemaFor('by-namespace', MICE, 'global-default', 'ByNamespace')),
  },
  {
    given: 'shared-queues',
    what: 'a level with four queues and hands of four',
    load: [held(mouse, 20, 300), held(() => mouse(7), 150, 300)],
    objects: (control) => change(control, ['global-default'], (own) => ({ ...own, limitResponse: queues(4, 4, 200) })),
  },
  {
    given: 'short-queues',
    what: 'queues of one request',
    load: [held(mouse, 80, 500, { thinkMs: 1_000 })],
    objects: (control) => change(control, ['global-default'], (own) => ({ ...own, limitResponse: queues(8, 2, 1) })),
  },
  {
    given: 'server-full',
    what: 'three levels want twice the server',
    load: [
      held((worker) => [WRITER, RUNNER, CRAWLER][worker % 3] ?? WRITER, 90, 500),
      held((worker) => (worker % 2 === 0 ? OPERATOR : 'system:kube-controller-manager'), 90, 500),
      held(mouse, 80, 500),
    ],
    objects: (control) => change(control, LEVELS, (own) => ({ ...own, lendablePercent: 90 })),
  },
  {
    given: 'lender-squeezed',
    what: 'a level that lent its seats has a burst',
    load: [
      held((worker) => [WRITER, RUNNER, CRAWLER][worker % 3] ?? WRITER, 85, 400),
      held(mouse, 30, 400, { from: SECONDS - 7 }),
    ],
    objects: (control) =>
      change(control, ['global-default'], (own) => ({
        ...own,
        nominalConcurrencyShares: 60,
        lendablePercent: 90,
      })),
  },
  {
    given: 'brief-burst',
    what: '100 requests at once',
    load: [calm, held(mouse, 100, 300, { thinkMs: 60_000, from: CHANGE })],
  },
  {
    given: 'exempt-traffic',
    what: 'an administrator’s script, and users that wait',
    load: [crowd(), held(() => ADMIN, 100, 500, AFTER)],
  },
  {
    given: 'watch-storm',
    what: 'watches that begin with all objects, again and again',
    load: watching,
  },
]
const SITUATIONS = ALL.filter(({ given }) => CHOSEN?.includes(given) ?? true)

const said = new Map<Situation, readonly string[]>()
afterAll(() => {
  const rows = [...said].map(([{ given, what }, [first = '', ...others]]) => [given, what, first, others.join(', ')])
  const head = ['given', 'situation', 'found first', 'also found']
  console.info([head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n'))
})

describe.skipIf(noCluster).each(SITUATIONS)('diagnosis of a real server: $what', (situation) => {
  const { given, load, objects, edit, restartWithSeats } = situation
  let seats = 120
  const cluster = useCluster({
    apiserverArguments: () =>
      Promise.resolve([`--max-requests-inflight=${seats}`, '--max-mutating-requests-inflight=0']),
  })
  const control = flowControl(cluster)

  beforeAll(async () => {
    await seed(cluster())
    await objects?.(control)
    // Limits settle within two recomputations.
    if (objects !== undefined) await sleep(5_000)
  })

  it(`finds ${given}`, async () => {
    const end = new AbortController()
    const running = runLoad(cluster(), patient(load), SECONDS + 30, end.signal)
    const changed = (async () => {
      await sleep(CHANGE * 1_000)
      await edit?.(control)
      if (restartWithSeats === undefined) return
      seats = restartWithSeats
      await cluster().killApiserver()
      await cluster().startApiserver()
    })()
    const asked = ['diagnose', '--kubeconfig', cluster().kubeconfig, '--seconds', String(SECONDS), '--json']
    const { output, told } = await runCommand(...asked)
    end.abort()
    await Promise.all([running, changed])
    if (output === '') throw new Error(told)
    const { findings, summary }: Answer = AnswerSchema.parse(JSON.parse(output))
    said.set(situation, [...new Set(findings.map(({ cause }) => cause))])
    expect(findings[0]?.cause, summary).toBe(given)
  })
})
