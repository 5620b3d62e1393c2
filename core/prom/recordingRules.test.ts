import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { recordingRules, rulesYaml } from './recordingRules.ts'

test('recording rules are expressions of all servers, one of each level, named as Prometheus recommends', () => {
  const rules = recordingRules({ version: 'v1.36.3', intervalMs: 15_000 })
  expect(rules).toHaveLength(7)
  expect(new Set(rules.map(({ record }) => record)).size).toBe(7)
  for (const { record, expr, saves } of rules) {
    expect(record).toMatch(/^priority_level:[a-z_]+:[a-z0-9]+$/)
    expect(expr).not.toContain('instance')
    expect(expr).toContain('sum without (flow_schema')
    expect(saves).toMatch(/^Saves on .*\.$/)
  }
})

test('the file is YAML with the expressions as they are', () => {
  const rules = recordingRules({ version: 'v1.36.3', intervalMs: 15_000 })
  const text = rulesYaml(rules, 15_000)
  expect(parse(text)).toEqual({
    groups: [{ name: 'apf-console', interval: '15s', rules: rules.map(({ record, expr }) => ({ record, expr })) }],
  })
  for (const { saves } of rules) expect(text).toContain(`# ${saves}`)
  expect(rulesYaml(rules)).toContain('interval: 30s')
})

test('a version with an earlier name of a family has the rule under that name', () => {
  const expressions = (version: string) => recordingRules({ version, intervalMs: undefined }).map(({ expr }) => expr)
  expect(expressions('v1.27.0').filter((expr) => expr.includes('request_concurrency_in_use'))).toHaveLength(1)
  expect(expressions('v1.36.3').join(' ')).not.toContain('request_concurrency_in_use')
  expect(expressions('v1.27.0')).toHaveLength(expressions('v1.36.3').length)
})
