import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { captureVersions, readCapture, readFixture } from '../../test/fixtures/load.ts'
import { parsePriorityLevelsDump, parseQueuesDump, parseRequestsDump } from './dumps.ts'

/**
 * Prints a table by the format rules of specification 12: cells joined by comma and tab, columns as wide as their
 * longest cell (in code points) with comma and one space, at least 8; the last cell without comma and padding.
 */
function printDump(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((text, i) => (i < row.length - 1 ? `${text},` : text)))
  const width = (i: number) => Math.max(8, ...cells.map((row) => Array.from(row[i] ?? '').length + 1))
  const widths = (rows[0] ?? []).map((_, i) => width(i))
  const pad = (text: string, i: number) => text + ' '.repeat((widths[i] ?? 0) - Array.from(text).length)
  return cells.map((row) => `${row.map((text, i) => (i < row.length - 1 ? pad(text, i) : text)).join('')}\n`).join('')
}

const LEVELS =
  'PriorityLevelName ActiveQueues IsIdle IsQuiescing WaitingRequests ExecutingRequests DispatchedRequests RejectedRequests TimedoutRequests CancelledRequests'.split(
    ' ',
  )
const QUEUES =
  'PriorityLevelName Index PendingRequests ExecutingRequests SeatsInUse NextDispatchR InitialSeatsSum MaxSeatsSum TotalWorkSum'.split(
    ' ',
  )
const REQUESTS =
  'PriorityLevelName FlowSchemaName QueueIndex RequestIndexInQueue FlowDistingsher ArriveTime InitialSeats FinalSeats AdditionalLatency StartTime'.split(
    ' ',
  )
const DETAILS = 'UserName Verb APIPath Namespace Name APIVersion Resource SubResource'.split(' ')

const seatSeconds = (units: bigint) => `${units / 100_000_000n}.${(units % 100_000_000n).toString().padStart(8, '0')}ss`

describe('captured dumps', () => {
  const dumps = [
    ...captureVersions.flatMap((version) =>
      ['dump_priority_levels', 'dump_queues', 'dump_requests', 'dump_requests-details'].map((name) => ({
        path: name,
        body: readFixture(`captures/${version}/idle/${name}.txt.gz`).toString('utf8'),
      })),
    ),
    ...readCapture('captures/v1.36.3/elephants-and-mice.dumps.ndjson.gz'),
    ...readCapture('captures/v1.36.3/waves.dumps.ndjson.gz'),
  ]

  /** The inverse of the row format: the parsed row as its original text. */
  const parse = (path: string, body: string) => {
    if (path.includes('priority_levels')) return parsePriorityLevelsDump(body)
    return path.includes('queues') ? parseQueuesDump(body) : parseRequestsDump(body)
  }

  it('are read whole, row for row, by columns that the format rule reproduces', () => {
    expect(dumps.length).toBeGreaterThan(40)
    for (const { path, body } of dumps) {
      const result = parse(path, body)
      expect(result.ok, JSON.stringify(result.ok ? '' : result.problem)).toBe(true)
      const lines = body.split('\n').slice(0, -1)
      expect(result.rows).toHaveLength(lines.length - 1)
      // No captured field contains a comma and a space, so splitting is correct here, and printing gives the same
      // bytes.
      const cells = lines.map((line) => line.split(/, */))
      expect(printDump(cells)).toBe(body)
      result.rows.forEach((row, i) => {
        const values = Object.values(row).filter((value) => typeof value === 'string')
        for (const value of values) expect(cells[i + 1]).toContain(value)
      })
    }
  })

  it('give numbers as printed', () => {
    const body = dumps.find(({ path }) => path === 'dump_priority_levels')?.body ?? ''
    const rows = parsePriorityLevelsDump(body).rows
    expect(rows.map(({ name }) => name)).toContain('exempt')
    const exempt = rows.find(({ name }) => name === 'exempt')
    expect(body).toMatch(new RegExp(`exempt, +0, +false, +false, +0, +1, +${exempt?.dispatched}, +0, +0, +0\n`))
  })
})

