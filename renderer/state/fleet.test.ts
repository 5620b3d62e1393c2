import { afterEach, expect, test, vi } from 'vitest'
import { ProblemError } from '../../core/errors.ts'
import { PrometheusSpecSchema } from '../../core/contract/prometheus.ts'
import type { Connected } from '../../core/contract/source.ts'
import type { FleetSource } from '../../core/fleet/fleet.ts'
import { setClient } from './client.ts'
import { connectionStore } from './connection.ts'
import { showServer } from './fleet.ts'
import { shellStore } from './shell.ts'

const spec = PrometheusSpecSchema.parse({ kind: 'prometheus', url: 'https://prometheus.example.com', fleet: true })
const connected = (id: number, over: Partial<Connected> = {}): Connected => ({
  id,
  source: { kind: 'prometheus', name: 'prometheus.example.com', via: 'Prometheus' },
  spec,
  cadence: { intervalMs: 30_000, dumpsEveryMs: null },
  servers: [],
  still: false,
  ...over,
})
const whole: FleetSource = {
  id: 1,
  still: false,
  name: 'prod',
  cluster: 'prod',
  via: 'Prometheus',
  health: [],
  servers: [],
  whole: true,
  staleAfterMs: 90_000,
}

afterEach(() => setClient(undefined))

test('a server of which there are no frames is connected by itself, once; that it cannot be is said', async () => {
  connectionStore.setState({ connections: [connected(1)], connection: connected(1) })
  const { fleet: _, ...rest } = spec
  const own = { ...rest, cluster: 'prod', instances: ['a:6443'] }
  const calls: unknown[] = []
  setClient({
    call(name, input) {
      calls.push([name, input])
      return Promise.reject(new ProblemError('unreachable', 'Prometheus is not ready.'))
    },
    subscribe: () => () => undefined,
    onLink: () => () => undefined,
  })
  const open = vi.fn<() => void>()
  showServer(whole, 'a:6443', open)
  showServer(whole, 'a:6443', open)
  await vi.waitFor(() => expect(shellStore.getState().toast).toBe('Prometheus is not ready.'))
  expect(calls).toEqual([['sources.connect', { spec: own }]])
  expect(open).not.toHaveBeenCalled()
})

test('a server that was connected by itself is shown there', () => {
  const { fleet: _, ...rest } = spec
  const own = connected(2, { spec: { ...rest, cluster: 'prod', instances: ['a:6443'] } })
  connectionStore.setState({ connections: [connected(1), own], connection: connected(1) })
  const open = vi.fn<() => void>()
  showServer(whole, 'a:6443', open)
  expect(open).toHaveBeenCalledTimes(1)
  expect(connectionStore.getState().connection?.id).toBe(2)
})

test('a server that its source reads in full is shown there', () => {
  const servers: Connected['servers'] = [{ id: 'a:6443', status: 'ok', failures: [] }]
  connectionStore.setState({ connections: [connected(1, { servers })], connection: undefined })
  const open = vi.fn<() => void>()
  showServer(whole, 'a:6443', open)
  expect(open).toHaveBeenCalledTimes(1)
  expect(connectionStore.getState().connection?.id).toBe(1)
})
