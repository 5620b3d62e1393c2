import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Connected, ServerHealth } from '../../core/contract/source.ts'
import { serverFrame, START_MS } from '../../test/fixtures/frames.ts'
import { tellConnections } from '../state/connection.ts'
import { viewStore, type View } from '../state/view.ts'
import { ChartFrame } from './ChartFrame.tsx'
import { DataTable } from './DataTable.tsx'
import { ExportMenu, type Measured } from './Promql.tsx'

const P = 'apiserver_flowcontrol_'
const IDS = ['a:6443', 'b:6443']
const EMPTY = viewStore.getState()

const inPrometheus = (id: string, intervalMs: number): ServerHealth => ({
  id,
  status: 'ok',
  failures: [],
  prometheus: {
    labels: [
      { label: 'cluster', value: 'prod' },
      { label: 'instance', value: id },
    ],
    intervalMs,
  },
})

function connect(servers: readonly ServerHealth[], over: Partial<View> = {}): void {
  const connected: Connected = {
    id: 1,
    source: { kind: 'prometheus', name: 'prod', via: 'Prometheus' },
    spec: { kind: 'demo' },
    cadence: { intervalMs: 5_000, dumpsEveryMs: null },
    servers: [...servers],
    still: false,
  }
  tellConnections([connected])
  const frames = servers.map(({ id }) => serverFrame(0, [], { id, version: 'v1.36.3' }))
  const frame = { formatVersion: 1, at: frames[0]?.at ?? '', source: connected.source, servers: frames } as const
  viewStore.setState({ ...EMPTY, mode: 'live', frame, server: frames[0], ...over })
}

beforeEach(() => connect(IDS.map((id) => inPrometheus(id, 5_000))))
afterEach(() => {
  cleanup()
  tellConnections([])
  viewStore.setState(EMPTY, true)
})

/** Opens the menu of a button and chooses an entry; returns the clipboard after that. */
async function copied(button: string, entry: string): Promise<string> {
  const user = userEvent.setup()
  await user.click(screen.getByRole('button', { name: button }))
  await user.click(await screen.findByRole('menuitem', { name: entry }))
  return navigator.clipboard.readText()
}

const chart = (promql: Measured | undefined, more: Partial<Parameters<typeof ChartFrame>[0]> = {}) =>
  render(
    <ChartFrame title="Seats" table={{ columns: [], rows: [] }} fileName="seats" promql={promql} {...more}>
      <svg />
    </ChartFrame>,
  )
const LIMIT: Measured = { measures: 'limit', level: 'workload-low' }
const LIMIT_TEXT = `${P}current_limit_seats{cluster="prod",instance="a:6443",priority_level="workload-low"}`

describe('a chart', () => {
  it('copies the expression of what it shows now', async () => {
    chart(LIMIT)
    expect(await copied('Export Seats', 'Copy as PromQL')).toBe(LIMIT_TEXT)
  })

  it('names the instant of a sample that is not the present one, and none of a range', async () => {
    viewStore.setState({ mode: 'paused' })
    chart(LIMIT)
    expect(await copied('Export Seats', 'Copy as PromQL')).toBe(`${LIMIT_TEXT} @ ${(START_MS + 2_500) / 1_000}`)
    cleanup()
    chart(LIMIT, { table: { columns: [], rows: [], times: true } })
    expect(await copied('Export Seats', 'Copy as PromQL')).toBe(LIMIT_TEXT)
    cleanup()
    viewStore.setState({ mode: 'live' })
    chart(LIMIT, { time: 1_700_000_000_000 })
    expect(await copied('Export Seats', 'Copy as PromQL')).toBe(`${LIMIT_TEXT} @ 1700000002.5`)
  })

  it('has no entry where no metric holds it, or none of the version', async () => {
    const user = userEvent.setup()
    chart(undefined)
    await user.click(screen.getByRole('button', { name: 'Export Seats' }))
    expect(screen.getAllByRole('menuitem').map(({ textContent }) => textContent)).not.toContain('Copy as PromQL')
    cleanup()
    connect([inPrometheus('a:6443', 5_000)], {
      frame: {
        formatVersion: 1,
        at: '',
        source: { kind: 'prometheus', name: '', via: '' },
        servers: [serverFrame(0, [], { id: 'a:6443', version: 'v1.25.3' })],
      },
    })
    render(
      <ExportMenu
        of="Numbers"
        entries={[]}
        copies={[
          { label: 'Copy demand', measured: { measures: 'demand' } },
          { label: 'Copy nominal', measured: { measures: 'nominal' } },
        ]}
      />,
    )
    await user.click(screen.getByRole('button', { name: 'Export Numbers' }))
    await screen.findByRole('menuitem', { name: 'Copy nominal' })
    expect(screen.queryByRole('menuitem', { name: 'Copy demand' })).toBeNull()
  })
})

it('a table offers the columns that measure something, of all servers that they are about, where its CSV is', async () => {
  render(
    <DataTable
      caption="Levels"
      columns={[
        { id: 'name', header: 'Level', value: ({ name }: { name: string }) => name },
        { id: 'executing', header: 'Executing, sum' },
      ]}
      rows={[{ name: 'system' }]}
      rowKey={({ name }) => name}
      csvName="levels"
      promql={(column) =>
        column === 'executing'
          ? { measures: 'executing', each: ['priority_level'], servers: IDS, summed: true }
          : undefined
      }
    />,
  )
  const button = 'Export Levels'
  expect(await copied(button, 'Copy Executing, sum as PromQL')).toBe(
    `sum by (priority_level) (sum without (flow_schema) (${P}current_executing_seats{cluster="prod",instance=~"a:6443|b:6443"}))`,
  )
  await userEvent.click(screen.getByRole('button', { name: button }))
  expect(screen.getAllByRole('menuitem').map(({ textContent }) => textContent)).toEqual([
    'Save as CSV',
    'Copy Executing, sum as PromQL',
  ])
  expect(screen.getAllByRole('button').map((one) => one.getAttribute('aria-label'))).toEqual([button])
})

it('a server that no Prometheus is known to scrape is found by the level alone', async () => {
  connect([{ id: 'a:6443', status: 'ok', failures: [] }])
  chart(LIMIT)
  expect(await copied('Export Seats', 'Copy as PromQL')).toBe(`${P}current_limit_seats{priority_level="workload-low"}`)
})
