import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { ownLevelYaml, roleYaml } from './permissionYaml.ts'

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
    const [level, schema] = objects(ownLevelYaml('Jo@Example.com', flow))
    expect(level).toMatchObject({ kind: 'PriorityLevelConfiguration', metadata: { name: 'apf-console' } })
    expect(schema).toMatchObject({
      kind: 'FlowSchema',
      metadata: { name: 'apf-console-jo-example-com' },
      spec: {
        matchingPrecedence: 299,
        priorityLevelConfiguration: { name: 'apf-console' },
        rules: [{ subjects: [{ kind: 'User', user: { name: 'Jo@Example.com' } }] }],
      },
    })
    expect(ownLevelYaml('jo', flow)).toContain('# Its requests go to level shared by schema devs now')
  })

  test('stands before the defaults when that is not known', () => {
    const [, schema] = objects(ownLevelYaml('system:serviceaccount:a:b', undefined))
    expect(schema).toMatchObject({
      spec: {
        matchingPrecedence: 450,
        rules: [{ subjects: [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'a', name: 'b' } }] }],
      },
    })
  })
})
