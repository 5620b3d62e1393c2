import { act, cleanup, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Client } from '../../../core/contract/contract.ts'
import { ProblemError } from '../../../core/errors.ts'
import { CadenceSchema, type Connected } from '../../../core/contract/source.ts'
import { NARROW } from '../../components/hooks.ts'
import { setClient } from '../../state/client.ts'
import { connectionStore } from '../../state/connection.ts'
import { pastStore } from '../../state/past.ts'
import { requestStore } from '../../state/request.ts'
import { shellStore } from '../../state/shell.ts'
import { etcdFixture } from '../../../core/qos/etcd.fixture.ts'
import { EtcdScreen } from './index.tsx'

const PREVIEW = {
  requests: 200,
  spanMs: 60_000,
  would: { passed: 150, delayed: 0, limited: 50 },
  did: { passed: 180, delayed: 0, limited: 20 },
  rules: [{ rule: 'rule-event', passed: 5, delayed: 0, limited: 50 }],
  limited: [],
}
const ADVICE = {
  id: 'passwords',
  title: 'Password storms',
  why: 'Each costs a hash.',
  classes: [{ name: 'password-check', qdisc: 'tbf', qps: 5, burst: 10 }],
  rules: [{ name: 'rule-passwords', qClassName: 'password-check', priority: 50, ops: ['Authenticate'] }],
  inEffect: false,
  preview: PREVIEW,
}
const TEST = {
  request: 'KV/Range /registry/pods/ (prefix)',
  verdict: 'limited' as const,
  explanation: 'rule-event applies.',
  rules: [
    {
      rule: 'rule-event',
      className: 'event',
      priority: 9,
      outcome: 'applies' as const,
      parts: { method: true, caller: true, retry: true, op: true, key: true, condition: true },
      reason: 'applies',
    },
  ],
}

const connected = (of: { readonly kind: 'etcd' | 'demo' }): Connected => ({
  id: 1,
  source: { kind: of.kind, name: 'x', via: 'y' },
  spec: of.kind === 'demo' ? { kind: 'demo' } : { kind: 'etcd', of: { kind: 'proxy', editing: true } },
  cadence: CadenceSchema.parse({}),
  servers: [],
  ...(of.kind === 'etcd' && { etcd: true }),
  still: false,
})

