import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { openStory } from '../../test/harness/story.ts'
import { setClient } from './client.ts'
import { tellConnections } from './connection.ts'
import { useFindings } from './findings.ts'
import { pastStore } from './past.ts'
import { timeStore } from './time.ts'

afterEach(() => {
  cleanup()
  setClient(undefined)
  tellConnections([])
  timeStore.getState().live()
  pastStore.setState({}, true)
})

const Pane = ({ wanted = true }: { readonly wanted?: boolean }) => <p>{useFindings(wanted).length}</p>

test('panes that show findings share one diagnosis, and show none of another source', async () => {
  const story = await openStory({ history: 60, servers: 1 })
  const [source] = story.connections()
  if (source === undefined) return expect.fail('no source')
  const asked: unknown[] = []
  const subscribe: typeof story.client.subscribe = (name, params, ...on) => {
    if (name === 'diagnosis') asked.push(params)
    return story.client.subscribe(name, params, ...on)
  }
  setClient({ ...story.client, subscribe })
  tellConnections([source])
  const panes = (
    <>
      <Pane />
      <Pane />
      <Pane wanted={false} />
    </>
  )
  const { unmount } = render(panes)
  const counts = (): readonly string[] => screen.getAllByRole('paragraph').map(({ textContent }) => textContent)
  await waitFor(() => expect(Number(counts()[0])).toBeGreaterThan(0))
  expect(counts()[1]).toBe(counts()[0])
  expect(counts()[2]).toBe('0')
  expect(asked).toEqual([{ connection: source.id }])
  act(() => tellConnections([{ ...source, id: source.id + 1 }]))
  expect(counts()).toEqual(['0', '0', '0'])
  expect(asked).toHaveLength(2)
  unmount()
  render(panes)
  expect(asked).toHaveLength(3)
  story.stop()
  return undefined
})

test('of the past, the instant that is shown is diagnosed once it rests', async () => {
  const story = await openStory({ history: 60, servers: 1 })
  const asked: unknown[] = []
  setClient({
    ...story.client,
    subscribe(name, params) {
      if (name === 'diagnosis') asked.push(params)
      return () => undefined
    },
  })
  tellConnections(story.connections())
  const at = Date.UTC(2026, 10, 27)
  timeStore.getState().goTo(at)
  pastStore.setState({ connection: 9, moment: { at, derived: [], health: [] } })
  render(<Pane />)
  await waitFor(() => expect(asked).toEqual([{ connection: 9, at }]))
  // The pointer is elsewhere by now, and its moment is still to come.
  act(() => timeStore.getState().goTo(at + 1_000))
  act(() => timeStore.getState().goTo(at + 2_000))
  act(() => pastStore.setState({ moment: { at: at + 2_000, derived: [], health: [] } }))
  await waitFor(() => expect(asked).toHaveLength(2))
  expect(asked[1]).toEqual({ connection: 9, at: at + 2_000 })
  story.stop()
})
