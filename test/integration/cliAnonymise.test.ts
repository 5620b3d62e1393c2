import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { builtInObjects } from '../../core/config/builtIn.ts'
import { ObjectSetSchema } from '../../core/config/schema.ts'
import type { LiveRequest } from '../../core/contract/live.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { createFilesSource } from '../../main/sources/files.ts'
import { startRecorder } from '../../main/recordings/recorder.ts'
import { readFixture } from '../fixtures/load.ts'
import type { Finished } from '../harness/command.ts'
import { runHere } from '../harness/commandHere.ts'
import { standingClock } from '../harness/standingClock.ts'

const CAPTURE = 'captures/v1.36.3'
const START = Date.UTC(2026, 10, 21, 3)

const request: LiveRequest = {
  seq: 1,
  at: START,
  user: 'system:serviceaccount:payments:ledger-sync',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:payments', 'team-blue'],
  verb: 'list',
  url: '/apis/acme.example/v1/namespaces/payments/invoices/inv-2231?limit=500&fieldSelector=metadata.name%3Dinv-2231&secret=hush',
  resource: 'invoices.acme.example/refunds',
  namespace: 'payments',
  name: 'inv-2231',
  state: 'rejected',
  level: 'workload-low',
  schema: 'payments-batch',
  flow: 'system:serviceaccount:payments:ledger-sync',
  address: '10.9.8.7',
  seats: { initial: 1, final: 0 },
  reason: 'queue-full',
  status: 429,
}
const TOLD: readonly SourceEvent[] = [
  { kind: 'requests', changes: { event: 1, from: 0, requests: [request], dropped: 0 } },
  {
    kind: 'health',
    health: {
      id: '10.20.30.40:6443',
      status: 'failing',
      notes: ['certificate of prod-eu-1.acme.example is not verified'],
      failures: [
        {
          at: '2026-11-21T03:00:00Z',
          problem: { code: 'tls', message: 'no prod-eu-1', details: 'tok_5f2a for alice' },
        },
      ],
      prometheus: { labels: [{ label: 'cluster', value: 'prod-eu-1' }] },
    },
  },
  {
    kind: 'facts',
    server: '10.20.30.40:6443',
    facts: {
      objects: new Map([
        ['pods', { count: 5, averageSize: 10 }],
        ['invoices.acme.example', { count: 7, averageSize: 20 }],
      ]),
      watches: [{ apiGroup: 'acme.example', resource: 'invoices', total: 3 }],
    },
  },
  {
    kind: 'objects',
    origin: 'cluster',
    reading: {
      state: 'current',
      version: 'v1.36.3-acme.7',
      problem: { code: 'tls', message: 'prod-eu-1 again' },
      objects: ObjectSetSchema.parse({
        ...builtInObjects('v1.36.3'),
        schemas: [
          ...builtInObjects('v1.36.3').schemas,
          {
            metadata: {
              name: 'payments-batch',
              uid: '5b0c8e1d-7777',
              resourceVersion: '812',
              annotations: { owner: 'alice@acme.example' },
              labels: { squad: 'team-blue' },
              managedFields: [{ manager: 'acme-deployer' }],
            },
            spec: {
              priorityLevelConfiguration: { name: 'workload-low' },
              matchingPrecedence: 8_000,
              rules: [
                {
                  subjects: [
                    { kind: 'ServiceAccount', serviceAccount: { namespace: 'payments', name: 'ledger-sync' } },
                  ],
                  resourceRules: [
                    { verbs: ['list'], apiGroups: ['acme.example'], resources: ['invoices'], namespaces: ['payments'] },
                  ],
                },
              ],
            },
            status: { conditions: [{ type: 'Dangling', status: 'False', message: 'payments-batch is fine' }] },
          },
        ],
      }),
    },
  },
]
/** Names in the events above. */
const NAMED = `payments ledger-sync team-blue acme invoices refunds inv-2231 hush secret 10.20.30.40 10.9.8.7
  prod-eu-1 alice tok_5f2a
  5b0c8e1d squad owner acme-deployer v1.36.3-acme`.split(/\s+/)

