import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Client } from '../../../core/contract/contract.ts'
import type { RecordingEntry, RecordingStrip } from '../../../core/contract/recording.ts'
import type { Connected } from '../../../core/contract/source.ts'
import { setClient } from '../../state/client.ts'
import { connectionStore } from '../../state/connection.ts'
import { settingsStore } from '../../state/settings.ts'
import { instantOf, timeStore } from '../../state/time.ts'
import { RecordingsScreen } from './index.tsx'

const FIRST = Date.UTC(2026, 10, 28, 6)
const entry = (id: string, name: string): RecordingEntry => ({
  id,
  source: { kind: 'scrape', name, via: `https://${name}:6443` },
  first: FIRST,
  last: FIRST + 3_600_000,
  bytes: 1_000_000,
  running: false,
  problems: [],
})
const ENTRIES = [entry('r1', 'prod'), entry('r2', 'staging')]
const INCIDENT = FIRST + 750_000
const STRIPS: Readonly<Record<string, RecordingStrip>> = {
  r1: {
    bars: [{ from: INCIDENT - 60_000, to: INCIDENT, queued: 300, rejected: 1_539 }],
    coverage: 0.98,
    incident: INCIDENT,
    lastAlert: INCIDENT,
  },
  r2: { bars: [], coverage: 1 },
}
const opened: Connected = {
  id: 4,
  source: { kind: 'recording', name: 'prod', via: 'recording' },
  spec: { kind: 'recording', ids: ['r1'] },
  still: true,
  cadence: { intervalMs: 1_000, dumpsEveryMs: null },
  servers: [],
}
/** The export or report that is being made. */
let followed: { readonly name: string; readonly hear: (event: unknown) => void } | undefined
const line = {
  call: async (name: string, input: { readonly id?: string; readonly recordingNames?: unknown }) => {
    if (name === 'recordings.list') return ENTRIES
    if (name === 'recordings.strip') return STRIPS[input.id ?? '']
    return name === 'sources.connect' ? opened : { ...settingsStore.getState(), ...input }
  },
  subscribe: (name: string, _: unknown, hear: (event: unknown) => void) => {
    followed = { name, hear }
    return () => (followed = undefined)
  },
  onLink: () => () => undefined,
} as unknown as Client

beforeEach(() => {
  setClient(line)
  render(<RecordingsScreen />)
})
afterEach(() => {
  cleanup()
  setClient(undefined)
  connectionStore.setState({ connections: [], connection: undefined })
  timeStore.getState().live()
})

const row = (name: string) => screen.getByRole('row', { name: new RegExp(`^${name}`) })

it('shows what happened in each recording, and opens one at its incident', async () => {
  expect(await screen.findByRole('img', { name: /^prod: 1.539 requests rejected, at most 300 queued$/ })).toBeTruthy()
  expect(row('prod').textContent).toContain('98 %')
  await screen.findByRole('img', { name: /^staging: 0 requests rejected/ })
  expect(within(row('staging')).getByRole('button', { name: 'Open at incident' })).toHaveProperty('disabled', true)
  await userEvent.setup().click(within(row('prod')).getByRole('button', { name: 'Open at incident' }))
  await waitFor(() => expect(instantOf(timeStore.getState())).toBe(INCIDENT))
  expect(timeStore.getState()).toMatchObject({ from: INCIDENT - 300_000, to: INCIDENT + 300_000 })
})

it('finds recordings by any word, and under the name that one was given', async () => {
  const user = userEvent.setup()
  await screen.findByRole('row', { name: /^prod/ })
  await user.click(within(row('staging')).getByRole('button', { name: 'More for staging' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Rename…' }))
  await user.clear(screen.getByRole('textbox', { name: 'Name' }))
  await user.type(screen.getByRole('textbox', { name: 'Name' }), 'before the flood{Enter}')
  expect(await screen.findByRole('row', { name: /^before the flood/ })).toBeTruthy()
  await user.type(screen.getByRole('searchbox', { name: 'Search recordings' }), 'flood')
  expect(screen.queryByRole('row', { name: /^prod/ })).toBeNull()
  await user.type(screen.getByRole('searchbox', { name: 'Search recordings' }), 'x')
  expect(screen.getByText('No recording contains “floodx”.')).toBeTruthy()
})

it('takes the range of a part in every form that a range is taken in elsewhere', async () => {
  const user = userEvent.setup()
  await screen.findByRole('row', { name: /^prod/ })
  await user.click(within(row('prod')).getByRole('button', { name: 'Share…' }))
  const field = screen.getByRole('textbox', { name: /^Range/ })
  for (const text of [
    '06:05:00 to 06:15:00',
    'last 600 s',
    '06:10 + 5m',
    '06:10:00 UTC',
    '1m around last alert',
    '-5m to now',
    '06:05 to 06:15 @ 06:10',
    'I1128 06:10:20.123456   12 apf_filter.go:7] rejected',
    '2026-11-28T06:05:00Z/2026-11-28T06:15:00Z',
  ]) {
    await user.clear(field)
    await user.type(field, text)
    expect([text, field.getAttribute('aria-invalid')]).not.toContain('true')
    expect(screen.getByRole('button', { name: 'Prepare a report' })).toHaveProperty('disabled', false)
  }
  await user.clear(field)
  await user.type(field, 'soon')
  expect(screen.getByRole('button', { name: 'Prepare a report' })).toHaveProperty('disabled', true)
})

it.each([
  ['Export the recording', 'export'],
  ['Prepare a report', 'report'],
])('%s shows its progress, and ends when it is cancelled', async (button, name) => {
  const user = userEvent.setup()
  await screen.findByRole('img', { name: /^prod/ })
  await user.click(within(row('prod')).getByRole('button', { name: 'Share…' }))
  await user.click(screen.getByRole('button', { name: button }))
  expect(followed?.name).toBe(name)
  act(() => followed?.hear({ kind: 'progress', part: 0.4 }))
  expect(screen.getByRole('progressbar', { name: 'Progress' })).toHaveProperty('value', 0.4)
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(followed).toBeUndefined()
  expect(screen.queryByRole('progressbar')).toBeNull()
})
