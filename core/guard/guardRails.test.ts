import { describe, expect, it } from 'vitest'
import { levelFrame, schemaFrame, serverFrame } from '../../test/fixtures/frames.ts'
import { builtInObjects } from '../config/builtIn.ts'
import {
  AUTOUPDATE_ANNOTATION,
  type FlowSchema,
  type ObjectMeta,
  type ObjectSet,
  type PriorityLevelConfiguration,
  type Queuing,
  type Subject,
} from '../config/objects.ts'
import { type GuardFinding, type GuardRail, type GuardSeverity, GUARD_RAILS } from './finding.ts'
import { guardRails } from './guardRails.ts'
import type { GuardContext } from './changes.ts'

const VERSION = 'v1.36.3'
const builtIn = builtInObjects(VERSION)

const queue = (queues: number, handSize: number): { type: string; queuing: Queuing } => ({
  type: 'Queue',
  queuing: { queues, handSize, queueLengthLimit: 50 },
})
const REJECT = { type: 'Reject' }
type Limited = NonNullable<PriorityLevelConfiguration['spec']['limited']>
const level = (
  name: string,
  shares: number,
  limitResponse: Limited['limitResponse'],
  more: Partial<Limited> = {},
): PriorityLevelConfiguration => ({
  metadata: { name },
  spec: { type: 'Limited', limited: { nominalConcurrencyShares: shares, limitResponse, ...more } },
})

const group = (name: string): Subject => ({ kind: 'Group', group: { name } })
const account = (namespace: string, name: string): Subject => ({
  kind: 'ServiceAccount',
  serviceAccount: { namespace, name },
})
const schema = (
  name: string,
  matchingPrecedence: number,
  levelName: string,
  ...subjects: readonly Subject[]
): FlowSchema => ({
  metadata: { name },
  spec: {
    priorityLevelConfiguration: { name: levelName },
    matchingPrecedence,
    rules: [
      {
        subjects,
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      },
    ],
  },
})

interface Edit {
  readonly levels?: readonly PriorityLevelConfiguration[]
  readonly schemas?: readonly FlowSchema[]
  readonly without?: readonly string[]
}
function edited({ levels = [], schemas = [], without = [] }: Edit, from: ObjectSet = builtIn): ObjectSet {
  const stays =
    (changed: readonly { readonly metadata: ObjectMeta }[]) => (object: { readonly metadata: ObjectMeta }) =>
      !without.includes(object.metadata.name) && !changed.some(({ metadata }) => metadata.name === object.metadata.name)
  return {
    levels: [...from.levels.filter(stays(levels)), ...levels],
    schemas: [...from.schemas.filter(stays(schemas)), ...schemas],
  }
}

const CONTEXT: GuardContext = { version: VERSION, serverLimit: 600, origin: 'cluster' }
const rails = (edit: Edit, context: Partial<GuardContext> = {}, before = builtIn): readonly GuardFinding[] =>
  guardRails({ before, after: edited(edit, before), context: { ...CONTEXT, ...context } })

/** Codes and severities of the findings of one rail. */
const told = (findings: readonly GuardFinding[], rail: GuardRail): readonly (readonly [string, GuardSeverity])[] =>
  findings
    .filter(({ code, severity }) => code.startsWith(`${rail}/`) && severity !== 'passes')
    .map(({ code, severity }) => [code.slice(rail.length + 1), severity])
const find = (findings: readonly GuardFinding[], code: string): GuardFinding => {
  const found = findings.find((finding) => finding.code === code)
  if (found === undefined) throw new Error(`no finding ${code} among ${findings.map((one) => one.code).join(', ')}`)
  return found
}
const annotated = <T extends { readonly metadata: ObjectMeta }>(object: T, more: Partial<ObjectMeta>): T => ({
  ...object,
  metadata: { ...object.metadata, ...more },
})

