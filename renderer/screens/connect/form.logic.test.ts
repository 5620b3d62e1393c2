import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AddressCredentialsSchema } from '../../../core/contract/credentials.ts'
import { SourceSpecSchema } from '../../../core/contract/source.ts'
import { EMPTY_FORM, formOf, intervalText, readForm, authFormOf, EMPTY_AUTH, readAuth } from './form.logic.ts'

describe('the form of a direct source', () => {
  it('names nothing that was left empty', () => {
    expect(readForm(EMPTY_FORM)).toEqual({
      ok: true,
      target: { kind: 'kubeconfig' },
      spec: {
        kind: 'scrape',
        target: { kind: 'kubeconfig' },
        cadence: { intervalMs: 1_000, dumpsEveryMs: 5_000 },
      },
    })
  })

  it('takes several addresses, one a line, each once', () => {
    const urls = 'http://127.0.0.1:8001/metrics\nhttps://b:6443/metrics, http://127.0.0.1:8001/metrics'
    const read = readForm({ ...EMPTY_FORM, method: 'urls', urls })
    expect(read).toMatchObject({
      ok: true,
      target: { urls: ['http://127.0.0.1:8001/metrics', 'https://b:6443/metrics'] },
    })
  })

  it.each(['10.0.0.1:6443', 'ftp://a/metrics', 'javascript:alert(1)', 'nonsense'])(
    'refuses %s and names it',
    (text) => {
      const servers = readForm({ ...EMPTY_FORM, servers: text })
      expect(servers).toEqual({
        ok: false,
        errors: { servers: `“${text}” is not an address; enter it as https://host:port.` },
      })
      expect(readForm({ ...EMPTY_FORM, method: 'urls', urls: text }).ok).toBe(false)
    },
  )

  it('asks for an address when there is none', () => {
    expect(readForm({ ...EMPTY_FORM, method: 'urls' })).toMatchObject({
      ok: false,
      errors: { urls: expect.any(String) },
    })
  })

  it('makes what the contract admits, and is filled again from it', () => {
    const form = {
      ...EMPTY_FORM,
      file: '/k',
      context: 'prod',
      servers: 'https://a:6443\nhttps://b:6443',
      dumpsEveryMs: null,
    }
    const read = readForm(form)
    if (!read.ok) throw new Error('The form is valid.')
    expect(formOf(SourceSpecSchema.parse(read.spec))).toEqual(form)
    expect(formOf({ kind: 'demo' })).toBeUndefined()
  })
})

it('writes intervals', () => {
  expect([500, 1_000, 60_000, 300_000, null].map(intervalText)).toEqual(['0.5 s', '1 s', '1 min', '5 min', 'off'])
})

const HTTPS = ['https://a:6443/metrics']

describe('credentials for metrics addresses', () => {
  it('are none unless some are typed, and those of the chosen kind alone', () => {
    expect(readAuth({ ...EMPTY_AUTH, username: 'left over' }, HTTPS)).toEqual({ ok: true })
    expect(readAuth({ ...EMPTY_AUTH, token: ' ' }, ['http://10.0.0.1/metrics'])).toEqual({ ok: true })
  })

  it.each([
    [{ kind: 'token', token: ' t0k\n' }, { token: 't0k' }],
    [
      { kind: 'basic', username: 'jo', password: 'p w' },
      { username: 'jo', password: 'p w' },
    ],
    [
      { kind: 'certificate', clientCertificate: '/c.pem ', clientKey: '/k.pem' },
      { clientCertificate: '/c.pem', clientKey: '/k.pem' },
    ],
    [
      { certificateAuthority: '/ca.pem', insecure: true },
      { certificateAuthority: '/ca.pem', insecureSkipTlsVerify: true },
    ],
  ] as const)('of %j are %j', (typed, credentials) => {
    expect(readAuth({ ...EMPTY_AUTH, ...typed }, HTTPS)).toEqual({ ok: true, credentials })
  })

  it.each([
    [{ kind: 'token', token: 'a b' }, 'token'],
    [{ kind: 'basic', password: 'x' }, 'username'],
    [{ kind: 'certificate', clientCertificate: '/c' }, 'clientKey'],
    [{ kind: 'certificate', clientKey: '/k' }, 'clientCertificate'],
  ] as const)('of %j lack %s', (typed, field) => {
    const read = readAuth({ ...EMPTY_AUTH, ...typed }, HTTPS)
    expect(read).toEqual({ ok: false, errors: { [field]: expect.any(String) } })
  })

  it('are not sent unencrypted beyond this machine', () => {
    const form = { ...EMPTY_AUTH, kind: 'token', token: 't' } as const
    expect(readAuth(form, ['http://10.0.0.1/metrics'])).toMatchObject({
      ok: false,
      errors: { kind: expect.any(String) },
    })
    expect(readAuth(form, ['http://127.0.0.1:8001/metrics', 'http://[::1]/metrics']).ok).toBe(true)
  })

  it('are what the contract admits, and fill the form again without the secrets', () => {
    const text = fc.string({ minLength: 1 })
    const form = fc.record({
      kind: fc.constantFrom('token', 'basic', 'certificate'),
      token: text,
      username: text,
      password: text,
      clientCertificate: text,
      clientKey: text,
      certificateAuthority: text,
      insecure: fc.boolean(),
    })
    fc.assert(
      fc.property(form, (typed) => {
        const read = readAuth(typed, HTTPS)
        fc.pre(read.ok)
        const credentials = AddressCredentialsSchema.parse(read.credentials ?? {})
        const again = authFormOf(read.credentials)
        expect(again).toMatchObject({ token: '', password: '' })
        expect(again.insecure).toBe(credentials.insecureSkipTlsVerify === true)
      }),
    )
  })
})
