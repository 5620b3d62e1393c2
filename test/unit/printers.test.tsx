import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { Answer } from '../../core/answer/answer.ts'
import { presentComparison } from '../../core/compare/present.ts'
import type { Comparison } from '../../core/compare/compare.ts'
import { builtInObjects } from '../../core/config/builtIn.ts'
import type { Effect } from '../../core/contract/effect.ts'
import type { ForecastReport } from '../../core/contract/forecast.ts'
import type { TuneAnswer } from '../../core/contract/tune.ts'
import type { Outcomes } from '../../core/contract/whatif.ts'
import { driftFromBuiltIn } from '../../core/drift/drift.ts'
import { presentDrift, readSentence } from '../../core/drift/present.ts'
import type { ScenarioRunReport } from '../../core/contract/scenario.ts'
import { presentRun } from '../../core/scenario/present.ts'
import type { ServerSummary } from '../../core/contract/fleet.ts'
import type { ServerHealth } from '../../core/contract/source.ts'
import { fleetRows, type FleetSource } from '../../core/fleet/fleet.ts'
import { fleetLines } from '../../core/fleet/lines.ts'
import { presentFleet } from '../../core/fleet/present.ts'
import { adjustmentLedger } from '../../core/impact/adjustmentLedger.ts'
import { expectedAllocation } from '../../core/impact/expected.ts'
import { presentAllocation } from '../../core/impact/presentAllocation.ts'
import { runRequestTests } from '../../core/classify/configuration.ts'
import { explainer } from '../../core/classify/explain.ts'
import { presentRequest, presentTests } from '../../core/classify/present.ts'
import { presentImpact } from '../../core/impact/present.ts'
import { seatImpact } from '../../core/impact/seatImpact.ts'
import { etcdFixture } from '../../core/qos/etcd.fixture.ts'
import { presentEtcd, usageTable } from '../../core/qos/present.ts'
import { presentEffect, presentForecast } from '../../core/twin/present.ts'
import { presentTune } from '../../core/tune/present.ts'
import { presentCandidate, presentDecisions, presentOutcomes } from '../../core/whatif/present.ts'
import type { VariantResult } from '../../core/whatif/results.ts'
import { jsonText } from '../../core/text/text.ts'
import { blocksOf } from '../../core/report/blocks.ts'
import { reportMarkup } from '../../core/report/html.ts'
import { answersMarkdown } from '../../core/report/markdown.ts'
import { answerLines } from '../../main/cli/print/terminal.ts'
import { AnswerPart, AnswerTable } from '../../renderer/components/answer/Answer.tsx'

afterEach(cleanup)

const difference = { a: 12_345, b: 11_000.5, change: -1_344.5, share: -0.109 }
const numbers = {
  executing: difference,
  limit: difference,
  queued: difference,
  rejected: difference,
  dispatched: difference,
  waitP99: { a: 0.1, b: 3.2, change: 3.1, share: 31 },
}
const comparison: Comparison = {
  a: { samples: 5, seconds: 300, gaps: [], share: 1 },
  b: { samples: 4, seconds: 240, gaps: [{ from: 1_795_000_000_000, to: 1_795_000_060_000 }], share: 0.8 },
  perSecond: false,
  totals: numbers,
  levels: [{ name: 'low', in: 'both', numbers }],
}

const level = { offered: 12_345, served: 90, rejectedPercent: 10.04, waitP99: 2_000, seats: 9.5, limit: 12 }
const proposal: TuneAnswer['answer'] = {
  changes: [{ setting: 'low.lendablePercent', from: 90, to: 50 }],
  objects: [],
  goals: [
    {
      goal: 'wait p99 of level low ≤ 1000 ms',
      unit: 'ms',
      before: 2_000,
      after: 900,
      metBefore: false,
      metAfter: true,
    },
  ],
  guardRails: [],
  levels: [{ level: 'low', before: level, after: { ...level, waitP99: 900, served: 12_000 } }],
  costs: [],
  findings: ['It lends less.'],
  seeds: { met: [1, 101], missed: [102] },
  met: true,
}

