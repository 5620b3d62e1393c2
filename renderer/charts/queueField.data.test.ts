import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DumpQueue } from '../../core/frame/dump.ts'
import {
  barsLayout,
  barsTop,
  depthBins,
  fullQueues,
  overfullNote,
  gridLayout,
  gridTop,
  nextNonEmpty,
  places,
  queueAt,
  QUEUE_UNITS,
  queueFieldData,
  queueRect,
  queueText,
  QUEUES_DRAWN,
} from './queueField.data.ts'

const queue = (index: number, change: Partial<DumpQueue> = {}): DumpQueue => ({
  level: 'x',
  index,
  pending: 0,
  executing: 0,
  seatsInUse: 0,
  nextDispatchR: 0,
  initialSeats: 0,
  maxSeats: 0,
  totalWork: 0,
  ...change,
})

const some = [
  queue(1, { pending: 3, maxSeats: 6, totalWork: 1.5 }),
  queue(4, { executing: 2, seatsInUse: 5 }),
  queue(6),
]

describe('queueFieldData', () => {
  it('counts waiting work in the chosen unit and never converts', () => {
    expect(queueFieldData(some, 'requests').waitingTotal).toBe(3)
    expect(queueFieldData(some, 'seats').waitingTotal).toBe(6)
    expect(queueFieldData(some, 'seat-seconds').waitingTotal).toBe(1.5)
    expect(queueFieldData(some, 'seats').pendingTotal).toBe(3)
  })
  it('has a cell for every index up to the last', () => {
    const data = queueFieldData(some, 'requests')
    expect(data.cells.map((cell) => cell.index)).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(data).toMatchObject({ waitingMax: 3, executingMax: 5, nonEmpty: 2 })
  })
  it('draws at most so many queues', () => {
    expect(queueFieldData([queue(100_000)], 'requests').cells).toHaveLength(QUEUES_DRAWN)
  })
})

describe('layouts', () => {
  const size = fc.record({ width: fc.integer({ min: 200, max: 2_000 }), height: fc.integer({ min: 100, max: 800 }) })
  const count = fc.integer({ min: 1, max: QUEUES_DRAWN })

  it('find every queue again at the middle of its rectangle', () => {
    fc.assert(
      fc.property(count, size, fc.boolean(), fc.nat(), (queues, box, bars, pick) => {
        const layout = bars ? barsLayout(queues, box) : gridLayout(queues, box)
        const index = pick % queues
        const rect = queueRect(layout, index, box)
        expect(queueAt(layout, rect.x + rect.width / 2, rect.y + rect.height / 2)).toBe(index)
      }),
    )
  })

  it('keep a grid inside its canvas', () => {
    fc.assert(
      fc.property(count, size, (queues, box) => {
        const rect = queueRect(gridLayout(queues, box), queues - 1, box)
        expect(rect.x + rect.width).toBeLessThanOrEqual(box.width + 1e-6)
        expect(rect.y + rect.height).toBeLessThanOrEqual(box.height + 1e-6)
      }),
    )
  })

  it('find nothing beside the queues', () => {
    const layout = gridLayout(10, { width: 400, height: 200 })
    expect(queueAt(layout, 2, 100)).toBeUndefined()
    expect(queueAt(layout, 399, 199)).toBeUndefined()
    expect(queueAt(barsLayout(10, { width: 400, height: 200 }), 10, 50)).toBeUndefined()
  })

  it('give 512 queues 32 columns on the screen they were designed on', () => {
    expect(gridLayout(512, { width: 800, height: 400 })).toMatchObject({ columns: 32, rows: 16 })
  })
})

describe('reading by keyboard', () => {
  const { cells } = queueFieldData(some, 'requests')
  it('moves between queues that hold something and stays at the ends', () => {
    expect(nextNonEmpty(cells, undefined, 1)).toBe(1)
    expect(nextNonEmpty(cells, 1, 1)).toBe(4)
    expect(nextNonEmpty(cells, 4, 1)).toBe(4)
    expect(nextNonEmpty(cells, undefined, -1)).toBe(4)
    expect(nextNonEmpty([], undefined, 1)).toBeUndefined()
  })
  it('says what a queue holds', () => {
    const [cell] = cells.filter(({ index }) => index === 4)
    if (cell === undefined) throw new Error('there is a queue 4')
    const facts = 'queue 4, 0 requests waiting, 5 seats executing'
    expect(queueText(cell, undefined)).toBe(facts)
    expect(queueText(cell, 0)).toBe(`${facts}, seen with the chosen flow`)
    expect(queueText(cell, 3)).toBe(`${facts}, number 3 of the chosen flow’s hand`)
  })
})

describe('a hand', () => {
  it('numbers its queues in the order in which they were dealt, and only when they were', () => {
    expect([...places({ hand: [45, 3, 19], dealt: true })]).toEqual([
      [45, 1],
      [3, 2],
      [19, 3],
    ])
    expect([...places({ hand: [3, 19], dealt: false }).values()]).toEqual([0, 0])
  })
})

describe('the length limit', () => {
  const data = (pending: number, unit: (typeof QUEUE_UNITS)[number] = 'requests') =>
    queueFieldData([queue(0, { pending, maxSeats: pending }), queue(1)], unit)
  it('is on the scale of the bars once a queue comes near it', () => {
    expect(barsTop(data(3), 50)).toBe(3)
    expect(barsTop(data(4), 50)).toBe(50)
    expect(barsTop(data(60), 50)).toBe(60)
    expect(barsTop(data(4), undefined)).toBe(4)
  })
  it('is what the deepest shade of the grid means', () => {
    expect(gridTop(data(3), 50)).toBe(50)
    expect(gridTop(data(3), undefined)).toBe(3)
  })
  it('is in requests and in nothing else', () => {
    expect(barsTop(data(40, 'seats'), 50)).toBe(40)
    expect(gridTop(data(40, 'seats'), 50)).toBe(40)
  })
  it('tells which queues are full', () => {
    expect(fullQueues(data(50).cells, 50)).toBe(1)
    expect(fullQueues(data(49).cells, 50)).toBe(0)
    expect(fullQueues(data(50).cells, undefined)).toBe(0)
    expect(overfullNote(data(50), 50)).toBeUndefined()
    expect(overfullNote(data(50), undefined)).toBeUndefined()
    expect(overfullNote(data(1_250), 1_200)).toMatch(/contains 1\u202f250 requests with a length limit of 1\u202f200\./)
    expect(overfullNote(data(50), 35)).toMatch(
      /contains 50 requests with a length limit of 35\. .* seats were free then/,
    )
  })
})

describe('depthBins', () => {
  it('puts every queue into one bin', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(300), { maxLength: 200 }), (depths) => {
        const { cells } = queueFieldData(
          depths.map((pending, i) => queue(i, { pending })),
          'requests',
        )
        const bins = depthBins(cells)
        expect(bins.reduce((sum, bin) => sum + bin.queues, 0)).toBe(cells.length)
        for (const [i, bin] of bins.entries()) if (i > 0) expect(bin.from).toBe((bins[i - 1]?.to ?? 0) + 1)
      }),
    )
  })
  it('has labels that double', () => {
    const { cells } = queueFieldData([queue(0, { pending: 25 })], 'requests')
    expect(depthBins(cells).map((bin) => bin.label)).toEqual(['0', '1', '2', '3–4', '5–8', '9–16', '17–32'])
  })
})