describe('the screen of an etcd', () => {
  const user = userEvent.setup()
  let changes: unknown[] = []
  let asked: unknown
  let refuse = false
  let state = etcdFixture
  let narrow = false

  beforeEach(() => {
    narrow = false
    vi.spyOn(window, 'matchMedia').mockImplementation(
      (query) => Object.assign(new EventTarget(), { matches: narrow && query === NARROW }) as MediaQueryList,
    )
    changes = []
    refuse = false
    state = etcdFixture
    const answers: Readonly<Record<string, unknown>> = {
      'etcd.preview': PREVIEW,
      'etcd.advise': [ADVICE],
      'etcd.requests': [
        { at: 0, method: 'KV/Range', request: 'KV/Range /registry/pods/', user: '', clientIP: '', verdict: 'passed' },
      ],
      'etcd.test': TEST,
      'etcd.change': { revision: 4, warnings: [] },
    }
    const call = (async (name: string, input: { readonly change?: unknown }) => {
      if (name === 'etcd.requests') asked = input
      if (name === 'etcd.change') {
        if (refuse) throw new ProblemError('invalid-input', 'Both match Put.')
        changes.push(input.change)
      }
      return answers[name]
    }) as Client['call']
    const subscribe = ((name: string, _params: unknown, onEvent: (event: unknown) => void) => {
      if (name === 'etcd') onEvent(state)
      return () => undefined
    }) as Client['subscribe']
    setClient({ call, subscribe, onLink: () => () => undefined })
    connectionStore.setState({ connection: connected({ kind: 'etcd' }), connections: [], known: true })
  })
  afterEach(() => {
    cleanup()
    vi.restoreAllMocks()
    setClient(undefined)
    connectionStore.setState(connectionStore.getInitialState(), true)
    shellStore.setState({}, true)
    pastStore.setState({}, true)
  })

  it('says what is limited, and shows classes, rules, rejections and the member', () => {
    render(<EtcdScreen />)
    expect(screen.getByRole('heading', { level: 1 }).textContent).toContain('most by rule-event')
    const cards = screen.getByRole('list', { name: 'Classes' })
    expect(within(cards).getByRole('button', { name: /tenants/ }).textContent).toContain(
      '3 requests waiting1 more group',
    )
    expect(within(cards).getByRole('button', { name: /^event leaky bucket/ })).toBeDefined()
    expect(screen.getByRole('grid', { name: 'Rules' }).textContent).toContain('Put on /registry/events/')
    expect(screen.getByText(/1 rule can meet in one request/)).toBeTruthy()
    expect(screen.getByRole('region', { name: 'Member' }).textContent).toContain('12 of 5')
  })

  it('says what went past the proxy, and how the latest requests of a class did', () => {
    const lately = { seconds: 3, passed: 6, limited: 29, passedAgo: [10, 600], limitedAgo: [50] }
    const [event, ...others] = etcdFixture.classes
    if (event === undefined) throw new Error('there are classes')
    state = {
      ...etcdFixture,
      classes: [{ ...event, lately }, ...others],
      bypass: { answered: 12_000, outside: 9_300, seconds: 60 },
    }
    const { unmount } = render(<EtcdScreen />)
    expect(
      screen.getByText(/^At least 9\s300 of 12\s000 requests for keys .* did not come through this proxy/),
    ).toBeTruthy()
    expect(screen.getByRole('button', { name: /^event/ }).textContent).toContain('6 of 35 passed in 3 s')
    unmount()
    state = { ...state, mode: 'observe', bypass: { answered: 12_000, outside: 0, seconds: 60 } }
    render(<EtcdScreen />)
    expect(screen.queryByText(/did not come through/)).toBeNull()
    expect(screen.getByRole('button', { name: /^event/ }).textContent).toContain('6 of 35 would pass in 3 s')
  })

  it('opens the column beside the tables as a drawer where there is no room for it', async () => {
    narrow = true
    render(<EtcdScreen />)
    const drawer = () => screen.queryByRole('complementary', { name: 'Details' })
    expect(drawer()).toBeNull()
    const opener = screen.getByRole('button', { name: 'Details' })
    await user.click(opener)
    expect(document.activeElement).toBe(drawer())
    await user.keyboard('{Escape}')
    expect(drawer()).toBeNull()
    expect(document.activeElement).toBe(opener)
    await user.click(within(screen.getByRole('grid', { name: 'Rules' })).getByText('rule-event'))
    expect(within(drawer()!).getByRole('heading', { name: /rule-event/ })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Close' }))
    expect(drawer()).toBeNull()
  })

  it('keeps the last state of a proxy that is gone, says of when it is, and lets nothing be changed', () => {
    const problem = { code: 'unreachable', message: 'The etcd proxy e0 is not running.' } as const
    const failures = [{ at: '2026-11-25T03:00:00.000Z', problem }]
    connectionStore.setState({
      connection: { ...connected({ kind: 'etcd' }), servers: [{ id: 'e0', status: 'failing', failures }] },
    })
    render(<EtcdScreen />)
    expect(screen.getByRole('alert').textContent).toMatch(
      /^The etcd proxy e0 is not running\. The numbers below are those of .+\. The console tries again\.$/,
    )
    expect(screen.getByRole('grid', { name: 'Rules' })).toBeTruthy()
    for (const name of ['New rule', 'New class', 'Advice'])
      expect(screen.getByRole('button', { name }).hasAttribute('disabled')).toBe(true)
  })

  it('says above the tables that the member does not answer', () => {
    narrow = true
    state = { ...state, storage: null }
    render(<EtcdScreen />)
    expect(screen.getByText(/^The member does not answer\./)).toBeTruthy()
  })

  it('says what would be limited where rules are only computed', () => {
    state = { ...state, mode: 'observe' }
    render(<EtcdScreen />)
    expect(screen.queryByRole('columnheader', { name: 'Limited' })).toBeNull()
    expect(screen.getAllByRole('columnheader', { name: 'Would limit' })).toHaveLength(3)
    expect(screen.getByText('would be limited')).toBeTruthy()
  })

  it('names cause and remedy of a rejection', async () => {
    render(<EtcdScreen />)
    const table = screen.getByRole('grid', { name: 'Rejected requests' })
    await user.click(within(table).getAllByRole('row')[1] ?? table)
    expect(screen.getByRole('status').textContent).toContain('event had nothing left. One unit was free 388 ms later.')
  })

  it('previews and applies an edit of a rule, and shows why one is refused', async () => {
    render(<EtcdScreen />)
    await user.click(within(screen.getByRole('grid', { name: 'Rules' })).getByText('rule-event'))
    const priority = screen.getByRole('textbox', { name: 'Priority' })
    await user.clear(priority)
    await user.type(priority, '12')
    await user.click(screen.getByRole('button', { name: 'Preview' }))
    expect((await screen.findByText(/Would have limited 50 of the last 200 requests/)).textContent).toContain(
      'The rules of that time limited 20.',
    )
    await user.click(screen.getByRole('button', { name: 'Apply' }))
    expect(changes).toMatchObject([{ action: 'update', kind: 'rule', name: 'rule-event', members: { priority: 12 } }])
    refuse = true
    await user.click(screen.getByRole('checkbox', { name: 'Enabled' }))
    expect((await screen.findByRole('alert')).textContent).toContain('Both match Put.')
  })

  it('shows requests above a threshold, or those that a rule decided', async () => {
    render(<EtcdScreen />)
    await user.click(screen.getByRole('button', { name: 'Monitor' }))
    expect(asked).toMatchObject({ wanted: { type: 'latency', threshold: 100, limit: 20 } })
    expect((await screen.findByRole('list', { name: 'Requests' })).textContent).toContain('KV/Range /registry/pods/')
    await user.selectOptions(screen.getByLabelText('Rule'), 'rule-event')
    expect(asked).toMatchObject({ wanted: { rule: 'rule-event', limit: 20 } })
    // Nothing is asked for more than the proposal allows.
    await user.clear(screen.getByLabelText('At most'))
    await user.type(screen.getByLabelText('At most'), '100')
    expect(screen.getByText('Enter a whole number from 1 to 99.')).toBeDefined()
    expect(asked).toMatchObject({ wanted: { rule: 'rule-event', limit: 10 } })
  })

  it('adds classes and rules, from the form and from advice', async () => {
    render(<EtcdScreen />)
    await user.click(screen.getByRole('button', { name: 'New class' }))
    await user.type(screen.getByRole('textbox', { name: 'Name' }), 'few')
    await user.selectOptions(screen.getByRole('combobox', { name: 'Discipline' }), 'leaky bucket')
    expect(screen.queryByRole('textbox', { name: 'Burst' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Add' }))
    await user.click(screen.getByRole('button', { name: 'Advice' }))
    await user.click(await screen.findByRole('button', { name: 'Add these rules' }))
    await screen.findByRole('button', { name: 'Add these rules' })
    expect(changes).toMatchObject([
      { action: 'add', kind: 'class', name: 'few', members: { qdisc: 'lbf', burst: null } },
      { action: 'add', kind: 'class', name: 'password-check' },
      { action: 'add', kind: 'rule', name: 'rule-passwords' },
    ])
  })

  it('explains a request rule by rule', async () => {
    render(<EtcdScreen />)
    await user.click(screen.getByRole('button', { name: 'Test the request' }))
    const table = await screen.findByRole('table', { name: 'Rules and the request' })
    expect(within(table).getAllByText('yes')).toHaveLength(4)
    expect(screen.getByText('rule-event applies.', { exact: false })).toBeTruthy()
  })

  it('draws the keys of the request beside those of the rules', async () => {
    render(<EtcdScreen />)
    const keys = screen.getByRole('region', { name: 'Keys' })
    expect(keys.textContent).toContain('[/registry/pods/, /registry/pods0)')
    expect(keys.textContent).toContain('rule-eventapart')
    await user.selectOptions(screen.getByRole('combobox', { name: 'Method' }), 'Auth/Authenticate')
    expect(screen.queryByRole('region', { name: 'Keys' })).toBeNull()
  })

  it('leads to the requests of an API server that is connected too', async () => {
    const server = { ...connected({ kind: 'demo' }), id: 2, requests: true as const }
    connectionStore.setState({ connections: [connected({ kind: 'etcd' }), server] })
    render(<EtcdScreen />)
    const pane = screen.getByRole('region', { name: 'Flow control' })
    await user.click(within(pane).getByRole('button', { name: 'pods' }))
    expect(connectionStore.getState().connection?.id).toBe(2)
    expect(location.hash).toBe('#/live?object=resource%3Apods&source=x')
  })

  it('leads to the level and schema of a list where an API server reports no single requests', async () => {
    connectionStore.setState({ connections: [connected({ kind: 'etcd' }), { ...connected({ kind: 'demo' }), id: 2 }] })
    render(<EtcdScreen />)
    await user.click(within(screen.getByRole('region', { name: 'Flow control' })).getByRole('button', { name: 'pods' }))
    expect(connectionStore.getState().connection?.id).toBe(2)
    expect(requestStore.getState()).toMatchObject({ way: 'text', text: 'kubectl get pods -A' })
    expect(location.hash).toContain('#/classify')
  })

  it('says why rules are only read', async () => {
    state = { ...etcdFixture, editable: false }
    render(<EtcdScreen />)
    expect(screen.getByRole('button', { name: 'New rule' })).toHaveProperty('disabled', true)
    await user.click(within(screen.getByRole('grid', { name: 'Rules' })).getByText('rule-event'))
    expect(screen.getByText(/^Editing is off\./)).toBeTruthy()
  })

  it('shows an instant of the past, and what only the present answers', async () => {
    const past = { ...etcdFixture, at: Date.UTC(2026, 10, 20, 3), rules: etcdFixture.rules.slice(0, 1) }
    const moment = { at: past.at + 400, derived: [], health: [] }
    pastStore.setState({ moment: { ...moment, etcd: past } })
    const { rerender } = render(<EtcdScreen />)
    expect(screen.getByText(/^Recorded at 2026-11-20/)).toBeTruthy()
    expect(within(screen.getByRole('grid', { name: 'Rules' })).queryByText('rule-off')).toBeNull()
    for (const name of ['Monitor', 'Advice', 'New rule', 'New class'])
      expect(screen.getByRole('button', { name })).toHaveProperty('disabled', true)
    expect(screen.getByRole('radio', { name: 'Observe' })).toHaveProperty('disabled', true)
    await user.click(within(screen.getByRole('grid', { name: 'Rules' })).getByText('rule-event'))
    expect(screen.getByText(/^The screens show the past\./)).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Preview' })).toHaveProperty('disabled', true)
    act(() => pastStore.setState({ moment: { ...moment, gap: { before: past.at - 60_000 } } }))
    rerender(<EtcdScreen />)
    expect(screen.getByText(/^Nothing was recorded at/)).toBeTruthy()
  })

  it('says so when the source is no etcd', () => {
    connectionStore.setState({ connection: connected({ kind: 'demo' }) })
    render(<EtcdScreen />)
    expect(screen.getByText('The connected source is not etcd.')).toBeTruthy()
  })
})
