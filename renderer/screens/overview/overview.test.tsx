import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, test } from 'vitest'
import type { ServerHealth } from '../../../core/contract/source.ts'
import { openStory, type Story, type StoryOptions } from '../../../test/harness/story.ts'
import { rfc3339, unixMsOf } from '../../../core/units.ts'
import { setClient } from '../../state/client.ts'
import { connectionStore } from '../../state/connection.ts'
import { selectionStore } from '../../state/selection.ts'
import { cursorOf, timeStore } from '../../state/time.ts'
import { startState } from '../../state/start.ts'
import { viewStore } from '../../state/view.ts'
import { OverviewScreen } from './index.tsx'
import { derivedServer, frameOf, level, scannerFlood, server } from '../../../core/verdict/levels.fixture.ts'

let story: Story | undefined
let stop: (() => void) | undefined

async function open(options: StoryOptions = {}): Promise<Story> {
  story = await openStory({ history: 20, servers: 1, ...options })
  setClient(story.client)
  stop = startState(story.client)
  render(<OverviewScreen />)
  return story
}

afterEach(() => {
  cleanup()
  stop?.()
  story?.stop()
  setClient(undefined)
  selectionStore.getState().setServer(undefined)
  selectionStore.getState().setLevel(undefined)
})

/** Shows frames without a source; the previous story emits nothing any more. */
function show(...frames: Parameters<typeof frameOf>): void {
  stop?.()
  act(() => {
    const [first] = frames
    const derived = frames.map((frame) => derivedServer(frame))
    viewStore.setState(
      {
        frame: frameOf(...frames),
        derived,
        mode: 'live',
        ageMs: 100,
        buffered: 0,
        server: first,
        derivedServer: derived[0],
      },
      true,
    )
  })
}

describe('overview without data', () => {
  test('no source: one choice that needs nothing', async () => {
    await open({ spec: null })
    await userEvent.setup().click(await screen.findByRole('button', { name: 'Explore a simulated cluster' }))
    expect(await screen.findByRole('grid', { name: 'Priority levels' })).toBeDefined()
  })

  const failing = (code: 'forbidden' | 'unreachable', message: string): ServerHealth => ({
    id: 'apiserver-a:6443',
    status: 'failing',
    failures: [{ at: '2026-11-21T03:12:34.000Z', problem: { code, message, details: 'raw words' } }],
  })
  function fail(health: ServerHealth): void {
    act(() => {
      connectionStore.setState({
        known: true,
        connection: {
          id: 1,
          source: { kind: 'scrape', name: 'prod-eu-1', via: '/metrics direct' },
          spec: {
            kind: 'scrape',
            target: { kind: 'kubeconfig', context: 'prod-eu-1' },
            cadence: { intervalMs: 1_000, dumpsEveryMs: null },
          },
          cadence: { intervalMs: 1_000, dumpsEveryMs: null },
          servers: [health],
          still: false,
        },
      })
    })
  }

  test('a server that does not answer: why, since when, the raw words', async () => {
    await open({ spec: null })
    await screen.findByText('No cluster is connected.')
    fail(failing('unreachable', 'connection refused'))
    expect(await screen.findByRole('heading', { name: 'apiserver-a:6443 does not respond.' })).toBeDefined()
    expect(screen.getByText('connection refused')).toBeDefined()
    expect(screen.getByText(/raw words/)).toBeDefined()
  })

  test('forbidden: the sentence and the role', async () => {
    await open({ spec: null })
    await screen.findByText('No cluster is connected.')
    fail(failing('forbidden', '403 for user oncall-anna.'))
    expect(await screen.findByRole('heading', { name: 'You may not read /metrics on prod-eu-1.' })).toBeDefined()
    expect(await screen.findByText(/kind: ClusterRole/)).toBeDefined()
  })
})

