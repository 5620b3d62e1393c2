import { expect, test } from 'vitest'
import type { EtcdState } from '../contract/etcd.ts'
import { createAnonymiser } from '../source/anonymise.ts'
import { PUBLIC_WORDS } from '../source/publicWords.ts'
import { QDISCS } from './configuration.ts'
import { classText } from './describe.ts'
import { levelText, requestText } from './explain.ts'
import { CONDITION_KINDS, COSTS, METHODS, OPS } from './operations.ts'
import { readRules } from './read.ts'
import { STORY_RULES } from './story.ts'

const anonymiser = createAnonymiser((word) => `name-${word.length}`)

const shown = (part: Partial<EtcdState>): EtcdState => {
  const event = anonymiser.event({ kind: 'etcd', state: { ...STATE, ...part } })
  if (event.kind !== 'etcd') throw new Error('it became another event')
  return event.state
}

const STATE: EtcdState = {
  at: 1,
  url: 'http://10.20.30.40:2381',
  upstream: 'http://etcd.acme.example:2379',
  mode: 'enforce',
  revision: 1,
  editable: true,
  counts: { passed: 1, delayed: 2, limited: 3 },
  unread: 0,
  watches: 0,
  storage: { usedBytes: 1, allocatedBytes: 2, quotaBytes: 3, quotaFrom: 'metrics', gap: 0 },
  tracker: { entries: 0, capacity: 1, hits: 0, misses: 0, evictions: 0 },
  classes: [],
  rules: [],
  seconds: [],
  rateSeconds: 10,
  rates: [],
  top: { scan: [], traffic: [], latency: [] },
  limited: [],
  slow: [],
}
const REQUEST = {
  at: 1,
  method: 'KV/Range',
  user: 'alice',
  clientIP: '10.0.0.1',
  verdict: 'limited',
  reason: 'rate',
} as const

test('the words of the rules engine name nobody', () => {
  const ops = METHODS.filter((method) => OPS.some((op) => method.endsWith(`/${op}`))).flatMap((one) => one.split('/'))
  const words = [...OPS, ...QDISCS, ...COSTS, ...CONDITION_KINDS, ...ops]
  expect(words.filter((word) => !PUBLIC_WORDS.has(word))).toEqual([])
})

test('of a request its method, its resource and its options stay', () => {
  const text = (request: string): string | undefined =>
    shown({ limited: [{ ...REQUEST, request }] }).limited[0]?.request
  expect(text('KV/Range /registry/pods/payments/a (prefix) limit 500')).toBe(
    'KV/Range /registry/pods/name-8/name-1 (prefix) limit 500',
  )
  expect(text('KV/Range /tenants/4711 (to /tenants/4712)')).toBe('KV/Range /name-7/name-4 (to /name-7/name-4)')
  expect(text('KV/Txn Put /registry/secrets/hush; 3 more')).toBe('KV/Txn Put /registry/secrets/name-4; 3 more')
  expect(text(requestText({ method: 'Auth/Authenticate', name: 'alice', user: '', clientIP: '' }))).toBe(
    'Auth/Authenticate name-5',
  )
  expect(shown({ limited: [{ ...REQUEST, request: 'KV/Put /a' }] }).limited[0]).toMatchObject({
    method: 'KV/Range',
    verdict: 'limited',
    reason: 'rate',
    user: 'name-5',
    clientIP: 'name-8',
  })
})

test('classes stay as they are but for their names and groups, and nothing that was named is left', () => {
  const { configuration } = readRules([{ file: 'story', text: STORY_RULES }])
  const classes = (configuration?.classes ?? []).map((one) => ({
    name: one.name,
    document: { name: one.name, qdisc: one.limiter.qdisc },
    summary: classText(one),
    groups: [
      { group: 'alice', level: LEVEL, text: levelText(LEVEL), waiting: 0 },
      { group: 'bob', level: LEVEL, text: 'alice waits', waiting: 0 },
    ],
    groupCount: 2,
    waiting: 0,
  }))
  const found = shown({ classes }).classes
  expect(found.map(({ summary }) => summary)).toEqual(classes.map(({ summary }) => summary))
  expect(found[0]?.groups).toMatchObject([
    { group: 'name-5', level: LEVEL, text: levelText(LEVEL) },
    { group: 'name-3', text: 'Removed when the recording was anonymised.' },
  ])
  expect(JSON.stringify(shown({ classes }))).not.toMatch(/alice|acme|10\.20/)
})

const LEVEL = { qdisc: 'tbf', tokens: 0.125, burst: 12, qps: 10 } as const

test('members of rules that the format does not define are dropped', () => {
  const document = { name: 'a', qdisc: 'tbf', qps: 5, acmeTenant: 7, subjects: [{ user: 'alice', alice: true }] }
  const one = { name: 'a', document, summary: '', groups: [], groupCount: 0, waiting: 0 }
  expect(shown({ classes: [one], settings: { message: 'named', acme: 1 } })).toMatchObject({
    classes: [{ document: { name: 'name-1', qdisc: 'tbf', qps: 5, subjects: [{ user: 'name-5' }] } }],
  })
  expect(JSON.stringify(shown({ classes: [one], settings: { acme: 1 } }))).not.toMatch(/acme|alice/)
})