describe('guardRails', () => {
  it('passes on every rail when nothing changes', () => {
    const findings = rails({})
    expect(findings.filter(({ severity }) => severity !== 'passes')).toEqual([])
    const railsTold = new Set(findings.map(({ code }) => code.split('/')[0]))
    expect([...railsTold]).toEqual(GUARD_RAILS.filter((rail) => rail !== 'saved-tests' && rail !== 'own-access'))
  })

  it('says the same for the same question, and defaults do not matter', () => {
    const bare = {
      metadata: { name: 'bare' },
      spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
    }
    expect(rails({ levels: [bare] })).toEqual(rails({ levels: [bare] }))
    expect(rails({ levels: [level('bare', 30, REJECT, { lendablePercent: 0 })] })).toEqual(rails({ levels: [bare] }))
  })

  it('puts the most severe finding of a rail first', () => {
    const order: readonly GuardSeverity[] = ['blocks', 'warns', 'expected', 'passes']
    const findings = rails({
      levels: [level('bad', 5, REJECT)],
      schemas: [schema('grab', 3, 'bad', group('system:nodes'))],
    })
    const system = findings
      .filter(({ code }) => code.startsWith('system-traffic/'))
      .map(({ severity }) => order.indexOf(severity))
    expect(system).toEqual(system.toSorted((a, b) => a - b))
    expect(system[0]).toBe(0)
  })
})

describe('reconciler', () => {
  const fewer = level('workload-low', 50, queue(128, 6), { lendablePercent: 90 })

  it('offers the annotation that makes the server keep the edit', () => {
    const edit = annotated(fewer, { annotations: { [AUTOUPDATE_ANNOTATION]: 'true' } })
    const { severity, remedy } = find(rails({ levels: [edit] }), 'reconciler/put-back')
    expect(severity).toBe('warns')
    expect(remedy?.fix).toEqual({
      action: 'set',
      object: { kind: 'PriorityLevelConfiguration', name: 'workload-low' },
      path: ['metadata', 'annotations', AUTOUPDATE_ANNOTATION],
      value: 'false',
    })
    const kept = annotated(fewer, { annotations: { [AUTOUPDATE_ANNOTATION]: 'false' } })
    expect(told(rails({ levels: [kept] }), 'reconciler')).toEqual([])
  })

  it('blocks an object that the server deletes, and says which deleted ones come back', () => {
    const owned = annotated(level('own', 5, REJECT), { annotations: { [AUTOUPDATE_ANNOTATION]: 'true' } })
    expect(told(rails({ levels: [owned] }), 'reconciler')).toEqual([['deleted', 'blocks']])
    expect(told(rails({ without: ['service-accounts'] }), 'reconciler')).toEqual([['recreated', 'warns']])
  })

  it('only says of a proxy what a server would do: its engine keeps the edit', () => {
    const owned = annotated(level('own', 5, REJECT), { annotations: { [AUTOUPDATE_ANNOTATION]: 'true' } })
    const edit = annotated(fewer, { annotations: { [AUTOUPDATE_ANNOTATION]: 'true' } })
    const findings = rails({ levels: [edit, owned] }, { origin: 'proxy' })
    expect(told(findings, 'reconciler')).toEqual([
      ['deleted', 'expected'],
      ['put-back', 'expected'],
    ])
    expect(find(findings, 'reconciler/put-back').message).toMatch(/^The engine of the proxy keeps this edit\. The API/)
  })
})

