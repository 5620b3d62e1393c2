import { describe, expect, test } from 'vitest'
import { findOwnFlow, flowUids, type LevelObject, type SchemaObject } from './ownFlow.ts'

const schema = (name: string, level: string, apiGroups?: readonly string[]): SchemaObject => ({
  metadata: { name, uid: `fs-${name}` },
  spec: {
    matchingPrecedence: 500,
    priorityLevelConfiguration: { name: level },
    rules: [apiGroups === undefined ? {} : { resourceRules: [{ apiGroups: [...apiGroups] }] }],
  },
})
const level = (name: string, type = 'Limited'): LevelObject => ({
  metadata: { name, uid: `pl-${name}` },
  spec: { type },
})

const schemas = [
  schema('global-default', 'global-default', ['*']),
  schema('exempt', 'exempt', ['*']),
  schema('console', 'console', ['flowcontrol.apiserver.k8s.io']),
  schema('probes', 'mixed'),
  schema('work', 'mixed', ['', 'apps']),
]
const levels = [level('global-default'), level('exempt', 'Exempt'), level('console'), level('mixed')]
const find = (schemaName: string, levelName: string) =>
  findOwnFlow({ schema: `fs-${schemaName}`, level: `pl-${levelName}` }, schemas, levels)

describe('where the requests of the console go', () => {
  test('a level that admits workloads is shared', () => {
    expect(find('global-default', 'global-default')).toEqual({
      schema: 'global-default',
      precedence: 500,
      level: 'global-default',
      exempt: false,
      shared: true,
    })
  })

  test('a level that another schema leads workloads to is shared', () => {
    expect(find('probes', 'mixed')?.shared).toBe(true)
  })

  test('a level of reads of the server alone is not', () => {
    expect(find('console', 'console')?.shared).toBe(false)
  })

  test('the exempt level is told', () => {
    expect(find('exempt', 'exempt')?.exempt).toBe(true)
  })

  test('objects that are not listed leave it unknown', () => {
    expect(find('gone', 'global-default')).toBeUndefined()
    expect(find('work', 'gone')).toBeUndefined()
  })

  test('both headers are needed', () => {
    const both = { 'x-kubernetes-pf-flowschema-uid': 'a', 'x-kubernetes-pf-prioritylevel-uid': 'b' }
    expect(flowUids(both)).toEqual({ schema: 'a', level: 'b' })
    expect(flowUids({ 'x-kubernetes-pf-flowschema-uid': 'a' })).toBeUndefined()
  })
})
