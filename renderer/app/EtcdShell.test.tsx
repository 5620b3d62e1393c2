import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { CadenceSchema, type Connected } from '../../core/contract/source.ts'
import { etcdFixture } from '../../core/qos/etcd.fixture.ts'
import { connectionStore } from '../state/connection.ts'
import { pastStore } from '../state/past.ts'
import { EtcdPart } from './EtcdShell.tsx'

const PROXY: Connected = {
  id: 1,
  source: { kind: 'etcd', name: 'x', via: 'y' },
  spec: { kind: 'etcd', of: { kind: 'proxy', editing: true } },
  cadence: CadenceSchema.parse({}),
  servers: [],
  etcd: true,
  still: false,
}

// The past has a state without any event.
const show = (etcd: typeof etcdFixture | undefined): void =>
  pastStore.setState({ moment: { at: 1_000_000, derived: [], health: [], ...(etcd !== undefined && { etcd }) } })

beforeEach(() => connectionStore.setState({ connection: PROXY }))
afterEach(cleanup)

it('has each class with the group that is nearest to being limited, and a link to it', () => {
  show(etcdFixture)
  render(<EtcdPart />)
  const [event, tenants] = screen.getAllByRole('link')
  expect(event?.textContent).toContain('388 ms')
  expect(event?.textContent).not.toContain('lbf')
  expect(event?.getAttribute('href')).toBe('#/etcd?object=event')
  expect(tenants?.getAttribute('title')).toBe(
    'tenants, sliding window, 100 requests in 1 s, per user. alice: 40 of 100 used, 3 requests waiting.',
  )
})

it('says what there is in the place of classes', () => {
  show({ ...etcdFixture, classes: [] })
  const { rerender } = render(<EtcdPart />)
  expect(screen.getByText('There are no classes yet.')).toBeTruthy()
  show(undefined)
  rerender(<EtcdPart />)
  expect(screen.getByText('Classes appear here.')).toBeTruthy()
})

it('says how the proxy is doing', () => {
  const storage = etcdFixture.storage === null ? null : { ...etcdFixture.storage, version: '3.6.8' }
  show({ ...etcdFixture, storage, since: etcdFixture.at - 120_000, decideMs: 0.02 })
  const { rerender } = render(<EtcdPart good />)
  expect(screen.getByRole('contentinfo').textContent).toBe(
    'source respondsetcd proxy up 2 minetcd 3.6.8decides in 20 µsrules revision 3Separate from Priority and Fairness of the API serverediting on',
  )
  show({ ...etcdFixture, revision: null, editable: false })
  rerender(<EtcdPart good={false} />)
  expect(screen.getByRole('contentinfo').textContent).toBe(
    'source failsetcd proxyrules from filesSeparate from Priority and Fairness of the API serverread-only',
  )
})
