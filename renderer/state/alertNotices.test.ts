import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AlertChange, AlertsState } from '../../core/contract/alerts.ts'
import type { Client, StreamName } from '../../core/contract/contract.ts'
import { ConnectedSchema } from '../../core/contract/source.ts'
import { connectionStore } from './connection.ts'
import { startAlertNotices } from './alertNotices.ts'
import { settingsStore } from './settings.ts'

const change = (
  at: number,
  severity: 'critical' | 'warning',
  more: Partial<AlertChange['alert']> = {},
): AlertChange => ({
  kind: 'fired',
  at,
  alert: {
    rule: 'R1',
    name: 'APFRequestsRejected',
    severity,
    server: 'api-1:6443',
    level: severity === 'critical' ? 'system' : 'workload-low',
    since: at,
    firedAt: at,
    evidence: [{ name: 'rejected', value: 3, unit: 'requests/s' }],
    cause: 'Every queue was full.',
    remedy: 'Find the flow.',
    silenced: false,
    ...more,
  },
})

let told: string[]
let now: number
let emit: (state: AlertsState) => void
let stop: () => void

const states = (changes: readonly AlertChange[]): AlertsState => ({
  silent: [],
  rules: [],
  alerts: [],
  silences: [],
  changes,
})

beforeEach(() => {
  told = []
  now = 0
  const client: Pick<Client, 'subscribe'> = {
    subscribe(name: StreamName, _params, onEvent: (event: never) => void) {
      if (name === 'alerts') emit = (state) => onEvent(state as never)
      return () => (emit = () => undefined)
    },
  }
  connectionStore.setState({
    connections: [
      ConnectedSchema.parse({
        id: 1,
        source: { kind: 'demo', name: 'prod', via: 'demo' },
        spec: { kind: 'demo' },
        cadence: { intervalMs: 1_000, dumpsEveryMs: null },
        servers: [],
        still: false,
      }),
    ],
  })
  settingsStore.setState({ alertNotices: 'all' })
  stop = startAlertNotices(
    client as Client,
    (title, body) => told.push(`${title} | ${body}`),
    () => now,
  )
})
afterEach(() => {
  stop()
  connectionStore.setState({ connections: [] })
  settingsStore.setState({ alertNotices: 'off' })
})

it('tells of what fires from now on, once in a quarter of an hour', () => {
  const old = change(1, 'warning', { level: 'catch-all' })
  emit(states([old]))
  expect(told).toEqual([])
  emit(states([change(2, 'warning'), old]))
  expect(told).toEqual([
    'R1 Rejections by reason: \u2068workload-low of api-1:6443\u2069 | \u2068prod\u2069. rejected 3 /s. \u2068Every queue was full.\u2069',
  ])
  emit(states([change(3, 'warning'), change(2, 'warning'), old]))
  expect(told).toHaveLength(1)
  now = 900_000
  emit(states([change(4, 'warning'), change(3, 'warning'), change(2, 'warning'), old]))
  expect(told).toHaveLength(2)
})

it('names keep to themselves: none turns the text around it, or hides a part of it', () => {
  emit(states([]))
  emit(states([change(1, 'warning', { level: 'a\u202egnol', cause: 'a\u202egnol is full.' })]))
  expect(told[0]).toMatch(/: \u2068a\\u202egnol of api-1:6443\u2069 \|.*\u2068a\\u202egnol is full\.\u2069$/)
})

it('tells of nothing that is silenced, resolved, or not wanted', () => {
  emit(states([]))
  settingsStore.setState({ alertNotices: 'critical' })
  const changes = [
    change(4, 'critical', { silenced: true }),
    { ...change(3, 'critical', { level: 'node-high' }), kind: 'resolved' as const },
    change(2, 'warning'),
  ]
  emit(states(changes))
  expect(told).toEqual([])
  emit(states([change(5, 'critical'), ...changes]))
  expect(told).toHaveLength(1)
})

it('hears a source no more that is not connected', () => {
  emit(states([]))
  connectionStore.setState({ connections: [] })
  emit(states([change(1, 'critical')]))
  expect(told).toEqual([])
})
