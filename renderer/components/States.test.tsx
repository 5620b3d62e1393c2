import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { scrapeSpec, sourceOf } from '../../test/harness/memorySources.ts'
import type { ErrorCode } from '../../core/contract/errors.ts'
import { connectionStore } from '../state/connection.ts'
import { NoSampleYet } from './States.tsx'

const before = connectionStore.getState()
afterEach(() => {
  cleanup()
  connectionStore.setState(before)
})

test.each<[ErrorCode, string]>([
  ['forbidden', 'You may not read /metrics on a.'],
  ['unauthorized', 'a does not accept the credentials.'],
  ['timeout', 'a does not answer.'],
])('says what failed before the first sample: %s', (code, title) => {
  const spec = scrapeSpec('prod')
  connectionStore.setState({
    connection: {
      id: 1,
      spec,
      source: sourceOf(spec),
      servers: [
        {
          id: 'a',
          status: 'failing',
          failures: [{ at: '2026-11-21T03:12:34.000Z', problem: { code, message: 'It failed.' } }],
        },
      ],
      still: false,
      cadence: { intervalMs: 1_000, dumpsEveryMs: null },
    },
  })
  render(<NoSampleYet />)
  expect(screen.getByText(title)).toBeTruthy()
})
