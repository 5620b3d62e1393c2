import { describe, expect, it } from 'vitest'
import { createFrameBuilder } from '../../core/metrics/buildFrame.ts'
import { createPicture } from '../../core/source/picture.ts'
import { NEEDED_FAMILIES } from '../../core/metrics/catalogue.ts'
import { createParser } from '../../core/metrics/parse.ts'

const FAMILIES = ['nominal_limit_seats', 'current_limit_seats', 'lower_limit_seats', 'upper_limit_seats']

/** A page of `levels` levels with one schema each; `turn` is part of every name. */
function pageOf(levels: number, turn: number): Uint8Array {
  const lines: string[] = []
  for (const family of FAMILIES)
    for (let i = 0; i < levels; i++)
      lines.push(`apiserver_flowcontrol_${family}{priority_level="level-${turn}-${i}"} 10`)
  for (let i = 0; i < levels; i++)
    lines.push(
      `apiserver_flowcontrol_dispatched_requests_total{priority_level="level-${turn}-${i}",flow_schema="schema-${turn}-${i}"} ${turn}`,
    )
  return new TextEncoder().encode(`${lines.join('\n')}\n`)
}

describe('a page that names ten thousand levels', () => {
  it('is shown in part, which is said', () => {
    const page = createParser({ keep: NEEDED_FAMILIES }).parse(pageOf(10_000, 0))
    const frame = createFrameBuilder({ id: 'a' })(page, { at: '2026-01-01T00:00:00.000Z', version: 'v1.36.3' })
    expect(frame.levels.length).toBe(128)
    expect(frame.missing).toContainEqual({
      family: 'apiserver_flowcontrol_*',
      reason: 'too-many',
      note: 'The page names 10000 priority levels. The first 128 are shown and counted.',
    })
  })

  it('does not fill the memory, be the names the same or others each time', () => {
    const parser = createParser({ keep: NEEDED_FAMILIES })
    const build = createFrameBuilder({ id: 'a' })
    const picture = createPicture()
    const before = process.memoryUsage().arrayBuffers
    for (let turn = 0; turn < 12; turn++) {
      const at = new Date(Date.UTC(2026, 0, 1) + turn * 1_000).toISOString()
      const frame = build(parser.parse(pageOf(10_000, turn)), { at, version: 'v1.36.3' })
      picture.take({ kind: 'frame', frame })
    }
    const series = picture.server('a')?.history.series({ from: 0, to: Date.UTC(2027, 0, 1), maxPoints: 100 })
    expect(series?.levels.length).toBeLessThanOrEqual(160)
    // 160 levels of 0.53 MB, twice: what made room may not be collected yet. It was 3.7 GB.
    const held = process.memoryUsage().arrayBuffers - before
    expect(held).toBeLessThan(1_000_000_000)
  })

  it('says how many flow schemas of one level are left out', () => {
    const lines = Array.from(
      { length: 5_000 },
      (_, i) => `apiserver_flowcontrol_dispatched_requests_total{priority_level="one",flow_schema="schema-${i}"} 1`,
    )
    const page = createParser({ keep: NEEDED_FAMILIES }).parse(new TextEncoder().encode(`${lines.join('\n')}\n`))
    const frame = createFrameBuilder({ id: 'a' })(page, { at: '2026-01-01T00:00:00.000Z', version: 'v1.36.3' })
    expect(frame.levels[0]?.schemas.length).toBe(1_024)
    expect(frame.missing.find(({ reason }) => reason === 'too-many')?.note).toBe(
      'The page names 5000 flow schemas. The first 1024 are shown and counted.',
    )
  })
})
