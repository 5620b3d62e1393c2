import { describe, expect, it } from 'vitest'
import { syntheticStory } from '../../../test/fixtures/synthetic.ts'
import type { ServerHealth } from '../../../core/contract/source.ts'
import { backoffOf, healthFacts, imbalance, sourceFacts } from './health.data.ts'

const health: ServerHealth = { id: 'apiserver-a:6443', status: 'ok', failures: [] }
const fact = (more: Partial<ServerHealth>, label: string) =>
  healthFacts({ ...health, ...more }, undefined).find((entry) => entry.label === label)

describe('health of a source', () => {
  it('names the page and its compressed size only when they differ', () => {
    expect(fact({ bytes: 1_800_000, wireBytes: 86_000 }, 'One /metrics page')?.value).toBe('1.8 MB, 86 kB compressed')
    expect(fact({ bytes: 1_800_000, wireBytes: 1_800_000 }, 'One /metrics page')?.value).toBe('1.8 MB')
    expect(fact({}, 'One /metrics page')?.value).toBe('–')
  })

  it('warns of clocks that differ', () => {
    expect(fact({ clockOffsetMs: 12 }, 'Server clock')).toEqual({ label: 'Server clock', value: 'within 1 s' })
    expect(fact({ clockOffsetMs: -5_000 }, 'Server clock')).toMatchObject({ value: '5.0 s behind', tone: 'warn' })
  })

  it('says why dumps are not read', () => {
    const label = 'One reading of the dumps'
    expect(fact({ dumps: { status: 'ok', costMs: 3.4, bytes: 64_000 } }, label)?.value).toBe('3.4 ms, 64 kB')
    expect(fact({ dumps: { status: 'forbidden' } }, label)).toMatchObject({ value: 'forbidden', tone: 'bad' })
  })

  it('compares servers when there are several', () => {
    const [one] = syntheticStory({ seconds: 1, servers: 1 })
    const three = [...syntheticStory({ seconds: 60, servers: 3 })].at(-1)
    expect(imbalance(one?.frame)).toBeUndefined()
    expect(imbalance(three?.frame)).toBeGreaterThan(1)
    expect(sourceFacts(one?.frame)).toEqual([])
    expect(sourceFacts(three?.frame)).toHaveLength(1)
  })
})

it('draws the waits between failed tries and until the next', () => {
  const at = (second: number): string => new Date(second * 1_000).toISOString()
  const failures = [0, 1, 3, 7].map((second) => ({
    at: at(second),
    problem: { code: 'unreachable' as const, message: 'refused' },
  }))
  expect(backoffOf({ ...health, failures, nextTryAt: at(15) }, 10_000)).toEqual({
    waits: [1, 2, 4, 8],
    nextInSeconds: 5,
  })
  expect(backoffOf({ ...health, failures }, 10_000)).toEqual({ waits: [1, 2, 4], nextInSeconds: undefined })
})
