import { expect, test } from 'vitest'
import { beyondForm, CLASS_FIELDS, changeOf, classMembers, RULE_FIELDS, ruleMembers, typedOf } from './forms.logic.ts'

const RULE = {
  name: 'rule-slowlog',
  qClassName: 'slow',
  priority: 10,
  ops: ['Range', 'Put'],
  subjects: [{ user: 'alice', clientIP: '10.0.0.0/8' }],
  conditions: [{ kind: 'ScanKeyNum', threshold: 1_000 }],
}

test('a rule that is not touched is given as it is', () => {
  const typed = typedOf(RULE, RULE_FIELDS)
  expect(typed).toMatchObject({ ops: 'Range, Put', priority: '10', condition: 'ScanKeyNum', threshold: '1000' })
  const { name: _, ...members } = RULE
  expect(ruleMembers(typed, RULE)).toEqual({ ...members, prefixPaths: null })
})

test('what is emptied is taken away, and what is no number is left for the rules engine to refuse', () => {
  const typed = { ...typedOf(RULE, RULE_FIELDS), ops: '', condition: '', user: ' ', priority: 'ten' }
  expect(ruleMembers(typed, RULE)).toMatchObject({ ops: null, conditions: null, subjects: null, priority: 'ten' })
  for (const threshold of ['many', '1e999', 'NaN']) {
    const { conditions } = ruleMembers({ ...typedOf(RULE, RULE_FIELDS), threshold }, RULE)
    expect(JSON.parse(JSON.stringify(conditions))).toEqual([{ kind: 'ScanKeyNum', threshold }])
  }
})

test('conditions and callers beyond the form stay as they are', () => {
  const several = { ...RULE, conditions: [...RULE.conditions, { kind: 'RequestSize', threshold: 1 }] }
  expect(beyondForm(several)).toBe(true)
  expect(ruleMembers(typedOf(several, RULE_FIELDS), several)).not.toHaveProperty('conditions')
})

test('another discipline takes the parameters of the one before away', () => {
  const typed = { ...typedOf({ qdisc: 'tbf', qps: 10, burst: 12 }, CLASS_FIELDS), qdisc: 'maxinflight', num: '5' }
  const members = classMembers(typed)
  expect(members).toMatchObject({ qdisc: 'maxinflight', num: 5, qps: null, burst: null, limit: null })
  expect(changeOf('class', 'c', members, true)).toEqual({ action: 'update', kind: 'class', name: 'c', members })
})
