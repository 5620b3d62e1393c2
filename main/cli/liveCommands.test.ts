import { expect, test } from 'vitest'
import type { Lender } from '../../core/live/proxyReach.ts'
import { LISTEN_OPTIONS, listenOf, placeOf } from './liveCommands.ts'
import { readOptions } from './usage.ts'

const read = (identity: Lender['identity'], ...args: string[]) =>
  listenOf(readOptions(args, LISTEN_OPTIONS), { upstream: { kind: 'url' }, identity })

test('a place is a host, a port, or both', () => {
  expect(placeOf('0.0.0.0')).toEqual({ host: '0.0.0.0' })
  expect(placeOf('desk.corp.example:8443')).toEqual({ host: 'desk.corp.example', port: 8443 })
  expect(placeOf('2001:db8::5')).toEqual({ host: '2001:db8::5' })
  expect(placeOf('[2001:db8::5]')).toEqual({ host: '2001:db8::5' })
  expect(placeOf('[::]:8443')).toEqual({ host: '::', port: 8443 })
  expect(placeOf(':8443')).toEqual({ port: 8443 })
  for (const text of ['https://x', 'x:', 'x:70000', '[x]:1', 'a b', '2001:db8::5:', '[::1', ':', 'x:1:2']) {
    expect(() => placeOf(text)).toThrow(/^--listen takes an address of this machine/)
  }
})

test('without options it listens on a free port of loopback', () => {
  expect(read('kubeconfig')).toEqual({ port: 0 })
  expect(read('kubeconfig', '--port', '8443')).toEqual({ port: 8443 })
  expect(read('kubeconfig', '--listen', ':8443')).toEqual({ port: 8443 })
})

test('options say who can connect', () => {
  expect(read('kubeconfig', '--listen', '0.0.0.0:8443', '--tls', '--generate-token')).toEqual({
    port: 8443,
    listen: { host: '0.0.0.0', tls: { kind: 'generated' }, token: { kind: 'generated' } },
  })
  const files = ['--tls-cert', 'c', '--tls-key', 'k', '--client-ca', 'ca', '--token-file', 't']
  expect(read('certificate', '--listen', '::', ...files)).toEqual({
    port: 0,
    listen: {
      host: '::',
      tls: { kind: 'files', certFile: 'c', keyFile: 'k' },
      clientCaFile: 'ca',
      token: { kind: 'file', file: 't' },
    },
  })
})

test('what lends the credentials of a kubeconfig needs no options for a token', () => {
  const lender = { upstream: { kind: 'kubeconfig' }, identity: 'kubeconfig' } as const
  const lent = (...args: string[]) => listenOf(readOptions(args, LISTEN_OPTIONS), lender)
  expect(lent()).toEqual({ port: 0 })
  expect(lent('--listen', '10.0.0.5')).toEqual({ port: 0, listen: { host: '10.0.0.5' } })
  expect(lent('--no-token')).toEqual({ port: 0, listen: { token: { kind: 'none' } } })
})

test('what does not go together is refused with the options that mend it', () => {
  const cases: readonly (readonly [Lender['identity'], readonly string[], RegExp])[] = [
    ['kubeconfig', ['--listen', ':1', '--port', '2'], /--port does not go with it/],
    [
      'kubeconfig',
      ['--listen', '10.0.0.5'],
      /requires TLS\. .* for 10\.0\.0\.5, .* \(--tls, or --tls-cert and --tls-key\)$/,
    ],
    ['kubeconfig', ['--listen', '10.0.0.5', '--tls'], /client token\. .* \(--generate-token or --token-file\)$/],
    ['token', ['--tls', '--generate-token'], /their own token/],
    ['certificate', ['--tls'], /\(--client-ca, with --tls or --tls-cert and --tls-key\)$/],
    ['certificate', ['--client-ca', 'ca'], /require TLS/],
    ['headers', ['--client-ca', 'ca', '--tls'], /\(--identity certificate\)$/],
    ['kubeconfig', ['--tls-cert', 'c'], /go together/],
    ['kubeconfig', ['--tls-cert', 'c', '--tls-key', 'k', '--tls'], /--tls makes/],
    ['kubeconfig', ['--token-file', 't', '--generate-token'], /Give only one of/],
    ['kubeconfig', ['--no-token', '--listen', '10.0.0.5', '--tls'], /requires a client token/],
  ]
  for (const [identity, args, sentence] of cases) expect(() => read(identity, ...args)).toThrow(sentence)
})
