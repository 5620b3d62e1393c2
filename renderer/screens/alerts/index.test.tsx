import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CAUSE_INFO } from '../../../core/diagnose/causeList.ts'
import { openStory, type Story } from '../../../test/harness/story.ts'
import { setClient } from '../../state/client.ts'
import { startState } from '../../state/start.ts'
import { timeStore, instantOf } from '../../state/time.ts'
import { AlertsScreen } from './index.tsx'

let story: Story
let stop: () => void

beforeEach(async () => {
  story = await openStory({ history: 20, servers: 1 })
  setClient(story.client)
  stop = startState(story.client)
  render(<AlertsScreen />)
})

afterEach(() => {
  cleanup()
  stop()
  story.stop()
  setClient(undefined)
  timeStore.getState().live()
  location.hash = ''
})

/** The story rejects requests of workload-low: R1 fires after two minutes. */
async function liveThrough(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await act(async () => story.advance(1_000))
  }
}

const rules = (): HTMLElement => screen.getByRole('grid', { name: 'Alert rules' })
const row = (rule: string): HTMLElement => within(rules()).getByRole('row', { name: new RegExp(`^${rule} `) })

test('says how each rule stands, and why one is off', async () => {
  await waitFor(() => expect(within(rules()).getAllByRole('row')).toHaveLength(13))
  expect(row('R7').textContent).toContain('It needs three servers')
  await userEvent.setup().click(within(row('R7')).getByText('R7'))
  const pane = screen.getByRole('region', { name: /^R7 / })
  expect(within(pane).getByText(/^Not evaluated\. It needs three servers/)).toBeTruthy()
  // What the rule is stays folded, and its copy with it.
  const fold = (await within(pane).findByText('PromQL of R7')).closest('details')
  expect(fold?.open).toBe(false)
  expect(fold?.contains(within(pane).getByText('Copy PromQL'))).toBe(true)
})

test('an alert fires with cause and remedy, can be silenced, and leads to its instant', async () => {
  const user = userEvent.setup()
  await waitFor(() => expect(within(rules()).getAllByRole('row')).toHaveLength(13))
  await liveThrough(240)
  await waitFor(() => expect(row('R1').textContent).toMatch(/firing/))
  await user.click(within(row('R1')).getByText('R1'))
  const pane = screen.getByRole('region', { name: /^R1 / })
  const alert = within(pane).getAllByRole('region', { name: /^Alert: / })[0]
  if (alert === undefined) return expect.fail('no alert is shown')
  expect(alert.textContent).toMatch(/since .*: .*\/s/)
  // Cause and remedy are those of the diagnosis, not fixed ones of the reason.
  const causes = Object.values(CAUSE_INFO).map(({ title }) => `${title}. `)
  await waitFor(() => expect(causes.some((title) => alert.textContent?.includes(title))).toBe(true))
  await user.click(within(alert).getByRole('button', { name: 'Silence for 1 h' }))
  await waitFor(() => expect(within(alert).getByRole('button', { name: 'Unsilence' })).toBeTruthy())
  const fired = within(screen.getByRole('grid', { name: 'Alerts that fired or resolved' }))
  await user.click(fired.getAllByText(/^R1 fired/)[0] ?? alert)
  expect(instantOf(timeStore.getState())).toBeDefined()
  expect(location.hash).toContain('#/level/')
  return undefined
})
