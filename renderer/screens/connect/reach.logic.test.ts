import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PROXY_IDENTITIES, ProxySpecSchema } from '../../../core/contract/live.ts'
import {
  EMPTY_REACH,
  knowsCertificates,
  reachFormOf,
  reachSentence,
  readReach,
  tokenHint,
  type ReachForm,
} from './reach.logic.ts'

const SECURE = { ...EMPTY_REACH, host: '0.0.0.0', tls: 'generated', token: 'generated' } as const

describe('who may connect', () => {
  it('is this machine as long as nothing is said', () => {
    expect(readReach(EMPTY_REACH, 'kubeconfig')).toEqual({ ok: true })
    expect(readReach({ ...EMPTY_REACH, host: ' ' }, 'headers')).toEqual({ ok: true })
    expect(reachSentence(EMPTY_REACH, 'kubeconfig')).toBe('every user of this machine without TLS')
  })

  it('is read as paths and switches', () => {
    expect(readReach(SECURE, 'kubeconfig')).toEqual({
      ok: true,
      listen: { host: '0.0.0.0', tls: { kind: 'generated' }, token: { kind: 'generated' } },
    })
    const files: ReachForm = {
      host: ' ',
      tls: 'files',
      certFile: ' /c ',
      keyFile: '/k',
      clientCaFile: ' /ca',
      token: 'file',
      tokenFile: '/t ',
    }
    expect(readReach(files, 'certificate')).toEqual({
      ok: true,
      listen: {
        tls: { kind: 'files', certFile: '/c', keyFile: '/k' },
        clientCaFile: '/ca',
        token: { kind: 'file', file: '/t' },
      },
    })
  })

  it('says field by field what is missing', () => {
    const errorsOf = (part: Partial<ReachForm>, identity: Parameters<typeof readReach>[1] = 'kubeconfig') => {
      const read = readReach({ ...EMPTY_REACH, ...part }, identity)
      return read.ok ? [] : Object.keys(read.errors)
    }
    expect(errorsOf({ host: 'a b' })).toContain('host')
    expect(errorsOf({ host: '10.0.0.5' })).toEqual(['tls'])
    expect(errorsOf({ host: '10.0.0.5', tls: 'generated' })).toEqual(['token'])
    expect(errorsOf({ host: '10.0.0.5', tls: 'generated' }, 'token')).toEqual([])
    expect(errorsOf({ tls: 'files', token: 'file' })).toEqual(['certFile', 'keyFile', 'tokenFile'])
    expect(errorsOf({}, 'certificate')).toEqual(['identity'])
    expect(errorsOf({ tls: 'generated', clientCaFile: '/ca' })).toEqual(['clientCaFile'])
    // Its field is not there without TLS.
    expect(errorsOf({ clientCaFile: '/ca' })).toEqual([])
  })

  it('offers certificates only where they can be asked for', () => {
    expect(knowsCertificates({ ...EMPTY_REACH, clientCaFile: '/ca' })).toBe(false)
    expect(knowsCertificates({ ...EMPTY_REACH, tls: 'generated' })).toBe(false)
    expect(knowsCertificates({ ...EMPTY_REACH, tls: 'generated', clientCaFile: '/ca' })).toBe(true)
  })

  it('warns that tokens need TLS', () => {
    expect(tokenHint(EMPTY_REACH)).toMatch(/no token without TLS/)
    expect(tokenHint(SECURE)).toBeUndefined()
  })

  it('is said in a few words', () => {
    expect(reachSentence({ ...EMPTY_REACH, host: '10.0.0.5' }, 'headers')).toBe(
      'everybody who reaches 10.0.0.5 without TLS',
    )
    expect(reachSentence(SECURE, 'kubeconfig')).toBe(
      'everybody who reaches this machine with the token of the proxy, over TLS',
    )
    expect(reachSentence({ ...SECURE, host: '::1' }, 'certificate')).toBe(
      'every user of this machine with the token of the proxy and a client certificate, over TLS',
    )
    expect(reachSentence({ ...EMPTY_REACH, tls: 'files' }, 'token')).toBe(
      'every user of this machine with a token of their own, over TLS',
    )
  })

  it('is filled from what is connected, and reads back as the same', () => {
    const path = fc.constantFrom('/a', '/b c')
    const kept = fc.record(
      {
        host: fc.constantFrom('127.0.0.1', '0.0.0.0', '::', 'desk'),
        tls: fc.oneof(
          fc.constant({ kind: 'generated' } as const),
          fc.record({ kind: fc.constant('files' as const), certFile: path, keyFile: path }),
        ),
        clientCaFile: path,
        token: fc.oneof(
          fc.constant({ kind: 'generated' } as const),
          fc.record({ kind: fc.constant('file' as const), file: path }),
        ),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(kept, fc.constantFrom(...PROXY_IDENTITIES), (listen, identity) => {
        const read = readReach(reachFormOf(listen), identity)
        // Without TLS the form shows no authority; no such proxy is ever opened.
        if (!read.ok || (listen.tls === undefined && listen.clientCaFile !== undefined)) return
        const known = ProxySpecSchema.parse({ kind: 'proxy', upstream: { kind: 'kubeconfig' }, listen })
        expect(read.listen ?? {}).toEqual(known.listen)
      }),
    )
  })
})
