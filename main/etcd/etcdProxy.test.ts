import { expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../../core/qos/configuration.ts'
import { standingClock } from '../../test/harness/standingClock.ts'
import { AdmissionGate } from './admissionGate.ts'
import { openEtcdProxy } from './etcdProxy.ts'

const { environment } = standingClock(0)
const gate = new AdmissionGate({ classes: [], rules: [], settings: DEFAULT_SETTINGS }, 'enforce', environment)
const around = { port: 0, gate, now: environment.now }

test('lends its client certificate to nobody who shows none', async () => {
  const upstream = { url: 'https://127.0.0.1:2379', tls: { cert: 'of the proxy', key: 'of the proxy' } }
  await expect(openEtcdProxy({ ...around, upstream })).rejects.toThrow('Every user of this machine would reach etcd')
})

test('listens beyond loopback only for clients with certificates', async () => {
  const upstream = { url: 'http://127.0.0.1:2379', tls: {} }
  await expect(openEtcdProxy({ ...around, upstream, host: '10.0.0.1' })).rejects.toThrow(
    'requires TLS and client certificates',
  )
})
