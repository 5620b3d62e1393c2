import { expect, test } from 'vitest'
import { etcdFormOf, readEtcdForm, type EtcdForm } from './etcd.logic.ts'

const START: EtcdForm = { ...etcdFormOf(undefined), kind: 'start' }
const errorsOf = (form: EtcdForm) => {
  const read = readEtcdForm(form)
  return read.ok ? {} : read.errors
}

test('an empty form means the only proxy that runs, read-only, and a start on the usual address', () => {
  expect(readEtcdForm(etcdFormOf(undefined))).toEqual({
    ok: true,
    spec: { kind: 'etcd', of: { kind: 'proxy', editing: false } },
  })
  expect(readEtcdForm(START)).toEqual({
    ok: true,
    spec: {
      kind: 'etcd',
      of: { kind: 'start', name: 'console', upstream: 'http://127.0.0.1:2379', port: 2_381, editing: false },
    },
  })
})

test('what a form means reads back as the same form', () => {
  const forms: readonly EtcdForm[] = [
    { ...etcdFormOf(undefined), name: 'own', editing: true },
    {
      ...START,
      name: 'own',
      port: '',
      upstream: 'https://10.0.0.1:2379',
      rulesFile: '/rules.yaml',
      caFile: '/ca.pem',
      certFile: '/c.pem',
      keyFile: '/k.pem',
      tlsCertFile: '/t.pem',
      tlsKeyFile: '/tk.pem',
      clientCaFile: '/cc.pem',
    },
  ]
  for (const form of forms) {
    const read = readEtcdForm(form)
    expect(read.ok).toBe(true)
    const back = etcdFormOf(read.ok ? read.spec : undefined)
    expect(form.kind === 'start' ? back : { ...form, ...back }).toEqual(form)
  }
})

test('each mistake stands at its field', () => {
  expect(errorsOf({ ...START, name: 'No' })).toHaveProperty('name')
  expect(errorsOf({ ...START, upstream: '127.0.0.1:2379' })).toHaveProperty('upstream')
  expect(errorsOf({ ...START, upstream: 'http://a:b@127.0.0.1' })).toHaveProperty('upstream')
  expect(errorsOf({ ...START, port: '70000' })).toHaveProperty('port')
  expect(errorsOf({ ...START, certFile: '/c.pem' })).toEqual({
    keyFile: 'Certificate and key belong together.',
    clientCaFile: expect.stringContaining('every user of this machine'),
  })
  expect(errorsOf({ ...START, tlsKeyFile: '/k.pem' })).toHaveProperty('tlsCertFile')
  expect(errorsOf({ ...START, clientCaFile: '/k.pem' })).toHaveProperty('clientCaFile')
  expect(errorsOf({ ...etcdFormOf(undefined), upstream: 'of the other form' })).toEqual({})
})
