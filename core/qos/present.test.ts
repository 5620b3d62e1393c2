import { expect, test } from 'vitest'
import type { EtcdState } from '../contract/etcd.ts'
import { sentenceText } from '../answer/answer.ts'
import { plain } from '../text/format.ts'
import { etcdFixture } from './etcd.fixture.ts'
import { presentEtcd, previewSentence, remedyOf } from './present.ts'

const etcdSentence = (state: EtcdState): string => sentenceText(presentEtcd(state).title, plain)

const second = (limited: number): EtcdState['seconds'][number] => ({
  second: 1,
  passed: 5,
  delayed: 0,
  limited,
  requestBytes: 0,
  responseBytes: 0,
})

test('says what is limited now, and what limits most', () => {
  expect(etcdSentence(etcdFixture)).toBe(
    'The store is at 93 % of its quota. 2 requests per second are limited, most by rule-event.',
  )
  expect(etcdSentence({ ...etcdFixture, mode: 'observe' })).toContain('would be limited')
  expect(etcdSentence({ ...etcdFixture, seconds: [second(0)], storage: null })).toBe('No request is limited now.')
  expect(etcdSentence({ ...etcdFixture, rules: [], storage: null })).toBe('No rules: every request passes.')
})

test('each reason has its remedy', () => {
  const [limited] = etcdFixture.limited
  if (limited === undefined) throw new Error('the fixture has none')
  const remedies = ['rate', 'inflight', 'window', 'delay-too-long', 'waiting-full'].map((reason) =>
    sentenceText(remedyOf({ ...limited, reason }), plain),
  )
  expect(new Set(remedies).size).toBe(5)
  expect(remedies[0]).toBe(
    'event had nothing left. One unit was free 388 ms later. Send fewer such requests, or raise its rate.',
  )
})

test('a preview says of how many requests, and over which time', () => {
  const verdicts = { passed: 8, delayed: 1, limited: 2 }
  const preview = {
    requests: 11,
    spanMs: 60_000,
    would: verdicts,
    did: { ...verdicts, limited: 0 },
    rules: [],
    limited: [],
  }
  expect(sentenceText(previewSentence(preview), plain)).toBe(
    'Would have limited 2 and delayed 1 of the last 11 requests (1 min). The rules of that time limited 0.',
  )
  expect(sentenceText(previewSentence({ ...preview, requests: 0 }), plain)).toBe(
    'There are no requests to preview it on.',
  )
})
