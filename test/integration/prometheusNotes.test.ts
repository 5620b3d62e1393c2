import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { PrometheusPastSchema, PrometheusSpecSchema } from '../../core/contract/prometheus.ts'
import type { Note } from '../../core/contract/recording.ts'
import { CadenceSchema, type SourceSpec } from '../../core/contract/source.ts'
import { createPrometheusSource } from '../../main/sources/prometheus.ts'
import { createScrapeSource } from '../../main/sources/scrape.ts'
import { openStore } from '../../main/store/store.ts'
import { openSource, type SourceHere } from '../../main/workspace/connectedSource.ts'
import { allNamed } from '../harness/consent.ts'
import { startFakePrometheus } from '../harness/fakePrometheus.ts'
import { EPOCH, fastEnvironment as environment, stepOf } from '../harness/fastTime.ts'
import { answerPage, metricsPage, startHostileServer } from '../harness/hostileServer.ts'

const MINUTE = 60_000
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** Half an hour: a steady level rejects for five minutes, its limits change, and the server is upgraded. */
const at = (minutesAgo: number): number => EPOCH - minutesAgo * MINUTE
const [REJECTS, CALM, RECONFIGURED, UPGRADED] = [at(25), at(20), at(12), at(6)]
const page = (when: number): string => {
  const rejected = Math.max(0, Math.min(when, CALM) - REJECTS) / 1_000
  const upgraded = when >= UPGRADED
  const text = metricsPage({
    step: upgraded ? Math.round((when - UPGRADED) / 1_000) : stepOf(when),
    version: upgraded ? 'v1.37.1' : 'v1.36.3',
    startedAt: upgraded ? UPGRADED / 1_000 - 5 : 1_700_000_000,
  })
  const limits = (before: string, now: string): string => (when >= RECONFIGURED ? now : before)
  return (
    text.replace(
      'nominal_limit_seats{priority_level="workload-low"} 20',
      limits(
        'nominal_limit_seats{priority_level="workload-low"} 20',
        'nominal_limit_seats{priority_level="workload-low"} 35',
      ),
    ) +
    '# TYPE apiserver_flowcontrol_rejected_requests_total counter\n' +
    `apiserver_flowcontrol_rejected_requests_total{flow_schema="s",priority_level="workload-low",reason="queue-full"} ${upgraded ? 0 : rejected}\n`
  )
}

async function open(spec: (url: string) => SourceSpec): Promise<SourceHere> {
  const prometheus = await startFakePrometheus(environment.now, () => [
    { labels: { job: 'apiserver', instance: '10.0.0.1:6443' }, intervalMs: 10_000, page },
  ])
  const folder = await mkdtemp(join(tmpdir(), 'apf-notes-'))
  cleanups.push(
    () => prometheus.close(),
    () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  )
  const opened = await openSource(
    { id: 1, spec: spec(prometheus.url('/')), onConnection: () => undefined },
    {
      environment,
      store: openStore(folder),
      makeSource: async (one) => {
        if (one.kind === 'prometheus') return createPrometheusSource(one, environment, allNamed)
        if (one.kind === 'scrape') return createScrapeSource(one, environment, allNamed)
        throw new Error('not part of this test')
      },
    },
  )
  cleanups.push(() => opened.end())
  return opened
}

/** The marks that the source notes in its past, once that is read. */
async function notesOf(source: SourceHere): Promise<readonly Note[]> {
  let past: readonly Note[] = []
  const heard = new AbortController()
  cleanups.push(() => heard.abort())
  source.hear('notes', { connection: 1 }, (told) => void (past = told.past), heard.signal)
  await vi.waitFor(() => expect(past).not.toEqual([]), { timeout: 20_000 })
  expect(source.connection.servers[0]?.past?.state).toBe('done')
  return past
}

const shown = (notes: readonly Note[], server: string) =>
  notes.map((one) => [one.kind, Math.round((one.at - EPOCH) / MINUTE), one.text.replaceAll(server, 'SERVER')])

const ALERT = 'R1 fired: Rejections by reason (workload-low, queue-full)'
const PAST = [
  ['rejecting', -25, 'workload-low began to reject, queue-full'],
  ['alert', -23, ALERT],
  ['resolved', -17, ALERT.replace('fired', 'resolved')],
  ['reconfigured', -12, 'limits configured otherwise: workload-low nominal 20 → 35'],
  ['restarted', -6, 'SERVER started; its counters began at 0'],
  ['version', -6, 'SERVER changed from v1.36.3 to v1.37.1'],
]

test('the past of a Prometheus has marks as a recording has them, over the whole range that is read', async () => {
  const source = await open((url) => PrometheusSpecSchema.parse({ kind: 'prometheus', url, pastMs: 40 * MINUTE }))
  const notes = await notesOf(source)
  // Counters of the page rise in every level, and its limits with them.
  const own = notes.filter(({ text }) => !/^R(?:6|9) /.test(text))
  expect(shown(own, '10.0.0.1:6443')).toEqual(PAST)
  expect(notes.map((one) => one.at)).toEqual(notes.map((one) => one.at).toSorted((a, b) => a - b))
})

test('the past behind a direct scrape has them under the name of the server that is scraped', async () => {
  const direct = await startHostileServer({ behaviour: answerPage(() => page(environment.now())) })
  cleanups.push(() => direct.close())
  const source = await open((url) => ({
    kind: 'scrape',
    target: { kind: 'urls', urls: [direct.url('/metrics')] },
    cadence: CadenceSchema.parse({ intervalMs: 1_000, dumpsEveryMs: null }),
    past: PrometheusPastSchema.parse({ url, pastMs: 40 * MINUTE }),
  }))
  const notes = await notesOf(source)
  const server = source.connection.servers[0]?.id ?? ''
  expect(new Set(notes.map((one) => one.server))).toEqual(new Set([server]))
  expect(shown(notes, server).filter(([kind]) => kind !== 'alert' && kind !== 'resolved')).toEqual(
    PAST.filter(([kind]) => kind !== 'alert' && kind !== 'resolved'),
  )
})