describe('vendor', () => {
  const own = (name: string, more: Partial<ObjectMeta>) => annotated(level(name, 5, REJECT), more)
  const edits = (object: PriorityLevelConfiguration, to = level(object.metadata.name, 6, REJECT)) =>
    rails({ levels: [to] }, {}, edited({ levels: [object] }))

  it.each([
    ['Amazon EKS', own('eks-monitoring', {})],
    ['Amazon EKS', own('x', { managedFields: [{ manager: 'eks-internal' }] })],
    ['OpenShift', own('openshift-control-plane-operators', {})],
    ['OpenShift', own('x', { managedFields: [{ manager: 'cluster-version-operator' }] })],
    ['Azure AKS', own('aks-managed-apiserver-guard', {})],
    ['Deckhouse', own('x', { labels: { heritage: 'deckhouse' } })],
    ['the addon manager', own('x', { labels: { 'addonmanager.kubernetes.io/mode': 'Reconcile' } })],
    ['Argo CD', own('x', { annotations: { 'argocd.argoproj.io/tracking-id': 'a:b' } })],
    ['Flux', own('x', { labels: { 'kustomize.toolkit.fluxcd.io/name': 'apf' } })],
  ])('recognises %s', (who, object) => {
    const finding = find(edits(object), 'vendor/reconciled')
    expect(finding.severity).toBe('warns')
    expect(finding.message).toContain(`belongs to ${who}`)
    expect(finding.evidence.length).toBeGreaterThan(0)
  })

  it('offers the label with which AKS leaves an object alone', () => {
    const guard = own('aks-managed-apiserver-guard', {})
    const label = { 'aks-managed-skip-update-operation': 'true' }
    expect(find(edits(guard), 'vendor/reconciled').remedy?.fix).toMatchObject({
      path: ['metadata', 'labels', 'aks-managed-skip-update-operation'],
      value: 'true',
    })
    expect(
      told(edits(guard, annotated(level('aks-managed-apiserver-guard', 6, REJECT), { labels: label })), 'vendor'),
    ).toEqual([])
  })

  it('names other programs, and neither people nor writers of the status', () => {
    const by = (manager: string, subresource?: string) =>
      own('x', { managedFields: [{ manager, ...(subresource !== undefined && { subresource }) }] })
    expect(told(edits(by('some-operator')), 'vendor')).toEqual([['other-manager', 'expected']])
    expect(told(edits(by('kubectl-edit')), 'vendor')).toEqual([])
    expect(told(edits(by('some-operator', 'status')), 'vendor')).toEqual([])
    expect(told(edits(by('api-priority-and-fairness-config-producer-v1')), 'vendor')).toEqual([])
  })
})

describe('references', () => {
  it('blocks what the edit lets dangle, and only warns of what dangled before', () => {
    expect(told(rails({ schemas: [schema('s', 500, 'nowhere', group('devs'))] }), 'references')).toEqual([
      ['dangling', 'blocks'],
    ])
    expect(told(rails({ without: ['global-default', 'workload-low'] }), 'references')).toEqual([
      ['level-deleted', 'blocks'],
    ])
    const before = edited({ schemas: [schema('s', 500, 'nowhere', group('devs'))] })
    expect(told(rails({}, {}, before), 'references')).toEqual([['dangling', 'warns']])
  })

  it('says why the server does without a level that exists', () => {
    const broken = level('workload-high', 40, {
      type: 'Reject',
      queuing: { queues: 1, handSize: 1, queueLengthLimit: 1 },
    })
    const { message } = find(rails({ levels: [broken] }), 'references/dangling')
    expect(message).toContain('workload-high, which the server ignores because queuing')
  })

  it('warns of a level that no schema leads to', () => {
    expect(told(rails({ levels: [level('lonely', 5, REJECT)] }), 'references')).toEqual([['unfed', 'warns']])
  })
})

