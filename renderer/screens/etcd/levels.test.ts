import { describe, expect, it } from 'vitest'
import { readRules } from '../../../core/qos/read.ts'
import { etcdFixture } from '../../../core/qos/etcd.fixture.ts'
import { rulesFileText } from './exportRules.ts'
import { byTightness, isSpent, type Level, shortLevel } from './levels.ts'

const tbf = (tokens: number): Level => ({ qdisc: 'tbf', tokens, burst: 12, qps: 10 })
const window = (used: number): Level => ({ qdisc: 'window', used, limit: 100, windowMs: 1_000 })

describe('the level of a class in a few characters', () => {
  it.each<[Level, string, boolean]>([
    [tbf(3.4), '3.4/12', false],
    [tbf(0.9), '0.9/12', true],
    [{ qdisc: 'lbf', freeInMs: 0, qps: 2 }, 'free', false],
    [{ qdisc: 'lbf', freeInMs: 400, qps: 2 }, '400 ms', true],
    [{ qdisc: 'maxinflight', inFlight: 5, num: 5 }, '5/5', true],
    [window(99), '99', false],
    [window(200), '200', true],
  ])('%j is %s', (level, text, spent) => {
    expect(shortLevel(level)).toBe(text)
    expect(isSpent(level)).toBe(spent)
  })

  it('goes by the group that is nearest to being limited', () => {
    const [one] = etcdFixture.classes
    if (one === undefined) throw new Error('there are classes')
    const groups = [80, 95, 20].map((used) => ({ group: `u${used}`, level: window(used), text: '', waiting: 0 }))
    expect(byTightness({ ...one, groups }).map(({ group }) => group)).toEqual(['u95', 'u80', 'u20'])
    const buckets = [5, 1, 12].map((tokens) => ({ group: `t${tokens}`, level: tbf(tokens), text: '', waiting: 0 }))
    expect(byTightness({ ...one, groups: buckets })[0]?.group).toBe('t1')
  })
})

it('the rules in effect are a file that reads back', () => {
  const text = rulesFileText({ ...etcdFixture, settings: { tracker: { capacity: 500, estimator: 'lru+stats' } } })
  const { configuration, findings } = readRules([{ file: 'rules.yaml', text }])
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
  expect(configuration?.rules.map(({ name }) => name)).toEqual(['rule-event', 'rule-off'])
  expect(configuration?.settings).toMatchObject({ trackerCapacity: 500, estimator: 'lru+stats' })
})
