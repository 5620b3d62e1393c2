import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AdjustmentStep } from '../../../core/frame/derived.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import { levelFrame, serverFrame, START_MS } from '../../../test/fixtures/frames.ts'
import { openStory, type Story } from '../../../test/harness/story.ts'
import { tellConnections } from '../../state/connection.ts'
import { setClient } from '../../state/client.ts'
import { AllocationView, NotExplained } from './index.tsx'

const DERIVED = { id: 'apiserver-a:6443', torn: false, levels: [] }

describe('states of the Allocation screen', () => {
  let story: Story
  beforeEach(async () => {
    story = await openStory({ history: 60, servers: 1 })
    setClient(story.client)
    tellConnections(story.connections())
  })
  afterEach(() => {
    cleanup()
    story.stop()
    setClient(undefined)
  })
  const view = (id: string, over: { readonly torn?: boolean; readonly stale?: boolean } = {}) =>
    render(
      <AllocationView
        server={serverFrame(0, [], { id })}
        derived={{ ...DERIVED, torn: over.torn ?? false }}
        stale={over.stale ?? false}
        connection={1}
      />,
    )

  it('torn: keeps the rounds before and says so', async () => {
    view('apiserver-a:6443', { torn: true })
    expect(await screen.findByText(/^≈ The newest scrape straddles two reallocations/)).toBeTruthy()
    expect(screen.getByText(/^Case 3 of 3/)).toBeTruthy()
  })

  it('stale: says since when', async () => {
    view('apiserver-a:6443', { stale: true })
    expect(
      await screen.findByText(/^No sample from apiserver-a:6443 for .* observed until \d\d:\d\d:\d\d\.$/),
    ).toBeTruthy()
  })

  it('without rounds: says what is missing', async () => {
    story.tell({ kind: 'frame', frame: serverFrame(0, [], { id: 'another:6443' }) })
    view('another:6443')
    expect(await screen.findByText('This server reports no priority level.')).toBeTruthy()
  })
})

describe('what cannot be explained', () => {
  afterEach(cleanup)
  const server = (over: Partial<ServerFrame>): ServerFrame => ({
    ...serverFrame(0, [levelFrame('system', [], { limits: {} })]),
    ...over,
  })

  it('names the families that are not there, with the reason', () => {
    const family = 'apiserver_flowcontrol_current_limit_seats'
    render(
      <NotExplained
        server={server({ missing: [{ family, reason: 'hidden', note: 'Limits are unknown.' }] })}
        round={undefined}
      />,
    )
    expect(screen.getByText('The pages do not show current limits.')).toBeTruthy()
    expect(screen.getByText(family).parentElement?.textContent).toBe(`${family}: Limits are unknown.`)
  })

  it('names what is missing for some levels only', () => {
    const step: AdjustmentStep = { number: 1, at: START_MS, follows: false, levels: [] }
    render(
      <NotExplained
        server={server({})}
        round={{ step, expected: { kind: 'unknown', missing: ['highWatermark'] }, cause: undefined }}
      />,
    )
    expect(screen.getByText('apiserver_flowcontrol_demand_seats_high_watermark').parentElement?.textContent).toMatch(
      /is missing for some levels\.$/,
    )
  })
})
