import { act, cleanup, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Client } from '../../../core/contract/contract.ts'
import { ProblemError } from '../../../core/contract/errors.ts'
import { CadenceSchema, type Connected } from '../../../core/contract/source.ts'
import { setClient } from '../../state/client.ts'
import { connectionStore } from '../../state/connection.ts'
import { pastStore } from '../../state/past.ts'
import { requestStore } from '../../state/request.ts'
import { shellStore } from '../../state/shell.ts'
import { etcdFixture } from './etcd.fixture.ts'
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
  let refuse = false
  let state = etcdFixture

  beforeEach(() => {
    changes = []
    refuse = false
    state = etcdFixture
    const answers: Readonly<Record<string, unknown>> = {
      'etcd.preview': PREVIEW,
      'etcd.advise': [ADVICE],
      'etcd.test': TEST,
      'etcd.change': { revision: 4, warnings: [] },
    }
    const call = (async (name: string, input: { readonly change?: unknown }) => {
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
      '3 requests waiting1 more groups',
    )
    expect(screen.getByRole('grid', { name: 'Rules' }).textContent).toContain('Put on /registry/events/')
    expect(screen.getByText(/1 rule can meet in one request/)).toBeTruthy()
    expect(screen.getByRole('region', { name: 'Member' }).textContent).toContain('12 of 5')
  })

  it('names cause and remedy of a rejection', async () => {
    render(<EtcdScreen />)
    const table = screen.getByRole('grid', { name: 'Rejected requests' })
    await user.click(within(table).getAllByRole('row')[1] ?? table)
    expect(screen.getByRole('status').textContent).toContain('event was empty. One unit is free after 388 ms.')
  })

  it('previews and applies an edit of a rule, and shows why one is refused', async () => {
    render(<EtcdScreen />)
    await user.click(within(screen.getByRole('grid', { name: 'Rules' })).getByText('rule-event'))
    const priority = screen.getByRole('textbox', { name: 'Priority' })
    await user.clear(priority)
    await user.type(priority, '12')
    await user.click(screen.getByRole('button', { name: 'Preview' }))
    expect((await screen.findByText(/Would have limited 50 of the last 200 requests/)).textContent).toContain('20 were')
    await user.click(screen.getByRole('button', { name: 'Apply' }))
    expect(changes).toMatchObject([{ action: 'update', kind: 'rule', name: 'rule-event', members: { priority: 12 } }])
    refuse = true
    await user.click(screen.getByRole('checkbox', { name: 'Enabled' }))
    expect((await screen.findByRole('alert')).textContent).toContain('Both match Put.')
  })

  it('adds classes and rules, from the form and from advice', async () => {
    render(<EtcdScreen />)
    await user.click(screen.getByRole('button', { name: 'New class' }))
    await user.type(screen.getByRole('textbox', { name: 'Name' }), 'few')
    await user.selectOptions(screen.getByRole('combobox', { name: 'Discipline' }), 'lbf')
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
    await user.click(screen.getByRole('button', { name: 'Test a request' }))
    await user.click(screen.getByRole('button', { name: 'Test the request' }))
    const table = await screen.findByRole('table', { name: 'Rules and the request' })
    expect(within(table).getAllByText('yes')).toHaveLength(4)
    expect(screen.getByText('rule-event applies.', { exact: false })).toBeTruthy()
  })

  it('draws the keys of the request beside those of the rules', async () => {
    render(<EtcdScreen />)
    await user.click(screen.getByRole('button', { name: 'Test a request' }))
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
    for (const name of ['Test a request', 'Advice', 'New rule', 'New class'])
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
    expect(screen.getByText('The connected source is no etcd.')).toBeTruthy()
  })
})