describe('overview of one server', () => {
  test('accounts for every seat in the table behind the ledger', async () => {
    await open()
    await screen.findByRole('grid', { name: 'Priority levels' })
    show(scannerFlood())
    await userEvent.setup().click(screen.getByRole('button', { name: 'Seat ledger as table' }))
    const read = () =>
      within(screen.getByRole('table', { name: 'Seat ledger' }))
        .getAllByRole('row')
        .map((row) => Array.from(row.children, (cell) => cell.textContent))
    await waitFor(() => {
      // The source continues: on a busy machine its next frame may arrive before the table is read.
      show(scannerFlood())
      expect(read()).toContainEqual(['workload-low', '245', '0', '62', '307', '307', '0'])
    })
    const cells = read()
    expect(cells).toContainEqual(['sum', '602', '72', '72', '602', '488', '114'])
    expect(cells.at(-1)?.slice(0, 6)).toEqual(['exempt, outside the sum', '0', '0', '0', '–', '3'])
  })

  test('the table behind the ledger goes on with the samples', async () => {
    const told = await open({ history: 130 })
    await screen.findByRole('grid', { name: 'Priority levels' })
    await userEvent.setup().click(screen.getByRole('button', { name: 'Seat ledger as table' }))
    const words = (): string | null => screen.getByRole('table', { name: 'Seat ledger' }).textContent
    const before = words()
    for (let seconds = 0; seconds < 20; seconds++) act(() => told.advance(1_000))
    await waitFor(() => expect(words()).not.toBe(before))
  })

  test('what changed can be narrowed, and leads to where it shows', async () => {
    await open({ history: 130 })
    const list = await screen.findByRole('list', { name: 'Changes, newest first' })
    const entries = (): readonly string[] =>
      within(list)
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent)
    const all = entries().length
    await userEvent.setup().selectOptions(screen.getByRole('combobox', { name: 'Kind of change' }), 'limits')
    expect(entries().length).toBeLessThan(all)
    const [link] = within(list).getAllByRole('link')
    expect(link?.getAttribute('href')).toContain('#/allocation')
    await userEvent.setup().click(link ?? list)
    expect(cursorOf(timeStore.getState())).toBeDefined()
    act(() => timeStore.getState().setCursor())
    await userEvent.setup().selectOptions(screen.getByRole('combobox', { name: 'Kind of change' }), 'server')
    expect(screen.getByText('Nothing of server changed in this range.')).toBeDefined()
  })

  test('what changed has its causes: an edit with author and field, a restart, another version', async () => {
    const told = await open({ history: 130 })
    const list = await screen.findByRole('list', { name: 'Changes, newest first' })
    const seen = viewStore.getState().server
    if (seen === undefined) throw new Error('there is no server')
    const at = rfc3339(unixMsOf(seen.at) + 1_000)
    act(() =>
      told.objects.write((all) => ({
        ...all,
        levels: all.levels.map((one) =>
          one.metadata.name !== 'workload-low' || one.spec.limited === undefined
            ? one
            : {
                metadata: { ...one.metadata, managedFields: [{ manager: 'kubectl-edit', time: seen.at }] },
                spec: { ...one.spec, limited: { ...one.spec.limited, nominalConcurrencyShares: 7 } },
              },
        ),
      })),
    )
    expect(
      await within(list).findByText(/workload-low changed by kubectl-edit: nominalConcurrencyShares/),
    ).toBeDefined()
    act(() => told.tell({ kind: 'frame', frame: { ...seen, at, version: 'v1.99.0' } }))
    expect(await within(list).findByText(/changed from v1\.\S+ to v1\.99\.0/)).toBeDefined()
  })

  test('says the worst first and keeps the rows in their order', async () => {
    await open()
    await screen.findByRole('grid', { name: 'Priority levels' })
    show(scannerFlood())
    expect(screen.getByRole('heading', { level: 1 }).textContent).toMatch(
      /workload-low queues\. 338 requests wait for 587 seats\./,
    )
    const rows = within(screen.getByRole('grid', { name: 'Priority levels' }))
      .getAllByRole('row')
      .slice(1)
    expect(rows.map((row) => row.children[0]?.textContent?.slice(2))).toEqual([
      'exempt',
      'node-high',
      'system',
      'leader-election',
      'workload-high',
      'workload-low',
      'global-default',
      'catch-all',
    ])
  })

  test('unknown is a dash, not zero, and the missing family is named', async () => {
    await open()
    await screen.findByRole('grid', { name: 'Priority levels' })
    const family = 'apiserver_flowcontrol_current_limit_seats'
    const blind = { ...level({ name: 'system', executing: 5 }), limits: { nominal: 30 } }
    show(server({ levels: [blind], missing: [{ family, reason: 'not-exposed', note: 'Limits are not known.' }] }))
    const grid = within(screen.getByRole('grid', { name: 'Priority levels' }))
    const row = grid.getAllByRole('row')[1]
    const headers = grid.getAllByRole('columnheader').map((header) => header.textContent)
    const cell = (name: string) => row?.children[headers.indexOf(name)]?.textContent
    expect(cell('Executing')).toBe('5')
    expect(cell('Limit')).toBe('–')
    expect(screen.getByText(family)).toBeDefined()
    expect(screen.getByText(/not accounted for.*system/)).toBeDefined()
  })

  test('no level at all is said, not drawn', async () => {
    await open()
    await screen.findByRole('grid', { name: 'Priority levels' })
    show(server({ levels: [] }))
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('This server reports no priority level.')
  })

  test('Enter on a row makes its level the subject', async () => {
    await open()
    const grid = await screen.findByRole('grid', { name: 'Priority levels' })
    show(scannerFlood())
    const cell = within(grid).getByText('workload-high').closest('td')
    act(() => cell?.focus())
    await userEvent.setup().keyboard('{Enter}')
    expect(selectionStore.getState()).toMatchObject({ level: 'workload-high', server: 'apiserver-a' })
  })
})

test('says the first cause of the diagnosis while a level is in trouble', async () => {
  const opened = await open()
  const isTroubled = () =>
    (viewStore.getState().server?.levels ?? []).some(({ requests }) => (requests.queued ?? 0) > 5)
  for (let second = 0; second < 240 && !(second > 84 && isTroubled()); second += 1) {
    await act(async () => opened.advance(1_000))
  }
  expect(isTroubled()).toBe(true)
  await waitFor(() => expect(document.body.textContent).toMatch(/Most likely: [a-z -]+[.:,(]/))
})

describe('overview of several servers', () => {
  test('each server has its column; sums carry the word; one server can be chosen', async () => {
    await open({ servers: 3 })
    const user = userEvent.setup()
    expect(await screen.findByRole('grid', { name: 'Priority levels on each server' })).toBeDefined()
    expect(screen.getByRole('columnheader', { name: 'apiserver-b:6443' })).toBeDefined()
    await user.click(screen.getByRole('radio', { name: 'Sum' }))
    const headers = within(screen.getByRole('grid', { name: 'Priority levels, sum of all servers' }))
      .getAllByRole('columnheader')
      .map((header) => header.textContent)
    expect(headers).toEqual(expect.arrayContaining(['Executing, sum', 'Limit per server', 'Queued seats, sum']))
    const [choose] = screen.getAllByRole('button', { name: /apiserver-c:6443/ })
    if (choose === undefined) throw new Error('apiserver-c cannot be chosen')
    await user.click(choose)
    expect(await screen.findByRole('grid', { name: 'Priority levels' })).toBeDefined()
    expect(screen.getByText('one of 3 servers')).toBeDefined()
    expect(selectionStore.getState().server).toBe('apiserver-c:6443')
  })
})
