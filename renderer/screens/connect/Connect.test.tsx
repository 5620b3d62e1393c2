import { act, cleanup, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openStory, type Story } from '../../../test/harness/story.ts'
import type { ServerHealth } from '../../../core/contract/source.ts'
import { ProxySpecSchema } from '../../../core/contract/live.ts'
import { setClient } from '../../state/client.ts'
import { connectionStore, showConnection } from '../../state/connection.ts'
import { NO_OBJECTS, objectsStore } from '../../state/objects.ts'
import { startState } from '../../state/start.ts'
import { ConnectScreen } from './index.tsx'

const PROXY = { kind: 'proxy', mode: 'observe', identity: 'headers', objects: 'built-in' }

describe('the Connect screen', () => {
  let story: Story
  let stop: () => void
  const begin = async (connected: boolean, kubeconfig = true): Promise<void> => {
    story = await openStory({ history: 5, kubeconfig, ...(!connected && { spec: null }) })
    setClient(story.client)
    stop = startState(story.client)
    render(<ConnectScreen />)
  }
  beforeEach(() => {
    location.hash = '#/connection'
    connectionStore.setState(connectionStore.getInitialState(), true)
  })
  afterEach(() => {
    cleanup()
    stop()
    story.stop()
    setClient(undefined)
  })

  it('lists contexts, checks permissions, counts them on the button and hands out the role', async () => {
    const user = userEvent.setup()
    await begin(false)
    await user.click(await screen.findByRole('button', { name: /kind-dev kubeconfig/ }))
    expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'kubeconfig context' }).value).toBe('kind-dev')
    await user.click(screen.getByRole('button', { name: 'Check permissions' }))
    await screen.findByRole('button', { name: 'Connect with 5 of 7' })
    const table = screen.getByRole('table', { name: 'Capabilities' })
    expect(within(table).getAllByRole('row')).toHaveLength(10)
    expect(screen.getByRole('region', { name: 'Role and binding that are missing' }).textContent).toContain(
      'kind: ClusterRole',
    )
    expect(screen.getAllByRole('button', { name: 'Copy kubectl command' }).length).toBeGreaterThan(0)
  })

  it('forgets the report when the form changes', async () => {
    const user = userEvent.setup()
    await begin(false)
    await user.click(screen.getByRole('button', { name: 'Check permissions' }))
    await screen.findByRole('button', { name: /^Connect with/ })
    await user.type(screen.getByRole('textbox', { name: /API server addresses/ }), 'nonsense')
    expect(screen.getByText(/“nonsense” is not an address/)).toBeTruthy()
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Connect' }).disabled).toBe(true)
  })

  it('connects and goes to the overview', async () => {
    const user = userEvent.setup()
    await begin(false)
    await user.click(screen.getByRole('button', { name: 'Connect' }))
    await vi.waitFor(() => expect(location.hash).toBe('#/overview'))
    expect(connectionStore.getState().connection).toMatchObject({ source: { kind: 'scrape' } })
  })

  it('takes a token for a metrics address, never over plain HTTP to another machine', async () => {
    const user = userEvent.setup()
    await begin(false)
    await user.click(screen.getByRole('radio', { name: 'Metrics addresses' }))
    const address = screen.getByRole('textbox', { name: /^Metrics addresses/ })
    await user.type(address, 'http://10.0.0.1:6443/metrics')
    const token = screen.getByLabelText<HTMLInputElement>('Bearer token')
    expect(token.type).toBe('password')
    await user.type(token, 't0k')
    expect(screen.getByText(/^Credentials are not sent unencrypted/)).toBeTruthy()
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Connect' }).disabled).toBe(true)
    await user.clear(address)
    await user.type(address, 'https://10.0.0.1:6443/metrics')
    await user.type(screen.getByRole('textbox', { name: 'Path of the certificate authority' }), '/ca.pem')
    const call = vi.spyOn(story.client, 'call')
    await user.click(screen.getByRole('button', { name: 'Connect' }))
    const target = { kind: 'urls', credentials: { token: 't0k', certificateAuthority: '/ca.pem' } }
    expect(call).toHaveBeenCalledWith(
      'sources.connect',
      expect.objectContaining({ spec: expect.objectContaining({ target: expect.objectContaining(target) }) }),
    )
    // The token is not returned.
    await vi.waitFor(() => expect(connectionStore.getState().connection).toBeDefined())
    expect(connectionStore.getState().connection?.spec).toMatchObject({ target: { kind: 'urls', credentials: {} } })
    expect(JSON.stringify(connectionStore.getState().connection)).not.toContain('t0k')
  })

  it('finds the servers of a Prometheus, wants a cluster chosen, and connects to what is chosen', async () => {
    const user = userEvent.setup()
    await begin(false)
    await user.click(screen.getByRole('button', { name: /^Prometheus/ }))
    const connect = screen.getByRole<HTMLButtonElement>('button', { name: 'Connect' })
    expect(connect.disabled).toBe(true)
    await user.type(screen.getByRole('textbox', { name: 'Address' }), 'https://prometheus.example.com')
    await user.type(screen.getByRole('textbox', { name: 'Tenant' }), 'team-a')
    await user.click(screen.getByRole('button', { name: 'Find servers' }))
    const cluster = await screen.findByRole('combobox', { name: 'Cluster' })
    expect(connect.disabled).toBe(true)
    await user.selectOptions(cluster, 'prod-eu-1')
    await user.click(screen.getByRole('checkbox', { name: '10.20.0.12:6443' }))
    await user.selectOptions(screen.getByRole('combobox', { name: 'Read back' }), 'the last 6 h')
    expect(screen.getByText(/Scraped every 30 s/)).toBeTruthy()
    await user.click(connect)
    await vi.waitFor(() =>
      expect(connectionStore.getState().connection).toMatchObject({
        spec: {
          kind: 'prometheus',
          url: 'https://prometheus.example.com/',
          tenant: 'team-a',
          cluster: 'prod-eu-1',
          instances: ['10.20.0.11:6443'],
          pastMs: 21_600_000,
        },
      }),
    )
  })

  it('shows the role for edits apart, as nothing that looking lacks', async () => {
    const user = userEvent.setup()
    await begin(false)
    await user.click(screen.getByRole('button', { name: 'Check permissions' }))
    await screen.findByRole('heading', { name: 'Required for editing' })
    expect(screen.getByText(/^Refused:/).textContent).not.toMatch(/create|patch/)
  })

  it('starts a proxy, and says where its clients connect to', async () => {
    const user = userEvent.setup()
    await begin(false)
    await user.click(screen.getByRole('button', { name: /^Live proxy/ }))
    await user.click(screen.getByRole('radio', { name: 'Any HTTP server' }))
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Start the proxy' }).disabled).toBe(true)
    await user.type(screen.getByRole('textbox', { name: 'Address of the server' }), 'nonsense')
    expect(screen.getByText(/“nonsense” is not an address/)).toBeTruthy()
    await user.clear(screen.getByRole('textbox', { name: 'Address of the server' }))
    await user.type(screen.getByRole('textbox', { name: 'Address of the server' }), 'http://127.0.0.1:8001')
    await user.click(screen.getByRole('radio', { name: 'Observe' }))
    expect(screen.getByText(/every request passes to 127\.0\.0\.1:8001 immediately/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Start the proxy' }))
    await vi.waitFor(() =>
      expect(connectionStore.getState().connection).toMatchObject({ spec: { kind: 'proxy', mode: 'observe' } }),
    )
    expect(location.hash).toBe('#/connection')
    await screen.findByRole('button', { name: 'Copy the address' })
    expect(screen.getByText(/^kubectl --server http:/)).toBeTruthy()
  })

  it('lets a proxy be reached from elsewhere only with TLS and a token, and knows certificates with their authority', async () => {
    const user = userEvent.setup()
    await begin(false)
    await user.click(screen.getByRole('button', { name: /^Live proxy/ }))
    const start = screen.getByRole<HTMLButtonElement>('button', { name: 'Start the proxy' })
    await user.click(screen.getByText(/^Who can connect/))
    await user.type(screen.getByRole('textbox', { name: 'Address to listen on' }), '0.0.0.0')
    // A proxy that lends the credentials of a kubeconfig has both unless they are removed.
    expect(start.disabled).toBe(false)
    expect(screen.getByText(/^Every client with the proxy’s token acts as/)).toBeTruthy()
    const choose = (group: string, name: string) =>
      user.click(within(screen.getByRole('radiogroup', { name: group })).getByRole('radio', { name }))
    await choose('Client token', 'None')
    expect(screen.getByText(/^Every user of this machine acts as/)).toBeTruthy()
    expect(screen.getByText(/^Other than on loopback, the proxy requires TLS/)).toBeTruthy()
    expect(start.disabled).toBe(true)
    await choose('TLS certificate', 'Generated')
    expect(screen.getByText(/^Other than on loopback, the proxy requires a client token/)).toBeTruthy()
    await choose('Client token', 'Generated')
    expect(start.disabled).toBe(false)
    const offered = () =>
      within(screen.getByRole('combobox', { name: 'Identity of callers' })).queryByText(/client certificate/)
    expect(offered()).toBeNull()
    await user.type(screen.getByRole('textbox', { name: /^Path of the client CA/ }), '/ca.crt')
    expect(screen.getByText(/^Choose “Each caller’s client certificate”/)).toBeTruthy()
    await user.selectOptions(screen.getByRole('combobox', { name: 'Identity of callers' }), 'certificate')
    await choose('TLS certificate', 'None')
    expect(offered()).toBeTruthy()
    expect(screen.getByText(/^Client certificates require TLS/)).toBeTruthy()
    await choose('TLS certificate', 'Generated')
    await user.click(start)
    await vi.waitFor(() =>
      expect(connectionStore.getState().connection).toMatchObject({
        spec: {
          identity: 'certificate',
          listen: {
            host: '0.0.0.0',
            tls: { kind: 'generated' },
            token: { kind: 'generated' },
            clientCaFile: '/ca.crt',
          },
        },
      }),
    )
  })

  it('starts the simulation with another algorithm, and names none where it is upstream’s', async () => {
    const user = userEvent.setup()
    await begin(false)
    await user.click(screen.getByRole('button', { name: /^Simulation/ }))
    const start = screen.getByRole('button', { name: 'Start the simulation' })
    const algorithm = screen.getByRole('combobox', { name: 'Algorithm' })
    await user.selectOptions(algorithm, 'Deficit round robin')
    expect(within(algorithm).queryByText(/^(upstream|kep-|alpha-)/)).toBeNull()
    await user.click(start)
    await vi.waitFor(() =>
      expect(connectionStore.getState().connection).toMatchObject({ spec: { kind: 'simulation', algorithm: 'drr' } }),
    )
    await user.selectOptions(screen.getByRole('combobox', { name: 'Algorithm' }), 'upstream')
    await user.click(screen.getByRole('button', { name: /the simulation$/ }))
    await vi.waitFor(() =>
      expect(connectionStore.getState().connection).toHaveProperty(
        'spec',
        expect.not.objectContaining({ algorithm: 'drr' }),
      ),
    )
  })

  it('starts a feed', async () => {
    const user = userEvent.setup()
    await begin(false)
    await user.click(screen.getByRole('button', { name: /^Audit or log feed/ }))
    await user.type(screen.getByRole('textbox', { name: /^Path of the file/ }), '/var/log/audit.log')
    await user.click(screen.getByRole('button', { name: 'Start the feed' }))
    await vi.waitFor(() =>
      expect(connectionStore.getState().connection).toMatchObject({
        spec: { kind: 'feed', feed: { kind: 'audit-file', path: '/var/log/audit.log', follow: true } },
      }),
    )
  })

  it('asks no cluster beside a feed where there is no kubeconfig, until the reader wants one', async () => {
    const user = userEvent.setup()
    await begin(false, false)
    await user.click(screen.getByRole('button', { name: /^Audit or log feed/ }))
    await vi.waitFor(() => expect(screen.getByRole('radio', { name: 'Built-in', checked: true })).toBeTruthy())
    expect(screen.queryByRole('combobox', { name: 'kubeconfig context' })).toBeNull()
    await user.click(screen.getByRole('radio', { name: 'The server’s' }))
    expect(screen.getByRole('combobox', { name: 'kubeconfig context' })).toBeTruthy()
  })

  it('keeps what is typed when a source of another kind connects', async () => {
    const user = userEvent.setup()
    await begin(false)
    await user.click(
      within(screen.getByRole('group', { name: 'Kind of source' })).getByRole('button', { name: /^Prometheus/ }),
    )
    const field = screen.getAllByRole<HTMLInputElement>('textbox')[0]
    if (field === undefined) throw new Error('the form has no text field')
    await user.type(field, 'http://typed:9090')
    const before = connectionStore.getState()
    await act(() => story.client.call('sources.connect', { spec: { kind: 'demo' } }))
    await vi.waitFor(() => expect(connectionStore.getState().connection).toBeDefined())
    expect(before.connection).toBeUndefined()
    expect(screen.getAllByRole<HTMLInputElement>('textbox')[0]?.value).toBe('http://typed:9090')
  })

  it('keeps what is typed when a source of the same kind connects, until it is submitted or another kind is chosen', async () => {
    const user = userEvent.setup()
    await begin(false)
    const kinds = () => within(screen.getByRole('group', { name: 'Kind of source' }))
    const address = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Address of the server' })
    const connectProxy = (url: string) =>
      act(() =>
        story.client.call('sources.connect', {
          spec: ProxySpecSchema.parse({ ...PROXY, upstream: { kind: 'url', url } }),
        }),
      )
    await user.click(kinds().getByRole('button', { name: /^Live proxy/ }))
    await user.click(screen.getByRole('radio', { name: 'Any HTTP server' }))
    await user.type(address(), 'http://typed:8001')
    await connectProxy('http://first:8001')
    await vi.waitFor(() => expect(connectionStore.getState().connection).toMatchObject({ spec: { kind: 'proxy' } }))
    expect(address().value).toBe('http://typed:8001')
    // The same source connects again, as after a restart.
    await connectProxy('http://first:8001')
    await vi.waitFor(() => expect(connectionStore.getState().connections).toHaveLength(2))
    expect(address().value).toBe('http://typed:8001')
    await user.click(kinds().getByRole('button', { name: /^Audit or log feed/ }))
    await user.click(kinds().getByRole('button', { name: /^Live proxy/ }))
    expect(address().value).toBe('http://first:8001/')
    await user.clear(address())
    await user.type(address(), 'http://second:8001')
    await user.click(screen.getByRole('button', { name: /^(Start|Restart) the proxy/ }))
    await vi.waitFor(() => expect(address().value).toBe('http://second:8001/'))
    await connectProxy('http://third:8001')
    act(() => showConnection(connectionStore.getState().connections.at(-1)?.id ?? 0))
    await vi.waitFor(() => expect(address().value).toBe('http://third:8001/'))
  })

  it('opens pasted text', async () => {
    const user = userEvent.setup()
    await begin(false)
    await user.click(screen.getByRole('button', { name: /Drop it anywhere/ }))
    await user.click(screen.getByRole('textbox', { name: /^Or paste/ }))
    await user.paste('apiserver_flowcontrol_current_limit_seats{priority_level="a"} 1\n')
    await user.click(screen.getByRole('button', { name: 'Open the pasted text' }))
    await vi.waitFor(() => expect(connectionStore.getState().connection).toMatchObject({ still: true }))
  })

  it('shows the failures of a source with the way to try again', async () => {
    await begin(true)
    await screen.findByRole('heading', { name: 'Connected to demo' })
    story.setSilent(true)
    await screen.findByText('apiserver-a refused the connection; is it running?')
    expect(screen.getByRole('button', { name: 'Retry now' })).toBeTruthy()
    expect(
      screen.getByText(/Next try in \d+ s\. The last values, from [\d:]{8}, stay and are marked stale\./),
    ).toBeTruthy()
    // There are no last values of a server that never answered.
    const { connection } = connectionStore.getState()
    const servers = connection?.servers.map(({ lastGoodAt: _never, ...health }) => health)
    act(() =>
      connectionStore.setState({ ...(connection && { connection: { ...connection, servers: servers ?? [] } }) }),
    )
    expect(screen.getByText(/Next try in \d+ s\. There is no sample yet\./)).toBeTruthy()
  })

  it('does not claim a connection to a source that refuses every attempt', async () => {
    await begin(true)
    await screen.findByRole('heading', { name: 'Connected to demo' })
    const { connection } = connectionStore.getState()
    if (connection === undefined) throw new Error('the story is connected')
    const problem = { code: 'unauthorized', message: 'The server does not accept the token.' } as const
    const servers = connection.servers.map(({ id }): ServerHealth => ({
      id,
      status: 'failing',
      failures: [{ at: '2026-01-01T00:00:00Z', problem }],
    }))
    act(() => connectionStore.setState({ connection: { ...connection, servers } }))
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Cannot read demo')
  })

  it('does not claim that it only reads while editing is on', async () => {
    await begin(true)
    expect((await screen.findByText(/^One server|servers,/)).textContent).toContain('APF Console only reads;')
    act(() =>
      objectsStore.setState({ state: { ...NO_OBJECTS, editing: { state: 'on', since: '2026-01-01T00:00:00Z' } } }),
    )
    expect(screen.getByText(/Editing is on;/)).toBeTruthy()
  })
})
