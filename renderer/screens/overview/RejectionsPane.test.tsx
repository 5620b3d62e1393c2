import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { LIVE_SPECS, scrapeSpec, sourceOf } from '../../../test/harness/memorySources.ts'
import { connectionStore } from '../../state/connection.ts'
import { RejectionsPane } from './RejectionsPane.tsx'

const before = connectionStore.getState()
afterEach(() => {
  cleanup()
  connectionStore.setState(before)
})

const row = { server: 's', level: 'global-default', schema: 'global-default', reason: 'queue-full', count: 1 } as const
const recent = { seconds: 10, rows: [{ ...row, perSecond: 0.1 }] }

test.each([
  ['a proxy, which sees them', LIVE_SPECS.enforce, /^Live requests shows the user and the flow/],
  ['a feed', LIVE_SPECS.feed, /^Live requests shows/],
  ['a simulation', LIVE_SPECS.simulation, /^Live requests shows/],
  ['metrics, which do not', scrapeSpec('prod'), /^Metrics do not identify flows, users or requests\./],
])('says where the names of users and flows are: %s', (_source, spec, sentence) => {
  connectionStore.setState({
    connection: {
      id: 1,
      spec,
      source: sourceOf(spec),
      servers: [],
      still: false,
      cadence: { intervalMs: 1_000, dumpsEveryMs: null },
    },
  })
  render(<RejectionsPane recent={recent} />)
  expect(screen.getByText(sentence)).toBeTruthy()
})
