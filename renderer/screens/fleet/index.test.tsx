import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SIMULATION } from '../../../test/fixtures/sources.ts'
import { openStory, type Story } from '../../../test/harness/story.ts'
import { setClient } from '../../state/client.ts'
import { connectionStore, connectSource, tellConnections } from '../../state/connection.ts'
import { selectionStore } from '../../state/selection.ts'
import { startState } from '../../state/start.ts'
import { FleetScreen } from './index.tsx'

let story: Story
let stop: () => void

beforeEach(async () => {
  story = await openStory({ history: 20, servers: 3 })
  setClient(story.client)
  stop = startState(story.client)
  await connectSource(SIMULATION, true)
  render(<FleetScreen />)
})

afterEach(() => {
  cleanup()
  stop()
  story.stop()
  setClient(undefined)
  selectionStore.getState().setServer(undefined)
  selectionStore.getState().setLevel(undefined)
  location.hash = ''
})

const grid = (): HTMLElement => screen.getByRole('grid', { name: 'Fleet' })
const rows = (): string[] =>
  within(grid())
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('gridcell')[0]?.textContent ?? '')
const row = (server: string): HTMLElement | null => screen.getByText(server).closest('tr')

test('every connection is a row; opened it lists its servers, and a server its levels', async () => {
  const user = userEvent.setup()
  await waitFor(() => expect(rows()).toHaveLength(2))
  await user.click(screen.getByRole('button', { name: 'Open demo' }))
  await waitFor(() => expect(rows()).toHaveLength(5))
  await user.click(screen.getByRole('button', { name: 'Open apiserver-a:6443' }))
  expect(rows()).toHaveLength(13)
  expect(rows().some((text) => text.includes('workload-low'))).toBe(true)
})

test('runs and etcd proxies are no clusters', async () => {
  await waitFor(() => expect(rows()).toHaveLength(2))
  const [demo, ...others] = connectionStore.getState().connections
  if (demo === undefined) throw new Error('the story is connected')
  const of = { kind: 'scenario', name: 'S1', seed: 1, variant: 'now' } as const
  act(() =>
    tellConnections([demo, ...others, { ...demo, id: 8, spec: { kind: 'run', of } }, { ...demo, id: 9, etcd: true }]),
  )
  expect(connectionStore.getState().connections).toHaveLength(4)
  expect(rows()).toHaveLength(2)
})

test('a row leads to the level of its source', async () => {
  const user = userEvent.setup()
  await waitFor(() => expect(rows()).toHaveLength(2))
  const [demo] = connectionStore.getState().connections
  expect(connectionStore.getState().connection?.id).not.toBe(demo?.id)
  await user.click(await screen.findByRole('button', { name: 'Open demo' }))
  await user.click(await screen.findByRole('button', { name: 'Open apiserver-b:6443' }))
  await user.click(within(grid()).getByText('workload-low'))
  expect(connectionStore.getState().connection?.id).toBe(demo?.id)
  expect(selectionStore.getState()).toMatchObject({ server: 'apiserver-b:6443', level: 'workload-low' })
  expect(location.hash).toContain('#/level/workload-low')
})

test('keys open a row and go to what it is about', async () => {
  const user = userEvent.setup()
  await waitFor(() => expect(rows()).toHaveLength(2))
  const first = within(grid()).getAllByRole('gridcell')[0]
  act(() => first?.focus())
  await user.keyboard(' ')
  expect(rows().length).toBeGreaterThan(2)
  await user.keyboard('{Enter}')
  expect(location.hash).toContain('#/overview')
})

test('a server that does not answer is said in its row; the other source stays as it was', async () => {
  await waitFor(() => expect(rows()).toHaveLength(2))
  await userEvent.setup().click(await screen.findByRole('button', { name: 'Open demo' }))
  await act(async () => {
    story.setSilent(true)
    story.advance(10_000)
    vi.setSystemTime(Date.now() + 10_000)
  })
  const refused = /apiserver-a refused the connection; is it running/
  await waitFor(() => expect(row('apiserver-a:6443')?.textContent).toMatch(refused))
  expect(row('apiserver-b:6443')?.textContent).not.toMatch(refused)
})

test('a search names what it does not understand, and hides what does not match', async () => {
  const user = userEvent.setup()
  await waitFor(() => expect(rows()).toHaveLength(2))
  const search = screen.getByRole('searchbox', { name: 'Search the fleet' })
  await user.type(search, 'cluster:demo')
  expect(rows()).toHaveLength(1)
  await user.clear(search)
  await user.type(search, 'wait>soon')
  expect(screen.getByText('Write a duration: wait>5s.')).toBeTruthy()
  await user.clear(search)
  await user.type(search, 'nothing-like-this')
  expect(screen.getByText('Nothing in the fleet matches this search.')).toBeTruthy()
})

test('groups and sorting', async () => {
  const user = userEvent.setup()
  await waitFor(() => expect(rows()).toHaveLength(2))
  await user.click(within(grid()).getByRole('columnheader', { name: /^Cluster/ }))
  const byName = rows()
  await user.click(within(grid()).getByRole('columnheader', { name: /^Cluster/ }))
  expect(rows()).toEqual(byName.toReversed())
  await user.click(screen.getByRole('radio', { name: 'Source' }))
  expect(rows().length).toBe(4)
})

test('a column of the fleet is copied as an expression of every server that a Prometheus scrapes', async () => {
  const user = userEvent.setup()
  await waitFor(() => expect(rows()).toHaveLength(2))
  await user.click(screen.getByRole('button', { name: 'Export Fleet' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Copy Limit of each level as PromQL' }))
  expect(await navigator.clipboard.readText()).toBe(
    'apiserver_flowcontrol_current_limit_seats{priority_level!="exempt"}',
  )
})
