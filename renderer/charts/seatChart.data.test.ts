import { describe, expect, it } from 'vitest'
import { seriesOf } from './seatChart.fixture.ts'
import { edgeLabels, seatChartData, type SeatChartData, seatSentence, seatRows, seatsAt } from './seatChart.data.ts'

const LIMITED = { exempt: false, exist: 602 }
const busy = {
  executing: [300, 307, 307, 307],
  queuedSeats: [0, 100, 500, 587],
  current: [307, 307, 307, 307],
  nominal: [245, 245, 245, 245],
  lower: [24, 24, 24, 24],
  upper: [845, 845, 845, 845],
  dispatchedRate: [20, 20, 20, 20],
  queueFullRate: [0, 0, 3, 4],
}

function dataOf(values: Parameters<typeof seriesOf>[0][string], length: number, options = LIMITED): SeatChartData {
  const data = seatChartData(seriesOf({ x: values }, length), 'x', options)
  if (data === undefined) throw new Error('the level is in the series')
  return data
}

describe('seatChartData', () => {
  it('stacks queued seats on executing ones and stops the band at the seats that exist', () => {
    const last = dataOf(busy, 4).points.at(-1)
    expect(last).toMatchObject({ executing: 307, queued: [307, 894], demand: 894, current: 307, nominal: 245 })
    expect(last?.band).toEqual([24, 602])
  })

  it('holds everything that is drawn on its axis', () => {
    const { axis, points } = dataOf(busy, 4)
    for (const point of points) expect(point.demand ?? 0).toBeLessThanOrEqual(axis.max)
  })

  it('does not flatten an idle level for an upper limit that is far away', () => {
    const idle = dataOf({ ...busy, executing: [1, 2, 1, 2], queuedSeats: [0, 0, 0, 0], current: [56, 56, 56, 56] }, 4)
    expect(idle.axis.max).toBeLessThan(400)
  })

  it('finds the first rejection only when a quiet sample went before it', () => {
    expect(dataOf(busy, 4).firstRejection).toBe(2_000)
    expect(dataOf({ ...busy, queueFullRate: [1, 1, 1, 1] }, 4).firstRejection).toBeUndefined()
    expect(dataOf({ ...busy, queueFullRate: [0, 0, 0, 0] }, 4).firstRejection).toBeUndefined()
  })

  it('breaks lines at a gap and marks a reset of the counters', () => {
    const executing = [1, 1, 1, null, null, null, null, 1, 1, 1, 1]
    const dispatchedRate = [5, 5, 5, null, null, null, null, null, 5, null, 5]
    const data = dataOf({ executing, dispatchedRate }, 11)
    expect(data.gaps).toEqual([{ from: 2_000, to: 7_000 }])
    expect(data.points.filter((point) => point.executing === null)).toHaveLength(1)
    // After a gap a missing rate is no reset; between samples it is.
    expect(data.resets).toEqual([9_000])
  })

  it('draws no limits and no queue for exempt', () => {
    const data = dataOf(busy, 4, { exempt: true, exist: 602 })
    expect(data.points.at(-1)).toMatchObject({ executing: 307, queued: null, band: null, current: null, nominal: null })
  })

  it('keeps peaks when it reduces', () => {
    const executing = Array.from({ length: 900 }, (_, i) => (i === 451 ? 99 : 1))
    const data = dataOf({ executing, executingMax: executing }, 900)
    expect(data.points.length).toBeLessThanOrEqual(301)
    expect(Math.max(...data.points.map((point) => point.executing ?? 0))).toBe(99)
    expect(data.reducedTo).toBe(3)
  })

  it('knows nothing of a level that is not in the series', () => {
    expect(seatChartData(seriesOf({ x: busy }, 4), 'y', LIMITED)).toBeUndefined()
  })
})

describe('labels and words', () => {
  it('names demand, limits and how much of max exists', () => {
    expect(edgeLabels(dataOf(busy, 4), LIMITED).map((label) => label.text)).toEqual([
      'max 845',
      '602 exist',
      'demand 894',
      'limit 307',
      'nominal 245',
      'min 24',
    ])
  })

  it('says in one sentence what is borrowed and what waits', () => {
    expect(seatSentence('x', dataOf(busy, 4))).toBe('x: 307 of 307 seats executing, 62 borrowed, 587 seats queued')
    const short = { ...seriesOf({ x: { executing: [7], current: [9], nominal: [12] } }, 1), fairFrac: [0] }
    const withheld = seatChartData(short, 'x', LIMITED) ?? expect.fail()
    expect(seatSentence('x', withheld)).toBe('x: 7 of 9 seats executing')
    expect(seatSentence('x', dataOf({}, 4))).toBe('x: no sample in this range')
  })

  it('labels the sample closest to the cursor, and says nothing in a gap', () => {
    const series = seriesOf(
      { x: { executing: [30, null, 31], queuedSeats: [12, null, 0], current: [30, null, 31] } },
      3,
    )
    expect(seatsAt(series, 'x', 400)).toMatchObject({ executing: 30, queued: 12, current: 30, nominal: undefined })
    expect(edgeLabels(dataOf(busy, 4), LIMITED, seatsAt(series, 'x', 400)).map(({ text }) => text)).toEqual([
      'demand 42',
      'limit 30',
    ])
    const silent = { ...series, samples: [1, 0, 1] }
    // The end of the gap is closer, but its sample is still not the one of this instant.
    for (const at of [1_000, 1_900]) expect(seatsAt(silent, 'x', at)).toBeUndefined()
    expect(seatsAt(silent, 'x', 2_000)?.executing).toBe(31)
  })

  it('has a table of every sample, newest first', () => {
    const executing = Array.from({ length: 700 }, (_, i) => (i === 3 ? null : i))
    const rows = seatRows(seriesOf({ x: { executing, upper: [9] } }, 700), 'x')
    expect(rows).toHaveLength(700)
    expect(rows[0]?.executing).toBe(699)
    expect(rows.at(-4)).toMatchObject({ executing: null, demand: null })
    expect(rows.at(-1)?.upper).toBe(9)
  })
})