let folder = ''
let original = ''
let replaced = ''
let file = ''
let exported: Finished
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-anonymise-'))
  await recordCapture(join(folder, 'state'))
  vi.stubEnv('APF_CONSOLE_STATE', join(folder, 'state'))
  file = join(folder, 'a.apfrec')
  exported = await runHere('export', '2026', file, '--anonymise')
  original = (await runHere('recordings', '2026')).output
  replaced = (await runHere('recordings', file)).output
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
})

/** Everything that a real server answered under load, and events that name more. */
async function recordCapture(stateDir: string): Promise<void> {
  const names = ['elephants-and-mice.metrics.ndjson.gz', 'elephants-and-mice.dumps.ndjson.gz']
  const objects = ['objects/flowschemas.json.gz', 'objects/prioritylevelconfigurations.json.gz']
  const files = [...names, ...objects].map((name) => ({ name, text: readFixture(`${CAPTURE}/${name}`).toString() }))
  const { environment, sleep } = standingClock(START)
  const made = await createFilesSource(files, environment)
  if (!made.ok) throw new Error(made.problem.message)
  const recorder = startRecorder({
    folder: join(stateDir, 'recordings'),
    source: { kind: 'scrape', name: 'prod-eu-1', via: 'https://10.20.30.40:6443/metrics' },
    writer: 'another',
    environment,
    stretches: () => [],
  })
  const tell = (event: SourceEvent): void => {
    recorder.take(event)
    sleep(1_000)
  }
  made.source.start(new AbortController().signal, tell)
  const { objects: door } = made.source
  door?.start(new AbortController().signal, (reading) => tell({ kind: 'objects', origin: 'files', reading }))
  TOLD.forEach(tell)
  await recorder.end()
}

/** Names that every cluster has. */
const { levels, schemas } = builtInObjects('v1.36.3')
const PUBLIC: ReadonlySet<string> = new Set([
  ...[...levels, ...schemas].map(({ metadata }) => metadata.name),
  ...'system serviceaccount serviceaccounts kube-system default masters nodes authenticated unauthenticated'.split(' '),
  ...'kube-scheduler kube-controller-manager'.split(' '),
])
/** Without quoted text: the same for a pair of files that differ in names alone. */
const numbersOf = (text: string): string[] =>
  text
    .replaceAll(/"(?:[^"\\]|\\.)*"(:?)/g, '"$1')
    .split(/[^\d.eE+-]+/)
    .filter((part) => /\d/.test(part))
    .toSorted()

it('holds none of the words that name somebody, in any form', async () => {
  expect(exported).toMatchObject({ code: 0, told: '' })
  const raw = (await readFile(file)).toString('latin1')
  for (const word of NAMED) {
    expect(original).toContain(word)
    expect(replaced).not.toContain(word)
    expect(replaced).not.toContain(encodeURIComponent(word))
    expect(raw).not.toContain(word)
  }
})

it('holds none of the names of a real capture', () => {
  const found = [...original.matchAll(/"(?:user|namespace|name|id|server|uid|flow|manager|level|schema)":"([^"]+)"/g)]
  const names = new Set(found.flatMap(([, name = '']) => name.split(':')).filter((name) => !PUBLIC.has(name)))
  expect(names.size).toBeGreaterThan(40)
  // A namespace of the capture is called like a group of the API.
  const words = new Set(replaced.replaceAll('"apiGroups":["batch"', '').match(/[\w@.-]+/g))
  expect([...names].filter((name) => words.has(name))).toEqual([])
})

it('has the same numbers and times, but for the queues of requests', () => {
  expect(original).toMatch(/"queue":\d+,"position":\d/)
  expect(replaced).not.toMatch(/"queue":\d|"position":\d/)
  const frames = (text: string): string =>
    text
      .split('\n')
      .filter((line) => /"kind":"(?:frame|dump)"/.test(line))
      .join('\n')
      .replaceAll(/"queue":-?\d+,"position":-?\d+,/g, '')
  expect(numbersOf(frames(replaced))).toEqual(numbersOf(frames(original)))
  expect(replaced.match(/"at":"[^"]+"/g)).toEqual(original.match(/"at":"[^"]+"/g))
})
