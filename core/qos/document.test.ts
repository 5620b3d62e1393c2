import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changeRules, documentOf } from './document.ts'
import { readRules } from './read.ts'
import { aClass, aConfiguration, aRule } from './qos.fixture.ts'
import { DEFAULT_SETTINGS, type QosConfiguration } from './configuration.ts'

const EMPTY: QosConfiguration = { classes: [], rules: [], settings: DEFAULT_SETTINGS }
const SLOW = { qdisc: 'tbf', qps: 10, burst: 12 }
const PODS = { qClassName: 'slow', priority: 10, ops: ['Range'], prefixPaths: ['/registry/pods/'] }
const withSlow = changeRules(EMPTY, { action: 'add', kind: 'class', name: 'slow', members: SLOW }).configuration
const withPods = changeRules(withSlow, { action: 'add', kind: 'rule', name: 'pods', members: PODS }).configuration

const readBack = (configuration: QosConfiguration): QosConfiguration | undefined =>
  readRules([{ file: 'rules', text: JSON.stringify(documentOf(configuration)) }]).configuration

describe('the document of a configuration', () => {
  test('reads back as the same, whatever is set', () => {
    const limiter = fc.constantFrom(
      { qdisc: 'tbf', qps: 0.5, burst: 3 } as const,
      { qdisc: 'lbf', qps: 2 } as const,
      { qdisc: 'window', limit: 5, windowMs: 500 } as const,
    )
    const overflow = fc.constantFrom(
      { action: 'reject' } as const,
      {
        action: 'delay',
        maxDelayMs: 5,
        maxWaiting: 2,
      } as const,
    )
    const groupBy = fc.constantFrom({ by: 'user' } as const, { by: 'prefix', segments: 3 } as const)
    const rule = fc.constantFrom(
      aRule('every'),
      aRule('r', { ops: ['Put'], minRetry: 2, scope: 'rule', keyMatch: 'within', prefixPaths: [String.raw`/a\xff/`] }),
      aRule('off', { enabled: false, subjects: [{ user: 'a*', clientIP: '10.0.0.0/8' }], methods: ['KV/Range'] }),
      aRule('c', { conditions: [{ kind: 'ScanKeyNum', threshold: 7 }], ranges: [{ key: '/a', rangeEnd: '/b' }] }),
    )
    fc.assert(
      fc.property(limiter, overflow, groupBy, rule, (one, over, by, each) => {
        const configuration = aConfiguration(
          [aClass('c', one, { overflow: over, groupBy: by, cost: 'requestBytes', maxGroups: 7 })],
          [each],
          { composite: 'reject', estimator: 'lru+stats', message: 'named', trackerCapacity: 20 },
        )
        expect(readBack(configuration)).toEqual(configuration)
      }),
    )
  })
})

describe('changes of rules', () => {
  test('add, update and remove', () => {
    expect(withPods.rules[0]).toMatchObject({ name: 'pods', priority: 10, enabled: true })
    const off = changeRules(withPods, {
      action: 'update',
      kind: 'rule',
      name: 'pods',
      members: { enabled: false, prefixPaths: null },
    }).configuration
    expect(off.rules[0]).toMatchObject({ enabled: false, prefixPaths: [], ops: ['Range'] })
    const removed = changeRules(off, { action: 'remove', kind: 'rule', name: 'pods' }).configuration
    expect(removed.rules).toEqual([])
    expect(changeRules(removed, { action: 'remove', kind: 'class', name: 'slow' }).configuration).toEqual(EMPTY)
  })

  test.each([
    [{ action: 'add', kind: 'class', name: 'slow', members: SLOW }, 'There is a class “slow” already'],
    [{ action: 'update', kind: 'class', name: 'fast', members: SLOW }, 'There is no class “fast”.'],
    [{ action: 'remove', kind: 'rule', name: 'none' }, 'There is no rule “none”.'],
    [{ action: 'remove', kind: 'class', name: 'slow' }, 'The class “slow” is in use by “pods”'],
    [{ action: 'add', kind: 'rule', name: 'r', members: { ...PODS, qClassName: 'slo' } }, 'did you mean “slow”?'],
    [{ action: 'add', kind: 'rule', name: 'r', members: { ...PODS, wrong: 1 } }, 'wrong'],
    [{ action: 'add', kind: 'rule', name: 'r', members: PODS }, 'have the same priority 10 and both match Range'],
    [{ action: 'update', kind: 'class', name: 'slow', members: { burst: null } }, 'burst is missing'],
    [{ action: 'import', document: [] }, 'Rules to import are a map'],
    [{ action: 'import', document: { rules: [{ name: 'r', qClassName: 'c', priority: 1 }] } }, 'There is no class'],
  ] as const)('refuses %j', (change, sentence) => {
    expect(() => changeRules(withPods, change)).toThrow(sentence)
  })

  test('enabling a rule checks for conflicts again, and a warning comes with what is accepted', () => {
    const twin = { ...PODS, enabled: false }
    const both = changeRules(withPods, { action: 'add', kind: 'rule', name: 'twin', members: twin }).configuration
    const enable = { action: 'update', kind: 'rule', name: 'twin', members: { enabled: true } } as const
    expect(() => changeRules(both, enable)).toThrow('have the same priority')
    const puts = changeRules(both, { action: 'add', kind: 'rule', name: 'puts', members: { ...PODS, ops: ['Put'] } })
    expect(puts.warnings.map(({ severity }) => severity)).toEqual(['warning'])
  })

  test('an import replaces everything', () => {
    const document = { classes: [{ name: 'only', qdisc: 'lbf', qps: 1 }] }
    expect(changeRules(withPods, { action: 'import', document }).configuration).toMatchObject({
      classes: [{ name: 'only' }],
      rules: [],
    })
  })
})
