import { expect, test } from 'vitest'
import { randomOf, seededState } from '../../core/simulate/random.ts'
import { msToNs } from '../../core/units.ts'
import { PRESETS } from '../../core/qos/advise.ts'
import { changeRules } from '../../core/qos/document.ts'
import { QosEngine } from '../../core/qos/engine.ts'
import { DEFAULT_SETTINGS } from '../../core/qos/configuration.ts'
import { keyOperation } from '../../core/qos/record.ts'
import type { QosRequest } from '../../core/qos/request.ts'

const REQUESTS = 1_000_000
const EMPTY = { classes: [], rules: [], settings: DEFAULT_SETTINGS }
const document = {
  classes: PRESETS.flatMap(({ classes }) => classes),
  rules: PRESETS.flatMap(({ rules }) => rules),
}
const KINDS = ['pods', 'leases', 'secrets', 'events', 'configmaps']

/** A request, and the model's verdict: whether any starter rule may match it. */
interface Modelled {
  readonly request: QosRequest
  readonly innocent: boolean
  readonly scannedKeys: number
}

/**
 * The model does not use matching: reads of a prefix with at most 1,000 keys, small writes while the quota is far from
 * used up, and reads of one key are innocent.
 */
function drawn(random: () => number): Modelled {
  const key = `/registry/${KINDS[Math.floor(random() * KINDS.length)] ?? ''}/ns${Math.floor(random() * 30)}/`
  const caller = { user: `u${Math.floor(random() * 50)}`, clientIP: '10.0.0.7' }
  const kind = random()
  if (kind < 0.5)
    return {
      request: { method: 'KV/Range', body: { op: 'Range', key: `${key}x` }, ...caller },
      innocent: true,
      scannedKeys: 1,
    }
  if (kind < 0.7) {
    const scannedKeys = random() < 0.9 ? 500 : 20_000
    const request: QosRequest = {
      method: 'KV/Range',
      body: keyOperation('Range', `${key}${scannedKeys}`, 'prefix'),
      ...caller,
    }
    return { request, innocent: scannedKeys <= 1_000, scannedKeys }
  }
  if (kind < 0.95) {
    const requestBytes = random() < 0.95 ? 900 : 300_000
    return {
      request: { method: 'KV/Put', body: { op: 'Put', key: `${key}y` }, ...caller, requestBytes },
      innocent: requestBytes <= 262_144,
      scannedKeys: 1,
    }
  }
  if (kind < 0.98)
    return { request: { method: 'Auth/Authenticate', name: 'a', ...caller }, innocent: false, scannedKeys: 0 }
  return {
    request: { method: 'KV/Range', body: keyOperation('Range', '', 'prefix'), ...caller },
    innocent: false,
    scannedKeys: 100_000,
  }
}

test('all starter rules together limit no innocent request of a million', { timeout: 120_000 }, () => {
  const { configuration } = changeRules(EMPTY, { action: 'import', document })
  const engine = new QosEngine(configuration, () => undefined)
  engine.setStorageQuotaUsed(0.5)
  const random = randomOf(seededState(7))
  let wronged = 0
  let limited = 0
  for (let i = 0; i < REQUESTS; i++) {
    const { request, innocent, scannedKeys } = drawn(random)
    const at = msToNs(i * 0.5)
    const decision = engine.arrive(request, at)
    if (decision.verdict === 'limited') {
      limited += 1
      if (innocent) wronged += 1
    } else engine.end(decision.id, { ok: true, scannedKeys, responseBytes: 100, latencyMs: 1 }, at)
  }
  expect(wronged).toBe(0)
  // Requests that should be limited are: 2,000 a second are far beyond every class.
  expect(limited).toBeGreaterThan(30_000)
})
