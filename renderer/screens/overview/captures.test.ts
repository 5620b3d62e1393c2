import { describe, expect, test } from 'vitest'
import { createFrameBuilder } from '../../../core/metrics/buildFrame.ts'
import { isExempt } from '../../../core/frame/reading.ts'
import { NEEDED_FAMILIES } from '../../../core/metrics/catalogue.ts'
import { createParser } from '../../../core/metrics/parse.ts'
import { metricsPages, readFixture } from '../../../test/fixtures/load.ts'
import { differenceNote, ledgerOf } from '../../charts/seatLedger.data.ts'
import { levelOrder } from '../../../core/text/levelSlots.ts'
import { levelRows, totalsOf } from '../../../core/verdict/levelRows.ts'
import { createFormat } from '../../../core/text/format.ts'
import { headline } from '../../../core/verdict/headline.ts'

const order = levelOrder({})

describe.each(metricsPages)('real server: %s', (path) => {
  const page = createParser({ keep: NEEDED_FAMILIES }).parse(readFixture(path))
  const frame = createFrameBuilder({ id: 'api' })(page, { at: '2026-11-21T07:30:00.000Z' })
  const rows = levelRows(frame, undefined, order)

  test('accounts for every seat: nothing unknown, and any difference explained', () => {
    const ledger = ledgerOf(
      frame,
      rows.map(({ name }) => name),
    )
    expect(ledger.unknown).toEqual([])
    expect(ledger.entries).toHaveLength(frame.levels.filter((level) => !isExempt(level)).length)
    expect(ledger.borrowed - ledger.lent).toBe(ledger.regime === 'short' ? 0 : ledger.difference)
    expect(ledger.current).toBe(ledger.entries.reduce((sum, entry) => sum + entry.current, 0))
    expect(differenceNote(ledger) ?? '').not.toMatch(/may straddle two reallocations/)
  })

  test('has no empty cell but rates and quantiles, which need two samples', () => {
    for (const row of rows) {
      expect(row.states, row.name).not.toContain('unknown')
      expect(row.demand, row.name).toBeTypeOf('number')
      expect(row.queuedRequests, row.name).toBeTypeOf('number')
      expect(row.rejectedPerSecond, row.name).toBeUndefined()
    }
    const totals = totalsOf(rows)
    expect(totals.executing).toBeTypeOf('number')
    expect(totals.nominal).toBeGreaterThan(0)
  })

  test('is not said to flow before the second sample', () => {
    const said = headline([{ id: 'api', rows }], createFormat('screen'))
    expect(said.title).not.toMatch(/^All/)
    expect(said.tone).not.toBe('withheld')
  })
})