const outcomes = (full: number): Outcomes => ({
  offered: 12_345,
  served: 12_345 - full,
  expired: 0,
  rejected: { 'queue-full': full, 'concurrency-limit': 0, 'time-out': 0 },
  waitMs: { p50: 1, p90: 200, p99: 2_000 + full, max: 9_000 },
  seats: 3.25,
})
const variant = (name: string, full: number): VariantResult => ({
  name,
  seconds: 60,
  total: outcomes(full),
  levels: [{ level: 'low', ...outcomes(full), limits: { nominal: 10, current: 12.5, borrowed: 2.5, lent: 0 } }],
  schemas: [{ level: 'low', schema: 'jobs', ...outcomes(full) }],
  flows: [{ level: 'low', schema: 'jobs', flow: 'ann', ...outcomes(full) }],
  moreFlows: 2,
  clients: [],
  moreClients: 0,
})
const decisions = {
  placed: 0,
  rejected: 7,
  letRun: 0,
  changed: [
    {
      seconds: 1.5,
      verb: 'list',
      path: '/api/v1/pods',
      user: 'alice',
      baseline: 'dispatched',
      candidate: 'queue-full',
    },
  ],
  longer: 1_200,
  shorter: 2,
  first: {
    seconds: 0.1,
    request: { level: 'workload-low', user: 'ann', arrivedSeconds: 0.1 },
    explanation: ['At 0.100 s.'],
  },
}
const candidate = { result: variant('half', 1_500) }
const whatIf = {
  clients: 'open' as const,
  requests: 12_345,
  notes: [],
  baseline: variant('now', 0),
  candidates: [candidate],
}

const checked = { text: 'failed of leases ≤ 1 %', value: 12_345, unit: '%', holds: false }
const run: ScenarioRunReport = {
  name: 'now',
  steppable: true,
  verdict: 'not prevented',
  expected: 'prevented',
  criteria: [checked],
  assertions: [{ ...checked, holds: true }],
  passed: false,
  seconds: 60,
  clients: [{ client: 'leases', ...outcomes(1_500) }],
}

const bands = { waitP99: { low: 1, point: 1.5, high: 2 }, seats: { low: 30, point: 40, high: 50 } }
const forecast: ForecastReport = {
  server: 'a',
  fromMs: 0,
  untilMs: 1,
  levels: [
    { level: 'low', now: { arrivalsPerSecond: 9, rejectedPerSecond: 0.25, seats: 35 }, bands, note: 'Few samples.' },
  ],
  fit: [],
  runs: 1,
  seconds: 60,
  notes: ['The clients stay.'],
}
const effect: Effect = {
  id: '1',
  label: '',
  server: 'a',
  atMs: 0,
  forecast,
  measured: {
    fromMs: 0,
    untilMs: 1,
    compared: [{ name: 'low', in: 'both', numbers }],
    levels: [{ level: 'low', quantities: { arrivalsPerSecond: 9, waitP99: 3.2, rejectedPerSecond: 0, seats: 41 } }],
  },
  ended: 'complete',
}

const summary: ServerSummary = {
  id: 'a',
  at: 0,
  version: 'v1.36.3',
  levels: ['low'],
  states: [['rejecting']],
  executing: [12_345],
  limit: [20_000],
  nominal: [20_000],
  queued: [3_000],
  rejected: [12_345],
  waitP99: [1.5],
  trend: [],
}
const health: ServerHealth = { id: 'a', status: 'ok', failures: [] }
const source: FleetSource = {
  id: 1,
  name: 'prod',
  via: '',
  still: true,
  staleAfterMs: 0,
  health: [health],
  servers: [summary],
}
const clusters = fleetRows([source], 0)
const open = new Set(clusters.flatMap(({ key, servers }) => [key, ...servers.map((server) => server.key)]))

const builtIn = builtInObjects('v1.36.3')
const impact = seatImpact({
  before: builtIn,
  after: { levels: builtIn.levels.slice(1), schemas: builtIn.schemas },
  serverLimit: 12_345,
  demand: new Map(),
})
const drift = driftFromBuiltIn({ levels: builtIn.levels.slice(1), schemas: builtIn.schemas }, 'v1.36.3')
const read = {
  origin: 'cluster',
  target: 'prod',
  state: 'current',
  asOf: '2026-11-28T03:12:00Z',
  silent: false,
} as const

