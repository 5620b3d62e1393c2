import { expect, test } from 'vitest'
import { notRecorded } from './recording.ts'

const AT = Date.UTC(2026, 10, 20, 3, 7, 20, 895)

test('says what is not recorded with times as the console writes them', () => {
  expect(notRecorded('prod', AT, { before: AT - 60_000, after: AT + 60_000 }).message).toBe(
    'Nothing of prod was recorded at 2026-11-20 03:07:20 UTC. The nearest samples are of 2026-11-20 03:06:20 UTC and 2026-11-20 03:08:20 UTC.',
  )
  expect(notRecorded('prod', AT, {}).message).toBe('Nothing of prod was recorded at 2026-11-20 03:07:20 UTC.')
})
