import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { Connected } from '../../core/contract/source.ts'
import { tellConnections } from '../state/connection.ts'
import { HiddenReallocations } from './HiddenReallocations.tsx'

const connected = (intervalMs: number | undefined): Connected => ({
  id: 1,
  source: { kind: 'prometheus', name: 'prod', via: 'Prometheus' },
  spec: { kind: 'demo' },
  cadence: { intervalMs: 5_000, dumpsEveryMs: null },
  servers: [
    {
      id: 'a:6443',
      status: 'ok',
      failures: [],
      ...(intervalMs !== undefined && { prometheus: { labels: [], intervalMs } }),
    },
  ],
  still: false,
})

afterEach(() => {
  cleanup()
  tellConnections([])
})

it('says what scrapes far apart do not show of the limits', () => {
  tellConnections([connected(30_000)])
  render(<HiddenReallocations server="a:6443" />)
  expect(screen.getByRole('note').textContent).toMatch(
    /^Prometheus scrapes this server every 30 s\. .* about one of 3 recomputations\.$/,
  )
})

it.each([5_000, undefined])('says nothing with an interval of %s', (intervalMs) => {
  tellConnections([connected(intervalMs)])
  render(<HiddenReallocations server="a:6443" />)
  expect(screen.queryByRole('note')).toBeNull()
})
