import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { connectedTo, FEED, proxySpec, scrapeSpec, SIMULATION } from '../../../test/fixtures/sources.ts'
import { connectionStore } from '../../state/connection.ts'
import { RejectionsPane } from './RejectionsPane.tsx'

const before = connectionStore.getState()
afterEach(() => {
  cleanup()
  connectionStore.setState(before)
})

const row = { server: 's', level: 'global-default', schema: 'global-default', reason: 'queue-full', count: 1 } as const
const recent = { seconds: 10, rows: [{ ...row, perSecond: 0.1 }] }

test('loses the colour of a level whose server is stale', () => {
  connectionStore.setState({ connection: connectedTo(SIMULATION) })
  const { rerender } = render(<RejectionsPane recent={recent} stale={new Set()} />)
  const level = (): string | undefined => screen.getByText('GD').style.getPropertyValue('--level')
  expect(level()).toBe('var(--lv-global-default)')
  rerender(<RejectionsPane recent={recent} stale={new Set(['s'])} />)
  expect(level()).toBe('var(--text-3)')
})

test.each([
  ['a proxy, which sees them', proxySpec('enforce'), /^Live requests shows the user and the flow/],
  ['a feed', FEED, /^Live requests shows/],
  ['a simulation', SIMULATION, /^Live requests shows/],
  ['metrics, which do not', scrapeSpec('prod'), /^Metrics do not identify flows, users or requests\./],
])('says where the names of users and flows are: %s', (_source, spec, sentence) => {
  connectionStore.setState({ connection: connectedTo(spec) })
  render(<RejectionsPane recent={recent} stale={new Set()} />)
  expect(screen.getByText(sentence)).toBeTruthy()
})
