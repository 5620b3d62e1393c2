import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { Stored } from '../../core/config/schema.ts'
import { findOwnFlow, flowUids, ownLevelYaml, roleYaml } from './ownFlow.ts'

const schema = (name: string, level: string, apiGroups?: readonly string[]): Stored<'FlowSchema'> => ({
  metadata: { name, uid: `fs-${name}` },
  spec: {
    matchingPrecedence: 500,
    priorityLevelConfiguration: { name: level },
    rules: [
      {
        subjects: [],
        ...(apiGroups && { resourceRules: [{ verbs: ['*'], apiGroups: [...apiGroups], resources: ['*'] }] }),
      },
    ],
  },
})
const level = (name: string, type = 'Limited'): Stored<'PriorityLevelConfiguration'> => ({
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

const objects = (yaml: string): unknown[] => parseAllDocuments(yaml).map((document): unknown => document.toJS())

describe('the role that is missing', () => {
  test('names its contents, so that two reports never overwrite each other', () => {
    const [role, binding] = objects(roleYaml('jo', ['objects', 'metrics']))
    expect(role).toEqual({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'apf-console-metrics-objects' },
      rules: [
        { nonResourceURLs: ['/metrics'], verbs: ['get'] },
        {
          apiGroups: ['flowcontrol.apiserver.k8s.io'],
          resources: ['flowschemas', 'prioritylevelconfigurations'],
          verbs: ['get', 'list', 'watch'],
        },
      ],
    })
    expect(binding).toEqual({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'apf-console-metrics-objects:jo' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'apf-console-metrics-objects' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jo' }],
    })
  })

  test('goes to a service account as one', () => {
    const [, binding] = objects(roleYaml('system:serviceaccount:monitoring:apf', ['dumps']))
    expect(binding).toMatchObject({ subjects: [{ kind: 'ServiceAccount', namespace: 'monitoring', name: 'apf' }] })
  })

  test.each(['a: b # c', 'https://issuer/#jo@example.com', '- "x"', 'jo\nkind: Secret'])(
    'is the same YAML whatever the user is called: %j',
    (user) => {
      const parsed = objects(roleYaml(user, ['metrics']))
      expect(parsed).toHaveLength(2)
      expect(parsed[1]).toMatchObject({ kind: 'ClusterRoleBinding', subjects: [{ kind: 'User', name: user }] })
      expect(parsed[1]).not.toMatchObject({ metadata: { name: expect.stringMatching(/[/%]/) } })
    },
  )
})

describe("the console's own level", () => {
  test('is reached before the schema that takes its requests now', () => {
    const flow = { schema: 'devs', level: 'shared', precedence: 300, exempt: false, shared: true }
    const [ownLevel, ownSchema] = objects(ownLevelYaml('Jo@Example.com', flow))
    expect(ownLevel).toMatchObject({ kind: 'PriorityLevelConfiguration', metadata: { name: 'apf-console' } })
    expect(ownSchema).toMatchObject({
      kind: 'FlowSchema',
      metadata: { name: 'apf-console-jo-example-com' },
      spec: {
        matchingPrecedence: 299,
        priorityLevelConfiguration: { name: 'apf-console' },
        rules: [{ subjects: [{ kind: 'User', user: { name: 'Jo@Example.com' } }] }],
      },
    })
    expect(ownLevelYaml('jo', flow)).toContain('# Schema devs currently assigns its requests to level shared')
  })

  test('stands before the defaults when that is not known', () => {
    const [, ownSchema] = objects(ownLevelYaml('system:serviceaccount:a:b', undefined))
    expect(ownSchema).toMatchObject({
      spec: {
        matchingPrecedence: 450,
        rules: [{ subjects: [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'a', name: 'b' } }] }],
      },
    })
  })
})