describe('system traffic', () => {
  const grab = (levelName: string, precedence: number, ...subjects: readonly Subject[]) =>
    schema('grab', precedence, levelName, ...subjects)

  it('blocks sending heartbeats where they are rejected, and offers a place behind', () => {
    const findings = rails({ levels: [level('bad', 5, REJECT)], schemas: [grab('bad', 3, group('system:nodes'))] })
    const { severity, message, remedy, evidence } = find(findings, 'system-traffic/node-heartbeats')
    expect(severity).toBe('blocks')
    expect(message).toBe(
      'Node heartbeats: grab sends 3 kinds of requests to bad, which immediately rejects requests that exceed its seats.',
    )
    expect(evidence).toHaveLength(3)
    expect(remedy?.fix).toMatchObject({ object: { kind: 'FlowSchema', name: 'grab' }, value: 401 })
    expect(find(findings, 'system-traffic/kubelets').severity).toBe('blocks')
    expect(find(findings, 'system-traffic/leader-election').severity).toBe('passes')
  })

  it.each([
    ['catch-all', [], 'is for unmatched requests'],
    ['jail', [level('jail', 0, queue(64, 6))], 'has no seats of its own'],
  ] as const)('blocks %s', (name, levels, why) => {
    const { severity, message } = find(
      rails({ levels, schemas: [grab(name, 3, account('kube-system', '*'))] }),
      'system-traffic/kube-system',
    )
    expect(severity).toBe('blocks')
    expect(message).toContain(why)
  })

  it.each([
    ['leader-election', account('kube-system', 'cloud-controller-manager')],
    ['kubelets', group('system:nodes')],
    ['control-plane', { kind: 'User', user: { name: 'system:kube-scheduler' } }],
  ] as const)('blocks a level too small for %s', (id, subject) => {
    const findings = rails({ levels: [level('tiny', 1, queue(64, 6))], schemas: [grab('tiny', 3, subject)] })
    const { severity, message } = find(findings, `system-traffic/${id}`)
    expect(severity).toBe('blocks')
    expect(message).toMatch(/to tiny, which is too small for them: 3 nominal seats instead of \d+ in /)
  })

  it('blocks a level that shrinks below a quarter under the traffic', () => {
    const { severity, message } = find(
      rails({ levels: [level('node-high', 5, queue(64, 6))] }),
      'system-traffic/node-heartbeats',
    )
    expect(severity).toBe('blocks')
    expect(message).toMatch(/to node-high, which is too small for them: 15 nominal seats instead of 98/)
  })

  it('blocks a level that loses its last seat under the traffic', () => {
    const findings = rails({ levels: [level('node-high', 0, queue(64, 6))] })
    expect(find(findings, 'system-traffic/node-heartbeats')).toMatchObject({
      severity: 'blocks',
      remedy: { sentence: 'Keep the queues and seats of node-high.' },
    })
  })

  it('blocks a level that is full at this moment, and forgives the one that it was in before', () => {
    const full = levelFrame(
      'workload-low',
      [schemaFrame('s', { seats: { executing: 9, queued: 3 }, requests: { executing: 9, queued: 3 } })],
      {
        limits: { nominal: 9, lower: 9, upper: 9, current: 9 },
      },
    )
    const servers = [serverFrame(0, [full])]
    expect(find(rails({}, { servers }), 'system-traffic/reviews').severity).toBe('expected')
    const moved = rails({ schemas: [grab('workload-low', 3, group('system:nodes'))] }, { servers })
    expect(find(moved, 'system-traffic/kubelets').message).toContain(
      'is full: 9 of 9 seats are taken and 3 requests wait',
    )
  })

  it('warns of what is served elsewhere, and lets exempt take it', () => {
    expect(
      find(rails({ schemas: [grab('global-default', 3, group('system:nodes'))] }), 'system-traffic/kubelets'),
    ).toMatchObject({
      severity: 'warns',
      message:
        'Kubelets: grab sends 7 kinds of requests to global-default (49 nominal seats) instead of system (74 nominal seats).',
    })
    expect(
      find(rails({ schemas: [grab('exempt', 3, group('system:nodes'))] }), 'system-traffic/kubelets').severity,
    ).toBe('passes')
  })

  it('warns when probes of strangers are no longer exempt', () => {
    const { severity, objects } = find(rails({ without: ['probes'] }), 'system-traffic/probes')
    expect(severity).toBe('warns')
    expect(objects).toContainEqual({ kind: 'FlowSchema', name: 'global-default' })
  })
})

describe('own access', () => {
  const user = { name: 'oncall', groups: ['sre', 'system:authenticated'] }
  const own = (severityOf: Edit, as: GuardContext['user'] = user) => told(rails(severityOf, { user: as }), 'own-access')
  const jail = schema('jail', 3, 'jail', group('sre'))

  it('blocks an edit that sends the console’s own user where it has no seats', () => {
    expect(own({ levels: [level('jail', 0, queue(64, 6))], schemas: [jail] })).toEqual([['locked-out', 'blocks']])
    const { message } = find(
      rails({ levels: [level('jail', 0, REJECT)], schemas: [jail] }, { user }),
      'own-access/locked-out',
    )
    expect(message).toContain('its edits, reading the objects, the metrics')
    expect(message).toContain('you may not be able to undo the edit')
  })

  it('warns where the user may be rejected', () => {
    expect(own({ levels: [level('jail', 30, REJECT)], schemas: [jail] })).toEqual([['locked-out', 'warns']])
  })

  it('passes what concerns others, administrators, and a user that is not known', () => {
    const edit = { levels: [level('jail', 0, REJECT)], schemas: [jail] }
    expect(own(edit, { name: 'jo', groups: ['system:authenticated'] })).toEqual([])
    expect(own(edit, { name: 'admin', groups: ['sre', 'system:masters'] })).toEqual([])
    expect(told(rails(edit), 'own-access')).toEqual([])
  })
})

