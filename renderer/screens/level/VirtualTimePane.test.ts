import { describe, expect, it } from 'vitest'
import { AT, queueOf, requestOf } from './level.fixture.ts'
import { nextQueues } from './VirtualTimePane.tsx'

describe('nextQueues', () => {
  const queues = [
    queueOf(1, { pending: 1, nextDispatchR: 100, totalWork: 9 }),
    queueOf(2, { pending: 2, nextDispatchR: 103, totalWork: 4 }),
    queueOf(3, { pending: 0, nextDispatchR: 50, totalWork: 0 }),
  ]
  it('orders waiting queues by expected finish, not by start', () => {
    const data = nextQueues(queues, undefined, 9)
    expect(data?.queues.map((queue) => [queue.index, queue.start, queue.finish])).toEqual([
      [2, 3, 5],
      [1, 0, 9],
    ])
    expect(data).toMatchObject({ origin: 100, span: 9, waitingQueues: 2 })
  })
  it('names the flow at the head first', () => {
    const requests = [
      requestOf({ queue: 2, position: 1, flow: 'bob' }),
      requestOf({ queue: 2, position: 0, flow: 'alice' }),
      requestOf({ queue: 2, position: -1, flow: 'carol', startedAt: AT }),
    ]
    expect(nextQueues(queues, requests, 1)?.queues[0]?.flows).toEqual(['alice', 'bob'])
  })
  it('has no order without anybody waiting', () => {
    expect(nextQueues([queueOf(1)], [], 9)).toBeUndefined()
  })
})
