import { describe, expect, it } from 'vitest'
import { NO_COVERAGE, withDump, type CoverageRow, type Standing } from '../../../../core/classify/coverage.ts'
import { builtInObjects } from '../../../../core/config/builtIn.ts'
import type { DumpRequest } from '../../../../core/frame/dump.ts'
import { catchAllSentence, coverageSentence, dispatchedRates, flowTable, isIdle } from './coverage.data.ts'
import { sentenceText } from '../../../../core/answer/answer.ts'
import { rowsOf, standingSentence } from '../../../../core/guard/covered.ts'
import { format } from '../../../theme/format.ts'

const row = (schema: string, standing: Standing, more: Partial<CoverageRow> = {}): CoverageRow => ({
  schema,
  level: 'workload-low',
  standing,
  ...more,
})
const standingText = (...of: Parameters<typeof standingSentence>): string =>
  sentenceText(standingSentence(...of), format)
const traffic: Standing = { kind: 'traffic' }

describe('the sentence about all schemas', () => {
  const others = [row('a', traffic), row('catch-all', { kind: 'never' })]
  it.each<[readonly CoverageRow[], string]>([
    [others, 'Every flow schema gets requests.'],
    [[row('b', { kind: 'never' }), ...others], '1 of 3 flow schemas has had no request since the servers started.'],
    [[row('b', { kind: 'dangling' }), ...others], '1 of 3 flow schemas can get no request.'],
    [
      [row('b', { kind: 'quiet', forMs: 600_000 }), ...others],
      '1 of 3 flow schemas has had no request for 10 minutes.',
    ],
    [
      [row('b', { kind: 'quiet', forMs: 9_000 }), row('c', { kind: 'quiet', forMs: 9_000 }), ...others],
      '2 of 4 flow schemas have had no request while this page was open, but some before.',
    ],
    [
      [row('b', { kind: 'quiet', forMs: 0 }), ...others],
      'Every flow schema has had requests since the servers started.',
    ],
    [[row('b', { kind: 'unknown' }), ...others], 'It is unknown whether 1 of 3 flow schemas gets requests.'],
    [[row('gone', { kind: 'removed' }), ...others], 'Every flow schema gets requests.'],
  ])('%#', (rows, sentence) => {
    expect(coverageSentence(rows)).toBe(sentence)
  })
})

describe('a standing', () => {
  it.each<[Standing, string]>([
    [{ kind: 'quiet', forMs: 12_000 }, 'none in the 12 s watched, some before'],
    [{ kind: 'quiet', forMs: 0 }, 'some since the start'],
    [{ kind: 'quiet', forMs: 900_000 }, 'no request for 15 min'],
    [{ kind: 'shadowed', by: ['a'] }, 'can never match: a matches all its requests'],
    [{ kind: 'shadowed', by: ['a', 'b', 'c', 'd'] }, 'can never match: a, b, c and 1 more match all its requests'],
    [{ kind: 'shadowed', by: [] }, 'can never match: its rules match nothing'],
    [{ kind: 'dangling' }, 'inactive: there is no level lost'],
  ])('%j is said as %j', (standing, text) => {
    expect(standingText(standing, 'mine', 'lost')).toBe(text)
  })

  it('asks for a look unless there is traffic, or it is that of catch-all', () => {
    const built = rowsOf(builtInObjects('v1.36.0'))(NO_COVERAGE)
    const last = built.at(-1)
    expect(last).toMatchObject({ schema: 'catch-all', standing: { kind: 'shadowed' } })
    expect(last && standingText(last.standing, last.schema, last.level)).toBe('can never match, as intended')
    expect(built.filter(isIdle)).toEqual([])
    expect(isIdle(row('a', { kind: 'never' }))).toBe(true)
    // A single page of a file does not show for how long.
    expect(isIdle(row('a', { kind: 'quiet', forMs: 0 }))).toBe(false)
  })
})

it('warns of requests that only catch-all takes', () => {
  expect(catchAllSentence([row('catch-all', traffic, { counted: 0, total: 0 })])).toBeUndefined()
  expect(catchAllSentence([row('catch-all', traffic, { counted: 1, total: 9 })])).toContain(
    'received 1 request since this page opened',
  )
  expect(catchAllSentence([row('catch-all', traffic, { total: 9 })])).toContain(
    'received 9 requests since the servers started',
  )
})

it('adds up the rates of servers', () => {
  const server = (id: string, rate: number | undefined) => ({
    id,
    torn: false,
    levels: [{ name: 'l', schemas: [{ name: 's', ...(rate !== undefined && { dispatchedPerSecond: rate }) }] }],
  })
  expect(dispatchedRates([server('a', 2), server('b', 3), server('c', undefined)])).toEqual(new Map([['s', 5]]))
  expect(dispatchedRates([server('a', undefined)])).toEqual(new Map())
})

describe('flows', () => {
  const request = (user: string, schema: string): DumpRequest => ({
    level: schema === 'global-default' ? 'global-default' : 'workload-low',
    schema,
    queue: 1,
    position: 0,
    flow: user,
    arrivedAt: 0,
    initialSeats: 1,
    finalSeats: 0,
    additionalLatencyMs: 0,
    user,
    verb: 'list',
    path: '/api/v1/pods',
  })
  const coverage = withDump(NO_COVERAGE, {
    at: '2026-01-01T00:00:00Z',
    requests: [
      request('system:serviceaccount:ci:runner', 'service-accounts'),
      request('alice', 'global-default'),
      request('team-lead', 'service-accounts'),
    ],
  })
  const objects = builtInObjects('v1.36.0')
  const draft = { ...objects, schemas: objects.schemas.filter(({ metadata }) => metadata.name !== 'service-accounts') }

  it('are those of one schema or of all', () => {
    expect(
      flowTable(coverage, undefined, objects, undefined)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['alice', 'ci:runner', 'team-lead'])
    const [only] = flowTable(coverage, 'global-default', objects, undefined)
    expect(only).toMatchObject({ name: 'alice', words: 'LIST pods', requests: 1, users: 1 })
    expect(only).not.toHaveProperty('draft')
  })

  it('say where the draft sends them, where their groups explain what the server did', () => {
    const byName = new Map(flowTable(coverage, undefined, objects, draft).map((flow) => [flow.name, flow.draft]))
    expect(byName.get('ci:runner')).toEqual({ schema: 'global-default', level: 'global-default', moves: true })
    expect(byName.get('alice')).toMatchObject({ moves: false })
    expect(byName.get('team-lead')).toBe('unclear')
  })
})