describe('saved tests', () => {
  const request = { user: 'alice', groups: ['devs', 'system:authenticated'], method: 'GET', url: '/api/v1/pods' }
  const expected = { flowSchema: 'global-default', priorityLevel: 'global-default' }
  const tests = (wanted?: typeof expected) => [{ id: '1', label: 'people', request, ...(wanted && { expect: wanted }) }]
  const moves = { schemas: [schema('devs', 5_000, 'workload-low', group('devs'))] }

  it('blocks an edit with which an expected request matches something else', () => {
    expect(told(rails(moves, { tests: tests(expected) }), 'saved-tests')).toEqual([['failed', 'blocks']])
    expect(told(rails({}, { tests: tests(expected) }), 'saved-tests')).toEqual([])
    const wrong = { ...expected, flowSchema: 'other' }
    expect(told(rails({}, { tests: tests(wrong) }), 'saved-tests')).toEqual([['failed', 'expected']])
  })

  it('warns where nothing is expected and the answer changes', () => {
    expect(told(rails(moves, { tests: tests() }), 'saved-tests')).toEqual([['moved', 'warns']])
    expect(told(rails({}, { tests: tests() }), 'saved-tests')).toEqual([])
    const unclassifiable = [{ id: '1', label: 'x', request: { ...request, url: 'pods' } }]
    expect(told(rails({}, { tests: unclassifiable }), 'saved-tests')).toEqual([['unclassifiable', 'expected']])
  })
})

describe('matching', () => {
  it('tells an unreachable new schema how to be reached', () => {
    const { objects, remedy } = find(
      rails({ schemas: [schema('late', 9_950, 'system', group('devs'))] }),
      'matching/shadowed',
    )
    expect(objects.map(({ name }) => name)).toEqual(['late', 'global-default'])
    expect(remedy?.fix).toMatchObject({ object: { name: 'late' }, value: 9_899 })
  })

  it('tells the schema of the edit to give way to one that it makes unreachable', () => {
    const grab = schema('grab', 3, 'system', group('system:nodes'))
    const fixes = rails({ schemas: [grab] }).flatMap(({ code, remedy }) =>
      code === 'matching/shadowed' ? [remedy?.fix] : [],
    )
    expect(fixes).toEqual([
      { action: 'set', object: { kind: 'FlowSchema', name: 'grab' }, path: ['spec', 'matchingPrecedence'], value: 401 },
      { action: 'set', object: { kind: 'FlowSchema', name: 'grab' }, path: ['spec', 'matchingPrecedence'], value: 501 },
    ])
  })

  it('says where names decide', () => {
    const tie = schema('accounts', 900, 'workload-low', account('kube-system', 'operator'))
    expect(told(rails({ schemas: [tie] }), 'matching')).toEqual([['same-precedence', 'warns']])
    const sameLevel = schema('accounts', 900, 'workload-high', account('kube-system', 'operator'))
    expect(told(rails({ schemas: [sameLevel] }), 'matching')).toEqual([['same-precedence', 'expected']])
    expect(
      told(rails({ schemas: [schema('x', 800, 'system', { kind: 'User', user: { name: 'bob' } })] }), 'matching'),
    ).toEqual([])
  })
})

