import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FeedSpecSchema, ProxySpecSchema } from '../../../core/contract/live.ts'
import {
  EMPTY_FEED,
  EMPTY_PROXY,
  feedFormOf,
  feedSentence,
  proxyFormOf,
  proxySentence,
  readFeedForm,
  readProxyForm,
} from './live.logic.ts'

const contexts = [
  {
    file: '~/.kube/config',
    context: 'prod-eu-1',
    cluster: 'c',
    server: 'https://10.20.0.10',
    user: 'anna',
    current: true,
  },
]

describe('the form of a proxy', () => {
  it('is complete as it is, for the current context', () => {
    const read = readProxyForm(EMPTY_PROXY)
    expect(read).toEqual({
      ok: true,
      spec: ProxySpecSchema.parse({
        kind: 'proxy',
        upstream: { kind: 'kubeconfig' },
        // It observes: enforcing is a choice.
        mode: 'observe',
        listen: { tls: { kind: 'generated' }, token: { kind: 'generated' } },
      }),
    })
  })

  it('says field by field what is wrong', () => {
    const wrong = {
      ...EMPTY_PROXY,
      upstream: 'url',
      url: 'nonsense',
      port: '70000',
      maxRequestsInFlight: '1.5',
    } as const
    expect(readProxyForm(wrong)).toMatchObject({
      ok: false,
      errors: {
        url: expect.stringContaining('“nonsense”'),
        port: expect.stringContaining('65535'),
        maxRequestsInFlight: expect.stringContaining('whole number'),
      },
    })
    const secret = readProxyForm({ ...EMPTY_PROXY, upstream: 'url', url: 'https://anna:hunter2@host' })
    expect(secret).toMatchObject({ ok: false, errors: { url: expect.stringContaining('kubeconfig') } })
    expect(JSON.stringify(secret)).not.toContain('hunter2')
    expect(readProxyForm({ ...EMPTY_PROXY, upstream: 'url', url: ' ' })).toMatchObject({ ok: false })
    expect(readFeedForm({ ...EMPTY_FEED, path: '/x', maxMutatingRequestsInFlight: '' })).toMatchObject({ ok: false })
  })

  it('is filled from what is connected, and reads back as the same', () => {
    const url = fc.constantFrom(
      'http://127.0.0.1:8001',
      'https://[::1]:6443/k8s/clusters/c-1',
      'https://a.example/?b=c',
    )
    const upstream = fc.oneof(
      fc.record({ kind: fc.constant('url'), url }),
      fc.record(
        { kind: fc.constant('kubeconfig'), file: fc.constant('/x'), context: fc.constant('prod') },
        { requiredKeys: ['kind'] },
      ),
    )
    const spec = fc.record({
      kind: fc.constant('proxy'),
      upstream,
      port: fc.integer({ min: 0, max: 65_535 }),
      mode: fc.constantFrom('enforce', 'observe'),
      identity: fc.constantFrom('kubeconfig', 'headers'),
      objects: fc.constantFrom('upstream', 'built-in'),
      listen: fc.record({
        host: fc.constantFrom('127.0.0.1', '0.0.0.0'),
        tls: fc.constant({ kind: 'generated' }),
        token: fc.constant({ kind: 'file', file: '/token' }),
      }),
      allowExec: fc.boolean(),
      maxRequestsInFlight: fc.integer({ min: 0, max: 100_000 }),
    })
    fc.assert(
      fc.property(spec, (value) => {
        const known = ProxySpecSchema.parse(value)
        expect(readProxyForm(proxyFormOf(known))).toEqual({ ok: true, spec: known })
      }),
    )
  })

  it('says what it will do, to whom', () => {
    expect(proxySentence(EMPTY_PROXY, contexts)).toContain(
      'a server with the seats that it reports and the objects of prod-eu-1',
    )
    expect(proxySentence({ ...EMPTY_PROXY, maxRequestsInFlight: '100' }, contexts)).toContain('with 300 seats and the')
    expect(proxySentence({ ...EMPTY_PROXY, port: '8443', mode: 'observe' }, contexts)).toMatch(
      /^Listens on 127\.0\.0\.1:8443: every request passes to prod-eu-1 immediately/,
    )
    expect(proxySentence({ ...EMPTY_PROXY, port: '8443', host: '::' }, contexts)).toMatch(/^Listens on \[::\]:8443: /)
  })
})

describe('the form of a feed', () => {
  it('wants a path, or a port', () => {
    expect(readFeedForm(EMPTY_FEED)).toMatchObject({ ok: false, errors: { path: expect.any(String) } })
    expect(readFeedForm({ ...EMPTY_FEED, path: ' /var/log/audit.log ', withCluster: false })).toEqual({
      ok: true,
      spec: FeedSpecSchema.parse({ kind: 'feed', feed: { kind: 'audit-file', path: '/var/log/audit.log' } }),
    })
    expect(readFeedForm({ ...EMPTY_FEED, kind: 'audit-webhook', port: 'x' })).toMatchObject({ ok: false })
    expect(readFeedForm({ ...EMPTY_FEED, kind: 'audit-webhook', context: 'prod' })).toEqual({
      ok: true,
      spec: FeedSpecSchema.parse({
        kind: 'feed',
        feed: { kind: 'audit-webhook', port: 0 },
        cluster: { context: 'prod' },
      }),
    })
  })

  it('is filled from what is connected', () => {
    const spec = FeedSpecSchema.parse({
      kind: 'feed',
      feed: { kind: 'httplog', path: '/x', follow: false },
      maxRequestsInFlight: 50,
    })
    expect(readFeedForm(feedFormOf(spec))).toEqual({ ok: true, spec })
  })

  it('says what it will do', () => {
    expect(feedSentence({ ...EMPTY_FEED, path: '/a' })).toMatch(/^Reads the audit log \/a and follows it/)
    expect(feedSentence({ ...EMPTY_FEED, kind: 'audit-webhook', port: '9443' })).toContain('port 9443 of 127.0.0.1')
  })
})
