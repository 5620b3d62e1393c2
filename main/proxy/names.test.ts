import { X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { selfSigned } from '../../test/harness/hostileServerCertificates.ts'
import { ownNames, reachedAs } from './names.ts'

const certificate = new X509Certificate(
  selfSigned({ name: 'x', dns: ['apf.corp.example', '*.apf.corp.example'], ips: ['10.0.0.5'] }).cert,
)
const NONE = ['', ':', ':8443', 'evil.example', 'evil.example:8443', 'a b:8443', 'x@localhost:8443', 'localhost:8443/']

describe('names of a proxy', () => {
  test('on loopback are those of loopback, at its port', () => {
    const names = ownNames({ scheme: 'http', hosts: ['127.0.0.1'], port: 8443 })
    for (const one of ['127.0.0.1:8443', 'localhost:8443', '[::1]:8443']) expect(names.has(one)).toBe(true)
    for (const one of [...NONE, 'localhost', '127.0.0.1:80', '10.0.0.5:8443', 'apf.corp.example:8443']) {
      expect([one, names.has(one)]).toEqual([one, false])
    }
  })

  test('are without the usual port where it listens on that', () => {
    const plain = ownNames({ scheme: 'http', hosts: ['127.0.0.1'], port: 80 })
    expect(['localhost', '127.0.0.1:80', '[::1]'].map((one) => plain.has(one))).toEqual([true, true, true])
    expect(plain.has('localhost:443')).toBe(false)
    const secure = ownNames({ scheme: 'https', hosts: ['127.0.0.1'], port: 443, certificate })
    expect(['localhost', 'apf.corp.example', 'apf.corp.example:443'].map((one) => secure.has(one))).toEqual([
      true,
      true,
      true,
    ])
    expect(['localhost:80', 'apf.corp.example:80', '10.0.0.5'].map((one) => secure.has(one))).toEqual([
      false,
      false,
      false,
    ])
  })

  test('beyond loopback are addresses, and names of the certificate, at any port', () => {
    const names = ownNames({ scheme: 'https', hosts: ['0.0.0.0', '10.0.0.5'], port: 8443, certificate })
    const ours = [
      '10.0.0.5:8443',
      '192.0.2.7',
      '[2001:db8::1]:443',
      'apf.corp.example',
      'a.apf.corp.example:9',
      'localhost:8443',
    ]
    for (const one of ours) expect([one, names.has(one)]).toEqual([one, true])
    for (const one of [...NONE, 'corp.example:8443', 'a.b.apf.corp.example', 'localhost', '0x0a000005:8443']) {
      expect([one, names.has(one)]).toEqual([one, false])
    }
  })
})

test('clients reach every address of a machine that listens on all of them', () => {
  const machine = ['10.0.0.5', '2001:db8::5', 'desk']
  expect(reachedAs('10.0.0.5', machine)).toEqual(['10.0.0.5'])
  expect(reachedAs('localhost', machine)).toEqual(['localhost'])
  expect(reachedAs('0.0.0.0', machine)).toEqual(['10.0.0.5', 'desk'])
  expect(reachedAs('::', machine)).toEqual(machine)
  expect(reachedAs('0.0.0.0', [])).toEqual(['127.0.0.1', 'localhost', '::1'])
})