describe('seats', () => {
  const fed = (one: PriorityLevelConfiguration) => ({
    levels: [one],
    schemas: [schema('s', 8_000, one.metadata.name, group('devs'))],
  })

  it('warns of levels with one seat or none', () => {
    const one = find(rails(fed(level('one', 1, queue(64, 1))), { serverLimit: 200 }), 'seats/one')
    expect(one.severity).toBe('warns')
    const none = find(rails(fed(level('none', 0, queue(64, 1)))), 'seats/none')
    expect(none.message).toContain('run only on borrowed seats')
    expect(none.remedy?.fix).toMatchObject({ path: ['spec', 'limited', 'nominalConcurrencyShares'], value: 1 })
    const jail = find(rails(fed(level('none', 0, queue(64, 1), { borrowingLimitPercent: 50 }))), 'seats/none')
    expect(jail.message).toContain('wait until they time out')
    expect(find(rails(fed(level('none', 0, REJECT, { borrowingLimitPercent: 0 }))), 'seats/none').message).toContain(
      'one request at a time',
    )
  })

  it('warns when a request comes to count for one seat at most', () => {
    const hand = find(rails(fed(level('small', 4, queue(64, 8)))), 'seats/one-per-request')
    expect(hand.remedy?.sentence).toContain('Reduce the hand size')
    expect(find(rails(fed(level('small', 2, queue(64, 2)))), 'seats/one-per-request').remedy?.sentence).toContain(
      'more shares',
    )
    expect(told(rails(fed(level('fair', 40, queue(64, 6)))), 'seats')).toEqual([])
  })

  it('warns when the most that a level may have is less than what it asked for', () => {
    const busy = levelFrame('workload-low', [], { demand: { highWatermark: 400 } })
    const capped = level('workload-low', 100, queue(128, 6), { lendablePercent: 90, borrowingLimitPercent: 10 })
    const context = { servers: [serverFrame(0, [busy])] }
    expect(told(rails({ levels: [capped] }, context), 'seats')).toEqual([['below-demand', 'warns']])
    expect(told(rails({ levels: [capped] }), 'seats')).toEqual([])
  })
})

describe('inversion', () => {
  it('warns when access reviews come to wait for the seats of their callers', () => {
    const all = schema('accounts', 850, 'workload-low', group('system:serviceaccounts'))
    const { objects, remedy } = find(rails({ schemas: [all] }), 'inversion/review')
    expect(objects).toContainEqual({ kind: 'PriorityLevelConfiguration', name: 'workload-low' })
    expect(remedy?.fix?.action).toBe('add')
  })

  it('is mended by the schema that it offers', () => {
    const all = schema('accounts', 850, 'workload-low', group('system:serviceaccounts'))
    const fix = find(rails({ schemas: [all] }), 'inversion/review').remedy?.fix
    if (fix?.action !== 'add' || !('matchingPrecedence' in fix.object.spec)) throw new Error('no schema is offered')
    const offered: FlowSchema = { metadata: fix.object.metadata, spec: fix.object.spec }
    expect(told(rails({ schemas: [all, offered] }), 'inversion').filter(([code]) => code === 'review')).toEqual([])
  })

  it('looks at servers that schemas name', () => {
    const adapter = schema('adapter', 850, 'workload-high', account('monitoring', 'prometheus-adapter'))
    expect(find(rails({ schemas: [adapter] }), 'inversion/review').evidence.join()).toContain(
      'monitoring/prometheus-adapter',
    )
    const plain = schema('app', 850, 'workload-high', account('team', 'app'))
    expect(told(rails({ schemas: [plain] }), 'inversion')).toEqual([])
  })
})

describe('sharding', () => {
  const shape = (queues: number, handSize: number) =>
    told(rails({ levels: [level('global-default', 20, queue(queues, handSize), { lendablePercent: 50 })] }), 'sharding')

  it('warns of hands that busy flows cover too often', () => {
    expect(shape(64, 1)).toEqual([
      ['collisions', 'warns'],
      ['dealt-again', 'expected'],
    ])
    expect(shape(8, 8)).toContainEqual(['collisions', 'warns'])
    expect(shape(256, 6)).toEqual([['dealt-again', 'expected']])
    expect(shape(1, 1)).toContainEqual(['one-queue', 'expected'])
  })

  it('offers the best hand where one is good enough', () => {
    const findings = rails({ levels: [level('global-default', 20, queue(128, 1), { lendablePercent: 50 })] })
    expect(find(findings, 'sharding/collisions').remedy?.fix).toMatchObject({
      path: ['spec', 'limited', 'limitResponse', 'queuing', 'handSize'],
    })
  })
})