describe('what is printed is read back', () => {
  const count = fc.nat(1_000_000)
  // Fields may contain commas, spaces and any script; a tab or a line break would change the table itself.
  const word = fc
    .oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.string({ unit: fc.constantFrom(',', ' ', 'a', 'é', '漢', '🚀', ', '), maxLength: 12 }),
    )
    .filter((text) => !/[\t\n\v\f\r]/.test(text) && text.isWellFormed())

  it('for priority levels', () => {
    const row = fc.record({
      name: word,
      activeQueues: count,
      idle: fc.boolean(),
      quiescing: fc.boolean(),
      waiting: count,
      executing: count,
      dispatched: count,
      rejected: count,
      timedOut: count,
      cancelled: count,
    })
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const text = printDump([LEVELS, ...rows.map((each) => Object.values(each).map(String))])
        expect(parsePriorityLevelsDump(text)).toEqual({ ok: true, rows })
      }),
    )
  })

  it('for queues', () => {
    const units = fc.bigInt({ min: 0n, max: 2n ** 52n })
    const row = fc.record({
      level: word,
      index: count,
      pending: count,
      executing: count,
      seatsInUse: count,
      nextDispatchR: units,
      initialSeats: count,
      maxSeats: count,
      totalWork: units,
    })
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const text = printDump([
          QUEUES,
          ...rows.map((each) =>
            Object.values(each).map((value) => (typeof value === 'bigint' ? seatSeconds(value) : String(value))),
          ),
        ])
        const expected = rows.map((each) => ({
          ...each,
          nextDispatchR: Number(each.nextDispatchR) / 1e8,
          totalWork: Number(each.totalWork) / 1e8,
        }))
        expect(parseQueuesDump(text)).toEqual({ ok: true, rows: expected })
      }),
    )
  })

  const request = fc.record({
    level: word,
    schema: word,
    queue: fc.integer({ min: -1, max: 500 }),
    position: fc.integer({ min: -1, max: 500 }),
    flow: word,
    arrivedAt: fc.integer({ min: 0, max: 4e12 }),
    initialSeats: count,
    finalSeats: count,
    additionalLatencyMs: fc.nat(5_000),
    startedAt: fc.option(fc.integer({ min: 0, max: 4e12 }), { nil: undefined }),
  })
  const time = (ms: number) => new Date(ms).toISOString().replace(/\.?0+Z$/, 'Z')
  const requestCells = (row: typeof request extends fc.Arbitrary<infer T> ? T : never) => [
    row.level,
    row.schema,
    String(row.queue),
    String(row.position),
    row.flow,
    time(row.arrivedAt),
    String(row.initialSeats),
    String(row.finalSeats),
    row.additionalLatencyMs === 0 ? '0s' : `${row.additionalLatencyMs}ms`,
    row.startedAt === undefined ? '0001-01-01T00:00:00Z' : time(row.startedAt),
  ]

  it('for requests', () => {
    fc.assert(
      fc.property(fc.array(request), (rows) => {
        expect(parseRequestsDump(printDump([REQUESTS, ...rows.map(requestCells)]))).toEqual({ ok: true, rows })
      }),
    )
  })

  it('for requests with details', () => {
    const details = fc.record({
      user: word,
      verb: word,
      path: word,
      namespace: word,
      name: word,
      apiVersion: word,
      resource: word,
      subresource: word,
    })
    fc.assert(
      fc.property(fc.array(fc.tuple(request, details)), (rows) => {
        const text = printDump([
          [...REQUESTS, ...DETAILS],
          ...rows.map(([row, detail]) => [...requestCells(row), ...Object.values(detail)]),
        ])
        const expected = rows.map(([row, detail]) => ({ ...row, ...detail }))
        expect(parseRequestsDump(text)).toEqual({ ok: true, rows: expected })
      }),
    )
  })

  it('or, cut anywhere, gives a problem and only rows that are whole', () => {
    fc.assert(
      fc.property(
        fc.array(request, { minLength: 1, maxLength: 5 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (rows, at) => {
          const text = printDump([REQUESTS, ...rows.map(requestCells)])
          const points = Array.from(text)
          const cut = points.slice(0, Math.floor(at * (points.length - 1))).join('')
          const result = parseRequestsDump(cut)
          const whole = Math.max(0, cut.split('\n').length - 2)
          expect(result.ok).toBe(cut.endsWith('\n'))
          expect(result.rows).toEqual(rows.slice(0, whole))
        },
      ),
    )
  })
})

