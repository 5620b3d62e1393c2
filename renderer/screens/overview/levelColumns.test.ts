import { expect, test } from 'vitest'
import { levelColumns, OPTIONAL_COLUMNS } from './levelColumns.tsx'

const columns = levelColumns({
  width: 3_000,
  compact: false,
  scale: 100,
  stale: false,
  range: '10 min',
  sparkline: () => null,
  optional: new Set(OPTIONAL_COLUMNS.map(([id]) => id)),
  explained: undefined,
})

test('every rate and every quantile says over which time it is one', () => {
  const overTime = columns.filter(
    ({ id, header, title = '' }) => /\/s|p50|p99/.test(`${header} ${id}`) || title.includes('per second'),
  )
  expect(overTime.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['dispatched', 'rejected', 'waitP50', 'waitP99', 'queueFull', 'noAccommodation']),
  )
  for (const { id, title } of overTime)
    expect([id, title]).toEqual([id, expect.stringMatching(/last \d+ s|previous sample/)])
})
