import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PROXY_IDENTITIES, ProxySpecSchema } from '../../../core/contract/live.ts'
import type { Lender } from '../../../core/live/proxyReach.ts'
import {
  EMPTY_REACH,
  knowsCertificates,
  reachFormOf,
  reachSentence,
  readReach,
  tokenHint,
  settle,
  type ReachForm,
  type SettledReach,
} from './reach.logic.ts'

/** A proxy in front of an address, which lends no credentials. */
const by = (identity: Lender['identity']): Lender => ({ upstream: { kind: 'url' }, identity })
const BARE: SettledReach = { ...EMPTY_REACH, tls: 'none', token: 'none' }
const SECURE = { ...BARE, host: '0.0.0.0', tls: 'generated', token: 'generated' } as const

describe('who may connect', () => {
  it('is this machine as long as nothing is said', () => {
    expect(readReach(BARE, by('kubeconfig'))).toEqual({ ok: true })
    expect(readReach({ ...BARE, host: ' ' }, by('headers'))).toEqual({ ok: true })
    expect(reachSentence(BARE, 'kubeconfig')).toBe('every user of this machine without TLS')
  })

  it('takes a token where the credentials of a kubeconfig are lent, unless none is chosen', () => {
    const lender = { upstream: { kind: 'kubeconfig' }, identity: 'kubeconfig' } as const
    const read = (part: Partial<ReachForm>) => readReach(settle({ ...EMPTY_REACH, ...part }, lender), lender)
    expect(read({})).toEqual({ ok: true, listen: { tls: { kind: 'generated' }, token: { kind: 'generated' } } })
    expect(read({ token: 'none' })).toEqual({ ok: true, listen: { token: { kind: 'none' } } })
    expect(settle(EMPTY_REACH, by('kubeconfig'))).toEqual(BARE)
  })

  it('is read as paths and switches', () => {
    expect(readReach(SECURE, by('kubeconfig'))).toEqual({
      ok: true,
      listen: { host: '0.0.0.0', tls: { kind: 'generated' }, token: { kind: 'generated' } },
    })
    const files: SettledReach = {
      host: ' ',
      tls: 'files',
      certFile: ' /c ',
      keyFile: '/k',
      clientCaFile: ' /ca',
      token: 'file',
      tokenFile: '/t ',
    }
    expect(readReach(files, by('certificate'))).toEqual({
      ok: true,
      listen: {
        tls: { kind: 'files', certFile: '/c', keyFile: '/k' },
        clientCaFile: '/ca',
        token: { kind: 'file', file: '/t' },
      },
    })
  })

  it('says field by field what is missing', () => {
    const errorsOf = (part: Partial<SettledReach>, identity: Lender['identity'] = 'kubeconfig') => {
      const read = readReach({ ...BARE, ...part }, by(identity))
      return read.ok ? [] : Object.keys(read.errors)
    }
    expect(errorsOf({ host: 'a b' })).toContain('host')
    expect(errorsOf({ host: '10.0.0.5' })).toEqual(['tls'])
    expect(errorsOf({ host: '10.0.0.5', tls: 'generated' })).toEqual(['token'])
    expect(errorsOf({ host: '10.0.0.5', tls: 'generated' }, 'token')).toEqual([])
    expect(errorsOf({ tls: 'files', token: 'file' })).toEqual(['certFile', 'keyFile', 'tokenFile'])
    expect(errorsOf({}, 'certificate')).toEqual(['identity'])
    expect(errorsOf({ tls: 'generated', clientCaFile: '/ca' })).toEqual(['clientCaFile'])
    // Without TLS the form does not have its field.
    expect(errorsOf({ clientCaFile: '/ca' })).toEqual([])
  })

  it('offers certificates only where they can be asked for', () => {
    expect(knowsCertificates({ ...BARE, clientCaFile: '/ca' })).toBe(false)
    expect(knowsCertificates({ ...BARE, tls: 'generated' })).toBe(false)
    expect(knowsCertificates({ ...BARE, tls: 'generated', clientCaFile: '/ca' })).toBe(true)
  })

  it('warns that tokens need TLS', () => {
    expect(tokenHint(BARE)).toMatch(/tokens over TLS only/)
    expect(tokenHint(SECURE)).toBeUndefined()
  })

  it('is said in a few words', () => {
    expect(reachSentence({ ...BARE, host: '10.0.0.5' }, 'headers')).toBe('everyone who can reach 10.0.0.5 without TLS')
    expect(reachSentence(SECURE, 'kubeconfig')).toBe(
      'everyone who can reach this machine with the proxy’s token, over TLS',
    )
    expect(reachSentence({ ...SECURE, host: '::1' }, 'certificate')).toBe(
      'every user of this machine with the proxy’s token and a client certificate, over TLS',
    )
    expect(reachSentence({ ...BARE, tls: 'files' }, 'token')).toBe(
      'every user of this machine with their own bearer token, over TLS',
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
        const read = readReach(settle(reachFormOf(listen), by(identity)), by(identity))
        // Without TLS the form shows no authority; such a proxy is never opened.
        fc.pre(read.ok && (listen.tls !== undefined || listen.clientCaFile === undefined))
        const known = ProxySpecSchema.parse({ kind: 'proxy', upstream: { kind: 'kubeconfig' }, listen })
        expect(read).toEqual({ ok: true, ...(Object.keys(listen).length > 0 && { listen: known.listen }) })
      }),
    )
  })
})