describe('queues', () => {
  const fewer = { levels: [level('workload-low', 100, queue(64, 6), { lendablePercent: 90 })] }
  const traffic = (watchCounts: readonly number[], executing: number, dispatched = 9) =>
    serverFrame(0, [
      levelFrame('workload-low', [
        schemaFrame('service-accounts', {
          dispatched,
          requests: { executing, queued: 0 },
          watchCount: {
            bounds: [0, 1, 10, 100],
            counts: [...watchCounts, watchCounts.at(-1) ?? 0],
            sum: 0,
            count: watchCounts.at(-1) ?? 0,
          },
        }),
      ]),
    ])

  it('blocks fewer queues under load, and warns of them where the level serves requests at other times', () => {
    expect(told(rails(fewer), 'queues')).toEqual([['shrinking', 'warns']])
    expect(told(rails(fewer, { servers: [traffic([1, 5, 5, 9], 3)] }), 'queues')).toEqual([['shrinking', 'blocks']])
    expect(told(rails(fewer, { servers: [traffic([9, 9, 9, 9], 3)] }), 'queues')).toEqual([['shrinking', 'blocks']])
    expect(told(rails(fewer, { servers: [traffic([9, 9, 9, 9], 0)] }), 'queues')).toEqual([['shrinking', 'warns']])
    expect(told(rails(fewer, { servers: [traffic([0, 0, 0, 0], 0, 0)] }), 'queues')).toEqual([
      ['shrinking', 'expected'],
    ])
    expect(told(rails(fewer, { origin: 'simulation' }), 'queues')).toEqual([])
  })

  it('takes Queue to Reject for the loss of all queues', () => {
    const { message } = find(rails({ levels: [level('workload-low', 100, REJECT)] }), 'queues/shrinking')
    expect(message).toContain('changes from Queue to Reject')
    expect(told(rails({ levels: [level('workload-low', 100, queue(256, 6))] }), 'queues')).toEqual([])
  })

  it('says that a removed level drains first', () => {
    const edit = { without: ['workload-low', 'service-accounts'] }
    const { severity, evidence } = find(rails(edit, { servers: [traffic([0], 3)] }), 'queues/removal')
    expect([severity, evidence]).toEqual(['expected', ['3 requests in it now']])
  })
})

describe('the result of an edit', () => {
  const found = (edit: Edit, code: string, before = builtIn, context: Partial<GuardContext> = {}) =>
    rails(edit, context, before).filter((one) => one.code.startsWith(code) && one.severity !== 'passes')
  const own = schema('catches-leases', 90, 'workload-high', group('system:nodes'), group('system:authenticated'))

  it('is judged by itself: back to upstream’s objects is no risk, however far that is from a broken base', () => {
    const broken = edited({ schemas: [own] })
    const repair = found({ without: ['catches-leases'] }, 'system-traffic/', broken)
    expect(repair.length).toBeGreaterThan(0)
    expect(repair.every(({ severity, result }) => severity === 'expected' && result !== 'worse')).toBe(true)
    expect(found({ schemas: [own] }, 'system-traffic/').some(({ result }) => result === 'worse')).toBe(true)
  })

  it('is better than now where the edit makes less of what is bad', () => {
    const bad = edited({ levels: [level('tenants', 20, queue(4, 4))] })
    expect(found({ levels: [level('tenants', 20, queue(8, 4))] }, 'sharding/collisions', bad)).toMatchObject([
      { severity: 'expected', result: 'better' },
    ])
    const none = edited({ levels: [level('tenants', 0, queue(64, 6))] })
    expect(
      found({ levels: [level('tenants', 1, queue(64, 6))] }, 'seats/one', none, { serverLimit: 60 }),
    ).toMatchObject([{ severity: 'expected', result: 'better' }])
  })

  it('is as before the last edit where that is undone, and else worse than now', () => {
    const small = edited({ levels: [level('tenants', 20, queue(8, 4))] })
    const undo = { levels: [level('tenants', 20, queue(8, 4))] }
    const now = edited({ levels: [level('tenants', 20, queue(128, 6))] })
    expect(found(undo, 'sharding/collisions', now)).toMatchObject([{ severity: 'warns', result: 'worse' }])
    expect(found(undo, 'sharding/collisions', now, { former: small })).toMatchObject([
      { severity: 'expected', result: 'former' },
    ])
  })
})
