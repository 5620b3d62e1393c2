import { expect, it } from 'vitest'
import { trustSentences } from './feedWaits.ts'

const at = (time: string): number => Date.parse(`2026-11-23T${time}Z`)
const bounds = { told: 1_120, untold: 670, guessed: 900 }

it('reports by how much waits are overestimated, where only the events bound them', () => {
  const [compared, corrected] = trustSentences({ here: 3_858, bounds })
  expect(compared).toBe(
    'Total wait of requests: 1 h 4 min here; at the server, by the events, at least 18 min 40 s and at most 29 min 50 s. Waits here are overestimated by 34 min 28 s to 45 min 38 s.',
  )
  expect(corrected).toMatch(/^Execution times of 900 requests are not corrected: each is the/)
})

it('reports only what the bounds allow', () => {
  expect(trustSentences({ here: 1_500, bounds })[0]).toContain('overestimated by 6 min 20 s at most')
  expect(trustSentences({ here: 1_000, bounds })[0]).toContain('underestimated by 2 min at least')
  expect(trustSentences({ here: 0, bounds: { told: 0, untold: 3, guessed: 1 } })).toHaveLength(1)
})

it('compares with the server’s own histogram, where that is available', () => {
  const reported = { sinceMs: at('10:00:00'), server: 1_434, here: 3_858 }
  expect(trustSentences({ here: 4_000, reported })).toEqual([
    'Total wait of requests since the scrape at 10:00:00 UTC: 23 min 54 s by the server’s own histogram, and 1 h 4 min here. Waits here are overestimated by 40 min 24 s.',
  ])
  expect(trustSentences({ here: 4_000, reported: { ...reported, here: 1_500 } })[0]).toContain('nearly the same')
  expect(trustSentences({ here: 4_000, reported: { ...reported, here: 100 } })[0]).toContain(
    'underestimated by 22 min 14 s',
  )
})

it('reports the histogram of a correction, its factor and its time, and what is not corrected', () => {
  const sentences = trustSentences({
    here: 0,
    bounds: { told: 0, untold: 9, guessed: 4 },
    corrected: { fromMs: at('10:00:00'), toMs: at('10:05:00'), requests: 8_123, factor: 0.6149 },
    uncorrected: [{ level: 'system', schema: 'system-nodes', feed: 40, server: 400 }],
  })
  expect(sentences).toEqual([
    'Execution times of 8,123 requests are corrected by the server’s histogram apiserver_flowcontrol_request_execution_seconds, 10:00:00 to 10:05:00 UTC. In total they are 0.615 of the times in the events. Those of 4 requests are not corrected: each is the wait and execution in its event together, less its wait here.',
    'Execution times of system-nodes in system are not corrected while its histogram counts other requests than the feed: 400 there, 40 here.',
  ])
})
