import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PROXY_IDENTITIES } from '../contract/live.ts'
import { isLoopback, lendingSentence, reachOf, reachProblem, tryCommand } from './proxyReach.ts'

const reach = fc.record({
  host: fc.constantFrom(
    '127.0.0.1',
    'LOCALHOST',
    '::1',
    '127.8.9.1',
    '0.0.0.0',
    '::',
    '10.0.0.5',
    '127.0.0.1.evil',
    'desk',
  ),
  identity: fc.constantFrom(...PROXY_IDENTITIES),
  tls: fc.boolean(),
  token: fc.boolean(),
  clientCa: fc.boolean(),
})

describe('who can connect', () => {
  test('beyond loopback, only clients with TLS and a token', () => {
    fc.assert(
      fc.property(reach, (one) => {
        fc.pre(reachProblem(one) === undefined && !isLoopback(one.host))
        expect(one.tls && (one.token || one.identity === 'token')).toBe(true)
      }),
    )
  })

  test('with certificates, only if their CA is set, and TLS', () => {
    fc.assert(
      fc.property(reach, (one) => {
        fc.pre(reachProblem(one) === undefined)
        expect(one.clientCa).toBe(one.identity === 'certificate')
        expect(one.clientCa && !one.tls).toBe(false)
      }),
    )
  })

  test('on loopback, every user of this machine, as before', () => {
    const plain = { host: '127.0.0.1', tls: false, token: false, clientCa: false } as const
    for (const identity of ['kubeconfig', 'token', 'headers'] as const)
      expect(reachProblem({ ...plain, identity })).toBeUndefined()
  })

  test('is fixed in the field that the problem names', () => {
    fc.assert(
      fc.property(reach, (one) => {
        const problem = reachProblem(one)
        fc.pre(problem !== undefined)
        const mended = {
          tls: { ...one, tls: true },
          token: { ...one, token: one.identity !== 'token' },
          identity: { ...one, tls: true, clientCa: true },
          clientCa: { ...one, clientCa: false },
        }[problem.field]
        expect(reachProblem(mended)?.sentence).not.toBe(problem.sentence)
        expect(problem.sentence).toMatch(/\. [A-Z].+\.$/)
      }),
    )
  })
})

describe('a proxy that lends the credentials of its kubeconfig', () => {
  const upstream = { kind: 'kubeconfig' } as const
  const token = { kind: 'generated' } as const

  test('requires a token unless configured otherwise', () => {
    expect(reachOf({ upstream, identity: 'kubeconfig' })).toEqual({ tls: { kind: 'generated' }, token })
    expect(reachOf({ upstream, identity: 'headers' })).toEqual({ token })
    const files = { kind: 'files', certFile: 'c', keyFile: 'k' } as const
    expect(reachOf({ upstream, identity: 'kubeconfig', listen: { tls: files } })).toEqual({ tls: files, token })
    const none = { token: { kind: 'none' } } as const
    expect(reachOf({ upstream, identity: 'kubeconfig', listen: none })).toBe(none)
    for (const identity of ['token', 'certificate'] as const) expect(reachOf({ upstream, identity })).toEqual({})
    expect(reachOf({ upstream: { kind: 'url' }, identity: 'kubeconfig' })).toEqual({})
  })

  test('reports whose permissions they are', () => {
    expect(lendingSentence({ upstream, identity: 'kubeconfig' }, 'admin')).toBe(
      'Every client with the proxy’s token acts as admin, with all of that user’s permissions.',
    )
    expect(lendingSentence({ upstream, identity: 'headers', listen: { token: { kind: 'none' } } })).toBe(
      'Every user of this machine can act as any user that the user of the kubeconfig may impersonate.',
    )
    expect(lendingSentence({ upstream, identity: 'token' })).toBeUndefined()
  })
})

test('a test command exists where kubectl can connect', () => {
  const address = 'http://127.0.0.1:1'
  const token = false
  const withToken = `curl -H "Authorization: Bearer $TOKEN" ${address}/version`
  expect(tryCommand({ identity: 'kubeconfig', token, address })).toBe('kubectl --server http://127.0.0.1:1 get pods')
  expect(tryCommand({ identity: 'token', token, address })).toBe(withToken)
  expect(tryCommand({ identity: 'kubeconfig', token: true, address })).toBe(withToken)
  expect(tryCommand({ identity: 'kubeconfig', token: true, address, clientKubeconfig: '/k' })).toBe(
    'kubectl --kubeconfig /k get pods',
  )
  expect(tryCommand({ identity: 'headers', token, address })).toMatch(/^curl -H 'X-Remote-User: alice' /)
  expect(tryCommand({ identity: 'headers', token: true, address: 'https://a:1', clientKubeconfig: '/k' })).toBe(
    `curl --cacert certificate.pem -H 'X-Remote-User: alice' -H "Authorization: Bearer $TOKEN" https://a:1/version`,
  )
  expect(tryCommand({ identity: 'token', token, address, clientKubeconfig: "/it's mine/k" })).toBe(
    `kubectl --kubeconfig '/it'\\''s mine/k' --token "$TOKEN" get pods`,
  )
  expect(tryCommand({ identity: 'certificate', token, address, clientKubeconfig: '/k' })).toMatch(
    /^kubectl --kubeconfig \/k --client-certificate \S+ --client-key \S+ get pods$/,
  )
})
