import { cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ScenarioEditor } from './ScenarioEditor.tsx'
import { addOwnScenario, scenarioStore } from './scenarioRuns.ts'

const TEXT = `name: mine # ours
seconds: 60
clients:
  - name: flood
    user: alice
    perSecond: 2 # measured
    calls: [{ request: GET /api/v1/pods, executionMs: 10 }]
  - name: leases
    user: bob
    threads: 3
    calls: [{ request: GET /healthz, executionMs: 1 }]
variants: [{ name: now }]
criteria:
  - { clients: leases, measure: waitP99, most: 5 }
`

function Shown() {
  const own = scenarioStore((store) => store.own.find(({ file }) => file === 'mine.yaml'))
  return own === undefined ? null : <ScenarioEditor own={own} />
}
const text = (): string => scenarioStore.getState().own[0]?.history.present ?? expect.fail('no file is open')

beforeEach(async () => {
  scenarioStore.setState({ own: [], runs: {} })
  addOwnScenario({ file: 'mine.yaml', text: TEXT })
  render(<Shown />)
})
afterEach(cleanup)

const summary = (name: string): HTMLElement => screen.getByText(name, { selector: 'summary span' })
const group = (name: string): HTMLElement => summary(name).closest('details') ?? expect.fail('no group')

test('a field changes the text in place, and a wrong value is explained at its field', async () => {
  const rate = within(group('flood')).getByLabelText('Rate (/s)')
  await userEvent.clear(rate)
  await userEvent.type(rate, '0.5')
  expect(text()).toBe(TEXT.replace('perSecond: 2', 'perSecond: 0.5'))
  await userEvent.type(rate, 'x')
  expect(text()).toContain("perSecond: '0.5x' # measured")
  expect(rate.getAttribute('aria-invalid')).toBe('true')
  const about = document.getElementById(rate.getAttribute('aria-describedby') ?? '')
  expect(about?.textContent).toContain('perSecond must be a number')
  await userEvent.clear(rate)
  expect(text()).toContain('perSecond: null # measured')
  expect(within(group('flood')).getByText(/needs exactly one of threads, perSecond and burst/)).toBeTruthy()
})

test('undo takes back what the form did, by key and by button', async () => {
  const count = within(group('flood')).getByLabelText('Clients')
  await userEvent.type(count, '12')
  expect(text()).toContain('count: 12')
  await userEvent.keyboard('{Control>}z{/Control}')
  expect(text()).toBe(TEXT)
  await userEvent.click(screen.getByText('Redo'))
  expect(text()).toContain('count: 12')
})

test('a name is taken over when its field is left, with what refers to it', async () => {
  await userEvent.click(summary('leases'))
  const name = within(group('leases')).getByLabelText('Name')
  await userEvent.clear(name)
  await userEvent.type(name, 'renewals')
  expect(text()).toBe(TEXT)
  await userEvent.tab()
  expect(text()).toBe(TEXT.replace('name: leases', 'name: renewals').replace('clients: leases', 'clients: renewals'))
})

test('groups and phases are added, copied and removed', async () => {
  await userEvent.click(screen.getByRole('button', { name: 'Duplicate clients flood' }))
  expect(text()).toContain('name: flood-2')
  await userEvent.click(within(group('flood-2')).getByRole('button', { name: 'Remove clients flood-2' }))
  expect(text()).toBe(TEXT)
  await userEvent.click(screen.getByText('Add phase'))
  expect(text()).toContain('phases:')
  const phase = group('Phase 1')
  await userEvent.selectOptions(within(phase).getByLabelText('Add a change'), 'Network pause')
  expect(within(phase).getByText('execution factor from 10 s on, network pause 10–15 s')).toBeTruthy()
  await userEvent.click(within(phase).getByRole('button', { name: 'Remove phase 1' }))
  expect(text()).toBe(TEXT)
})

test('a request is chosen by verb and resource; what makes none yet stays in the form', async () => {
  const flood = within(group('flood'))
  await userEvent.selectOptions(flood.getByLabelText('Verb'), 'get')
  expect(text()).toBe(TEXT)
  expect(flood.getByText(/get needs the name of an object\./)).toBeTruthy()
  await userEvent.type(flood.getByLabelText('Object name'), 'one')
  expect(text()).toContain("request: 'GET /api/v1/pods/one'")
  await userEvent.click(summary('leases'))
  expect(within(group('leases')).getByLabelText<HTMLInputElement>('Request').value).toBe('GET /healthz')
})

test('a change of the text changes the form; a text that cannot be read says where', async () => {
  addOwnScenario({ file: 'mine.yaml', text: TEXT.replace('user: alice', 'user: carol').replace('most: 5', 'mst: 5') })
  await waitFor(() => expect(within(group('flood')).getByDisplayValue('carol')).toBeTruthy())
  expect(screen.getByLabelText('Problems elsewhere in the file').textContent).toContain('Line 14')
  addOwnScenario({ file: 'mine.yaml', text: 'name: [\n' })
  await waitFor(() => expect(screen.getByText(/Cannot read the text \(line/)).toBeTruthy())
})
