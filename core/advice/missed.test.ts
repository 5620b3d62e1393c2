import { expect, it } from 'vitest'
import { serverFrame } from '../../test/fixtures/frames.ts'
import { builtInObjects } from '../config/builtIn.ts'
import { defaultFlowSchema, defaultLevel, type ResourceRule, type Subject } from '../config/objects.ts'
import { liveRequest } from '../live/live.fixture.ts'
import { createUsageTally } from './usage.ts'
import { missedAdvice } from './missed.ts'
import { WithoutNamespaceTally } from './missedTally.ts'

const VERSION = 'v1.36.3'
const builtIn = builtInObjects(VERSION)
const ACCOUNT: Subject = { kind: 'ServiceAccount', serviceAccount: { namespace: 'argocd', name: '*' } }
const EVERY = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }

/** Titles of what is advised for a schema with this rule, after requests of an account of its namespace. */
function titles(rule: ResourceRule, more: { subject?: Subject; landed?: string; url?: string; count?: number } = {}) {
  const { subject = ACCOUNT, landed = 'service-accounts', url = '/api/v1/pods?limit=500', count = 10 } = more
  const argocd = defaultFlowSchema({
    metadata: { name: 'argocd' },
    spec: {
      matchingPrecedence: 900,
      priorityLevelConfiguration: { name: 'workload-low' },
      rules: [{ subjects: [subject], resourceRules: [rule] }],
    },
  })
  const tally = new WithoutNamespaceTally()
  const isPath = !url.startsWith('/api')
  for (let n = 0; n < count; n++) {
    const user = 'system:serviceaccount:argocd:controller'
    const groups = ['system:serviceaccounts', 'system:serviceaccounts:argocd', 'system:authenticated']
    const target = { url, verb: isPath ? 'get' : 'list', resource: isPath ? '' : 'pods', namespace: '' }
    tally.take(liveRequest({ seq: n, at: n, user, groups, schema: landed, ...target }))
  }
  const usage = createUsageTally()
  usage.take({ kind: 'frame', frame: serverFrame(0, [], { version: VERSION }) })
  const objects = {
    levels: builtIn.levels.map(defaultLevel),
    schemas: [...builtIn.schemas.map(defaultFlowSchema), argocd],
  }
  return missedAdvice(tally.read(), usage.read().servers, objects).map(({ title }) => title)
}

const SCOPE = ['Let argocd match requests without a namespace']
const PATHS = ['Let argocd match requests for paths']

it('finds requests that the rules leave to a later schema', () => {
  expect(titles({ ...EVERY, namespaces: ['*'] })).toEqual(SCOPE)
  expect(titles({ ...EVERY, namespaces: ['argocd'] })).toEqual(SCOPE)
  expect(titles({ ...EVERY, clusterScope: true }, { url: '/healthz' })).toEqual(PATHS)
})

it.each([
  ['rules that match', titles({ ...EVERY, clusterScope: true, namespaces: ['*'] })],
  ['rules about something else', titles({ ...EVERY, resources: ['secrets'], namespaces: ['*'] })],
  ['an earlier schema', titles({ ...EVERY, namespaces: ['*'] }, { landed: 'exempt' })],
  ['few requests', titles({ ...EVERY, namespaces: ['*'] }, { count: 9 })],
  ['other subjects', titles(EVERY, { subject: { kind: 'User', user: { name: 'alice' } } })],
  [
    'everybody, of whom a schema leaves requests out on purpose',
    titles({ ...EVERY, namespaces: ['*'] }, { subject: { kind: 'Group', group: { name: 'system:authenticated' } } }),
  ],
])('leaves %s alone', (_what, found) => {
  expect(found).toEqual([])
})
