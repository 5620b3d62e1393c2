import { expect, test } from 'vitest'
import { badGateway } from './proxyServer.ts'

const BASE = new URL('https://10.0.0.1:6443/k8s/')
const failed = (message: string, code: string): string =>
  badGateway(Object.assign(new Error(message), { code }), BASE).sentence

test('what is known has its sentence, anything else says why', () => {
  expect(failed('connect ECONNREFUSED', 'ECONNREFUSED')).toBe(
    'Nothing listens at 10.0.0.1:6443; check the port, and that the server runs.',
  )
  expect(failed('getaddrinfo EAI_AGAIN', 'EAI_AGAIN')).toMatch(
    /^The name of 10\.0\.0\.1:6443 could not be looked up now;/,
  )
  expect(failed('connect EMFILE 10.0.0.1:6443', 'EMFILE')).toBe(
    '10.0.0.1:6443 could not be read; the details show the cause: connect EMFILE 10.0.0.1:6443.',
  )
})