const request = { user: 'ann', groups: ['system:authenticated'], method: 'GET', url: '/api/v1/pods?limit=12345' }
const tests = [
  { id: '1', label: 'ann lists', request, expect: { flowSchema: 'exempt', priorityLevel: 'exempt' } },
  { id: '2', label: 'a path', request: { ...request, url: 'pods' } },
]
/** Its limits are not those that its demand leads to. */
const page = {
  version: 'v1.36.3',
  levels: ['a', 'b', 'c'].map((name, at) => ({
    name,
    limits: { nominal: 12_345, lower: 100, upper: 20_000, current: 12_000 + at },
    demand: { highWatermark: 900 * at, smoothed: 5_000.5 * at },
  })),
}
const expected = expectedAllocation(page)
if (expected.kind === 'unknown') throw new Error('The page lacks a gauge.')
const allocated = expected

const SUBJECTS: Readonly<Record<string, readonly Answer[]>> = {
  compare: [presentComparison(comparison, [{ what: 'version', state: 'differs', text: 'v1.36 → v1.37' }])],
  tune: presentTune({ answer: proposal, runnerUp: { ...proposal, met: false }, evaluations: 12_345 }),
  whatif: [presentOutcomes(whatIf, 5), presentCandidate(whatIf, candidate), presentDecisions(decisions, 'B')],
  drift: [presentDrift(drift, { kind: 'built-in', version: 'v1.36.3' }, readSentence(read, 'v1.36.3'))],
  forecast: [presentForecast(forecast), presentEffect(effect, null)],
  impact: [presentImpact(impact), presentImpact(impact, { steps: 1, rows: [], regimes: { before: {}, after: {} } })],
  fleet: [presentFleet(clusters, fleetLines(clusters, { group: 'state', sort: 'worst', descending: false, open }))],
  scenario: [presentRun(run, 'server'), presentRun(run, 'etcd')],
  classify: [presentRequest(request, explainer(builtIn)(request)), presentTests(runRequestTests(builtIn, tests))],
  allocation: [presentAllocation(allocated, adjustmentLedger(page.levels, allocated.rule), { kind: 'one-page' })],
  qos: [presentEtcd(etcdFixture), { title: ['Usage'], evidence: [], tables: [usageTable(etcdFixture.top.scan)] }],
}

/** Words as all printers write them: their own signs, and headings in capitals on a terminal. */
const words = (text: string): readonly string[] =>
  text
    .replaceAll('\u202f', ',')
    .replaceAll(/[−–]/g, '-')
    .toUpperCase()
    .split(/\s+/)
    .filter((word) => word !== '')

/** What a screen shows of an answer, in the order of the page; `of` is the name of a table. */
function onScreen({ tables, ...answer }: Answer): readonly string[] {
  const { container } = render(
    <>
      <AnswerPart answer={{ ...answer, tables: [] }} />
      {tables.map((table) => (
        <AnswerTable key={table.title} table={table} cells={{ level: String }} />
      ))}
    </>,
  )
  const parts = container.querySelectorAll('h3, li, table, th, td')
  return words(Array.from(parts, (part) => part.getAttribute('aria-label') ?? part.textContent).join(' '))
}

/** What the HTML of a report shows of an answer. */
function inHtml(answer: Answer): readonly string[] {
  const container = document.createElement('div')
  container.innerHTML = reportMarkup({
    title: '',
    subtitle: '',
    sections: [{ title: '', blocks: [...blocksOf(answer)] }],
  })
  return words(Array.from(container.querySelectorAll('p, li, th, td'), ({ textContent }) => textContent).join(' '))
}

/** What a reader of its Markdown sees: neither the marks of lists and tables nor what escapes them. */
const inMarkdown = (answer: Answer): readonly string[] =>
  words(
    answersMarkdown([answer])
      .replaceAll(/^\| -.*$|^- |(?<!\\)\||&#8203;/gm, '')
      .replaceAll(/\\(.)/g, '$1'),
  )

test.each(Object.entries(SUBJECTS))(
  '%s: screen, terminal, HTML, Markdown and JSON print the same numbers, words and units',
  (_, answers) => {
    for (const answer of answers) {
      const printed = words(answerLines(answer).join('\n'))
      expect(printed.length).toBeGreaterThan(8)
      expect(onScreen(answer)).toEqual(printed)
      expect(inHtml(answer)).toEqual(printed)
      expect(inMarkdown(answer)).toEqual(printed)
      expect(words(answerLines(JSON.parse(jsonText(answer))).join('\n'))).toEqual(printed)
      cleanup()
    }
  },
)
