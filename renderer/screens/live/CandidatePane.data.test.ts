import { describe, expect, it } from 'vitest'
import { builtInObjects } from '../../../core/config/builtIn.ts'
import type { ObjectSet } from '../../../core/config/objects.ts'
import { besideOf } from '../../state/draftRun.ts'
import { assumedSentence, differentShare, comparedRows, comparedSpan } from './CandidatePane.tsx'

const A = { arrived: 2_000, rejected: 300, executingSeats: 491, queued: 100, waitP99: { low: 41, high: 6_420 } }
const B = { arrived: 2_000, rejected: 900, executingSeats: 348, queued: 101, waitP99: { low: 12, high: 6_400 } }

describe('A and B side by side', () => {
  it('say over which time they are, and what B had to assume', () => {
    expect(comparedSpan({ seconds: 120 })).toBe('last 2 min')
    expect(comparedSpan({ seconds: 120, behindMs: 300 })).toBe('last 2 min')
    expect(comparedSpan({ seconds: 120, behindMs: 14_000 })).toBe('last 2 min, 14 s behind')
    expect(assumedSentence({})).toBeUndefined()
    expect(assumedSentence({ assumed: 1 })).toContain('until 1 request had run under A')
  })

  it('noise has no verdict, and waits stand in the order of names', () => {
    const rows = comparedRows({ seconds: 300, a: A, b: B, different: 1 })
    expect(rows.map(({ what, verdict }) => [what, verdict])).toEqual([
      ['rejected /s', 'worse'],
      ['wait p99, high', undefined],
      ['wait p99, low', 'better'],
      ['executing seats', undefined],
      ['queued requests', undefined],
    ])
  })

  it('rates are over the seconds that were counted', () => {
    const rates = (seconds: number) => comparedRows({ seconds, a: A, b: B, different: 1 })[0]
    expect(rates(300)).toMatchObject({ a: '1.00', b: '3.00' })
    expect(rates(30)).toMatchObject({ a: '10.0', b: '30.0' })
    expect(rates(0)).toEqual({ what: 'rejected /s', a: '–', b: '–' })
  })

  it('names the four levels whose waits differ most, and none where nobody waits', () => {
    const waitP99 = { exempt: 0, e: 100, d: 100, c: 100, b: 100, a: 101 }
    const rows = comparedRows({
      seconds: 300,
      a: { ...A, waitP99 },
      b: { ...B, waitP99: { exempt: 0, e: 500, d: 400, c: 300, b: 200, a: 101 } },
      different: 0,
    })
    expect(rows.map(({ what }) => what).filter((what) => what.startsWith('wait'))).toEqual([
      'wait p99, b',
      'wait p99, c',
      'wait p99, d',
      'wait p99, e',
    ])
  })

  it('says of how many requests the share is', () => {
    expect(differentShare({ different: 30, a: A })).toBe('1.5 % of 2\u202f000')
    expect(differentShare({ different: 0, a: { ...A, arrived: 0 } })).toBe('–')
  })
})

describe('the draft of the Editor and the one that runs', () => {
  const objects = builtInObjects('v1.37.2')
  const changed: ObjectSet = { ...objects, schemas: objects.schemas.slice(1) }

  it('are compared by what people write', () => {
    const [first, ...others] = objects.levels
    if (first === undefined) throw new Error('there are built-in levels')
    const written = { ...first, metadata: { ...first.metadata, resourceVersion: '77' } }
    expect(besideOf({ ...objects, levels: [written, ...others] }, objects)).toBe('same')
    expect(besideOf(changed, objects)).toBe('changed')
  })

  it('may be gone, or not known here', () => {
    expect(besideOf(undefined, objects)).toBe('gone')
    expect(besideOf(undefined, undefined)).toBe('gone')
    expect(besideOf(changed, undefined)).toBe('unknown')
  })
})