describe('details of fields', () => {
  const row = (over: Partial<Record<string, string>>) => {
    const plain: Record<string, string> = {
      PriorityLevelName: 'low',
      FlowSchemaName: 's',
      QueueIndex: '3',
      RequestIndexInQueue: '0',
      FlowDistingsher: '',
      ArriveTime: '2026-11-21T07:25:46.765953351Z',
      InitialSeats: '1',
      FinalSeats: '0',
      AdditionalLatency: '0s',
      StartTime: '0001-01-01T00:00:00Z',
    }
    return parseRequestsDump(printDump([REQUESTS, REQUESTS.map((column) => over[column] ?? plain[column] ?? '')]))
  }

  it('keeps the fraction of a time, as far as a double goes', () => {
    expect(row({}).rows[0]?.arrivedAt).toBeCloseTo(Date.parse('2026-11-21T07:25:46Z') + 765.953351, 3)
  })

  it.each([
    ['0s', 0],
    ['5ms', 5],
    ['1.5s', 1_500],
    ['1m0s', 60_000],
    ['1h2m3.5s', 3_723_500],
    ['250µs', 0.25],
    ['10ns', 0.000_01],
    ['-50ms', -50],
  ])('reads the duration %s', (text, ms) => {
    expect(row({ AdditionalLatency: text }).rows[0]?.additionalLatencyMs).toBeCloseTo(ms, 12)
  })

  it.each([
    ['AdditionalLatency', '5'],
    ['AdditionalLatency', 'ms'],
    ['QueueIndex', '3.5'],
    ['QueueIndex', ''],
    ['ArriveTime', '2026-11-21 07:25:46'],
    ['ArriveTime', '2026-13-21T07:25:46Z'],
  ])('names the column whose field it cannot read: %s %j', (column, text) => {
    const result = row({ [column]: text })
    expect(result).toMatchObject({
      ok: false,
      rows: [],
      problem: { line: 2, message: expect.stringContaining(column) },
    })
  })
})

describe('what is not such a dump', () => {
  const header = printDump([LEVELS])

  it('is empty when nothing has a level', () => {
    expect(parsePriorityLevelsDump(header)).toEqual({ ok: true, rows: [] })
  })

  it.each([
    ['an empty answer', '', 'empty'],
    ['a web page', '<!doctype html>\n<title>Sign in</title>\n', 'web page'],
    ['an error of the server', '{"kind":"Status","code":403,"message":"forbidden, really"}\n', 'JSON'],
    ['another text', '404 page not found\n', '404 page not found'],
    ['metrics', '# HELP up Whether, it is up\nup 1\n', 'column names'],
  ])('explains %s', (_, text, said) => {
    const result = parsePriorityLevelsDump(text)
    expect(result).toMatchObject({ ok: false, rows: [], problem: { line: 1, message: expect.stringContaining(said) } })
  })

  it('names the column that it lacks', () => {
    const result = parseQueuesDump(header)
    expect(result).toMatchObject({
      ok: false,
      rows: [],
      problem: { line: 1, message: expect.stringMatching(/^The dump has no column Index, which every release/) },
    })
  })

  it('tolerates columns that it does not know and their order', () => {
    const columns = [...LEVELS.toReversed(), 'SomethingNew']
    const result = parsePriorityLevelsDump(
      printDump([columns, ['9', '8', '7', '6', '5', '4', 'false', 'true', '1', 'low', 'x, y']]),
    )
    expect(result).toMatchObject({ ok: true, rows: [{ name: 'low', cancelled: 9, idle: true, activeQueues: 1 }] })
  })

  it('keeps the rows around one that is out of order', () => {
    const good = ['low', '0', 'true', 'false', '0', '0', '0', '0', '0', '0']
    const text = printDump([LEVELS, good, good.with(2, 'maybe'), good]) + 'rubbish\n'
    const result = parsePriorityLevelsDump(text)
    expect(result.rows).toHaveLength(2)
    expect(result).toMatchObject({
      ok: false,
      problem: { line: 3, message: 'IsIdle should be true or false and is "maybe".' },
    })
  })

  it('accepts line ends of Windows', () => {
    const text = printDump([LEVELS, ['low', '0', 'true', 'false', '0', '0', '0', '0', '0', '7']]).replaceAll(
      '\n',
      '\r\n',
    )
    expect(parsePriorityLevelsDump(text)).toMatchObject({ ok: true, rows: [{ cancelled: 7 }] })
  })
})
