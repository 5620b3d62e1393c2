import { expect, test } from 'vitest'
import { answer } from './answers.ts'

// Findings of the random comparison with upstream (docs/conformance.md), in their smallest form.

test('a scan that dispatches nothing moves a round-robin index from before the first queue to the last one', () => {
  // The only queue is removed, another one is added, and its head is too wide while a request without a queue runs.
  const question = {
    config: { queues: 1, handSize: 1, queueLengthLimit: 10, limit: 3 },
    reconfigs: [
      { at: '2000', limit: 2 },
      { at: '4000', queues: 1, handSize: 1, queueLengthLimit: 26, limit: 2 },
    ],
    samples: ['3550', '5500'],
    arrivals: [
      ['1000', '1', 1, 1, '500', '2000', null],
      ['3800', '3', 1, 0, '0', '9000', null],
      ['5000', '2', 1, 6, '71', '24', null],
    ],
  }
  expect(answer('queueset', question)).toMatchObject({ samples: [{ robinIndex: -1 }, { robinIndex: 0, waiting: 1 }] })
})
