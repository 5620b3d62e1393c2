import { describe, expect, it } from 'vitest'
import { liveRequest } from '../../../core/live/live.fixture.ts'
import { levelsWithQueues, marksOf, queueCells } from './LiveQueuesPane.tsx'

const queue = (requests: number, waiting = 0, executingSeats = 0) => ({
  requests,
  waiting,
  executing: executingSeats > 0 ? 1 : 0,
  executingSeats,
})

describe('queues of live requests', () => {
  it('the level in which most wait comes first, then the one to which most came', () => {
    const tallies = new Map([
      ['system', new Map([[1, queue(900)]])],
      ['global-default', new Map([[1, queue(1_000)]])],
      ['workload-low', new Map([[14, queue(3, 2)]])],
    ])
    expect(levelsWithQueues(tallies)).toEqual(['workload-low', 'global-default', 'system'])
  })

  it('has a cell for each queue of the level, also for those to which nothing came', () => {
    const data = queueCells(new Map([[14, queue(9, 4, 3)]]), 128, 'waiting')
    expect(data.cells).toHaveLength(128)
    expect(data.cells[14]).toEqual({ index: 14, waiting: 4, pending: 4, executingRequests: 1, executingSeats: 3 })
    expect(data).toMatchObject({ waitingMax: 4, executingMax: 3, pendingTotal: 4, nonEmpty: 1 })
    expect(queueCells(new Map([[14, queue(9)]]), undefined, 'waiting').cells).toHaveLength(15)
    expect(queueCells(new Map([[14, queue(9, 4, 3)]]), 128, 'arrived')).toMatchObject({
      waitingMax: 9,
      executingMax: 0,
      pendingTotal: 9,
    })
  })

  it('marks the hand of the flow of the opened request, as upstream deals it', () => {
    const queuing = { queues: 128, handSize: 6, queueLengthLimit: 50 }
    // The hand that upstream's own shuffle sharding deals to this flow (design 12).
    expect(marksOf(liveRequest(), queuing)).toEqual({
      hand: [45, 41, 126, 105, 14, 42],
      dealt: true,
      second: [],
      lengthLimit: 50,
    })
    expect(marksOf(undefined, queuing).hand).toEqual([])
    expect(marksOf(liveRequest(), undefined)).toMatchObject({ hand: [], dealt: false })
  })
})
