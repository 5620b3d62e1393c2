import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Connected } from '../../core/contract/source.ts'
import { connectionStore, showConnection, tellConnections } from './connection.ts'
import { openMade, openScreen, openScreenOrNextPage, routeNow, startRoutes } from './route.ts'
import { selectionStore } from './selection.ts'
import { shellStore } from './shell.ts'
import { instantOf, timeStore } from './time.ts'

let stop: () => void = () => undefined
beforeEach(() => {
  connectionStore.setState({ known: false, connections: [], connection: undefined })
  history.replaceState(null, '', location.pathname)
})
afterEach(() => stop())

const connected = (id: number, name: string): Connected => ({
  id,
  source: { kind: 'scrape', name, via: '/metrics' },
  spec: { kind: 'demo' },
  still: false,
  cadence: { intervalMs: 1_000, dumpsEveryMs: 5_000 },
  servers: [],
})
const open = (hash: string): void => {
  history.replaceState(null, '', hash === '' ? location.pathname : hash)
  stop = startRoutes()
}
const shown = (): string | undefined => connectionStore.getState().connection?.source.name
const AT = '2026-11-20T03:07:20.000Z'
const RANGE = '2026-11-20T03:00:00.000Z/2026-11-20T04:00:00.000Z'

it('an address leads to its source, server, range and instant, also before the sources are known', async () => {
  open(`#/overview?source=prod&server=a%3A6443&range=${encodeURIComponent(RANGE)}&at=${AT}`)
  selectionStore.getState().setServer('a:6443')
  tellConnections([connected(1, 'prod'), connected(2, 'staging')])
  expect(shown()).toBe('prod')
  expect(selectionStore.getState().server).toBe('a:6443')
  expect(timeStore.getState().window).toMatchObject({ kind: 'absolute', from: Date.parse('2026-11-20T03:00:00Z') })
  expect(instantOf(timeStore.getState())).toBe(Date.parse(AT))
  showConnection(2)
  await vi.waitFor(() => expect(location.hash).toContain('source=staging'))
  expect(location.hash).toContain(`at=${encodeURIComponent(AT)}`)
})

it('an address of a source that is not connected says so, and shows the newest', () => {
  tellConnections([connected(1, 'prod')])
  open('#/overview?source=elsewhere')
  expect(shown()).toBe('prod')
  expect(shellStore.getState().toast).toBe('This address is about elsewhere, which is not connected.')
})

it('what was connected is shown, unless the user went elsewhere meanwhile', async () => {
  open('#/connection')
  const slow = Promise.withResolvers<Connected>()
  const opened = openMade(() => slow.promise)
  openScreen('settings')
  slow.resolve(connected(1, 'prod'))
  expect(await opened).toMatchObject({ id: 1 })
  expect(routeNow().screen).toBe('settings')
  await openMade(async () => ({ ...connected(2, 'etcd'), etcd: true }))
  expect(routeNow().screen).toBe('etcd')
  await openMade(async () => connected(3, 'proxy'), 'live')
  expect(routeNow().screen).toBe('live')
})

it('several sources open side by side', async () => {
  open('')
  tellConnections([connected(1, 'prod'), connected(2, 'staging')])
  await vi.waitFor(() => expect(routeNow().screen).toBe('fleet'))
})

it('a second stroke goes on from where the first one led, before the browser reports the address', () => {
  open('#/overview')
  openScreenOrNextPage('whatif')
  expect(routeNow()).toMatchObject({ screen: 'whatif' })
  openScreenOrNextPage('whatif')
  expect(routeNow()).toMatchObject({ screen: 'whatif', page: 'scenarios' })
})

it('one source opens on the Overview', () => {
  open('')
  tellConnections([connected(1, 'prod')])
  expect(location.hash).not.toContain('fleet')
})

it('an address opens where it leads, whatever is connected', () => {
  open('#/allocation')
  tellConnections([connected(1, 'prod'), connected(2, 'staging')])
  expect(routeNow().screen).toBe('allocation')
  expect(location.hash).not.toContain('fleet')
})
