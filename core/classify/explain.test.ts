import fc from 'fast-check'
import { expect, test } from 'vitest'
import { objectSet, requestSample } from '../../test/harness/classify/arbitraries.ts'
import { readVectors } from '../../test/fixtures/vectors.ts'
import { mandatoryLevels, mandatorySchemas, suggestedLevels, suggestedSchemas } from '../config/builtIn.ts'
import type { FlowSchema, ObjectSet } from '../config/objects.ts'
import { levelObject } from '../conformance/levels.ts'
import { matchQuestion } from '../conformance/requests.ts'
import type { RequestSample } from '../contract/objects.ts'
import { createApfEngine } from '../engine/createEngine.ts'
import { AS_UPSTREAM, profileFor } from '../engine/profiles.ts'
import { matchesFlowSchema } from '../request/match.ts'
import { type Classification, type ServerContext, digestRequest } from './classification.ts'
import { explainer } from './explain.ts'

const builtIn: ObjectSet = {
  levels: [...mandatoryLevels, ...suggestedLevels],
  schemas: [...mandatorySchemas, ...suggestedSchemas],
}
const scanner: RequestSample = {
  user: 'system:serviceaccount:inventory:scanner',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:inventory', 'system:authenticated'],
  method: 'GET',
  url: '/api/v1/namespaces/tenant-4417/pods?resourceVersion=0',
}

function explained(objects: ObjectSet, request: RequestSample, context?: ServerContext): Classification {
  const answer = explainer(objects, context)(request)
  if (!answer.ok) throw new Error(answer.problem)
  return answer.classification
}

test('the explanation agrees with the match for every schema, and with the engine', () => {
  fc.assert(
    fc.property(objectSet, fc.array(requestSample, { minLength: 1, maxLength: 5 }), (objects, requests) => {
      const engine = createApfEngine({
        mode: 'priority-and-fairness',
        maxRequestsInFlight: 400,
        maxMutatingRequestsInFlight: 200,
        profile: profileFor('v1.36.3'),
        corrections: AS_UPSTREAM,
        startUnixMs: 0,
        onDispatch: () => undefined,
        onTimeOut: () => undefined,
      })
      const { order, dangling } = engine.configure(objects)
      const explain = explainer(objects)
      for (const request of requests) {
        const read = digestRequest(request)
        const answer = explain(request)
        if (!read.ok || !answer.ok) throw new Error('the request cannot be read')
        const { trace, dangling: without, flowSchema, priorityLevel, flow, uids } = answer.classification
        expect(trace.map((each) => each.flowSchema)).toEqual(order)
        expect(without.map((each) => each.flowSchema).toSorted()).toEqual(dangling.toSorted())
        const schemaOf = (name: string, imagined: boolean): FlowSchema | undefined =>
          (imagined ? mandatorySchemas : objects.schemas).find(({ metadata }) => metadata.name === name)
        for (const each of [...trace, ...without]) {
          const schema = schemaOf(each.flowSchema, 'imagined' in each && each.imagined)
          expect(each.matched).toBe(schema !== undefined && matchesFlowSchema(schema, read.digest))
        }
        for (const { matched, rules, rule } of trace) {
          expect(rules.some((one) => one.matched)).toBe(matched)
          for (const one of rules) {
            const failed = Object.values(one.outcomes).includes('fail')
            expect(one.matched).toBe(!failed)
            expect(one.mismatch === undefined).toBe(one.matched)
            if (one.mismatch !== undefined) expect(one.outcomes[one.mismatch.criterion]).toBe('fail')
          }
          expect(rule).toBe(rules.find((one) => one.matched) ?? rule)
        }
        const decides = trace.filter((each) => each.decides)
        expect(decides.map((each) => each.flowSchema)).toEqual([flowSchema])

        const arrived = engine.arrive({ ...read.digest, query: read.query, payload: undefined })
        if (arrived.kind === 'bypassed') throw new Error('the engine serves it past flow control')
        expect(arrived.ticket.lane.schema).toBe(flowSchema)
        expect(arrived.ticket.lane.level.plan.name).toBe(priorityLevel)
        expect(arrived.uids).toEqual({ level: uids.priorityLevel, schema: uids.flowSchema })
        const hash = BigInt(flow.hash)
        expect(flow.hand).toEqual(
          flow.queues > 0
            ? engine.handOf(priorityLevel, { hi: Number(hash >> 32n), lo: Number(hash & 0xffff_ffffn) })
            : [],
        )
      }
    }),
    { numRuns: 300 },
  )
})

interface MatchAnswers {
  readonly order: readonly string[]
  readonly dangling: Readonly<Record<string, string>>
  readonly answers: readonly {
    readonly flowSchema: string
    readonly priorityLevel: string
    readonly distinguisher: string
    readonly hash: string
    readonly matches: string
  }[]
}

test("all 200 cases of upstream's matching are explained as upstream answers", () => {
  const vectors = readVectors<unknown, MatchAnswers>('match')
  expect(vectors).toHaveLength(200)
  for (const { in: asked, out } of vectors) {
    const question = matchQuestion.parse(asked)
    const objects = { levels: question.priorityLevels.map(levelObject), schemas: question.flowSchemas }
    const explain = explainer(objects)
    for (const [index, request] of question.requests.entries()) {
      const answer = explain(request)
      if (!answer.ok) throw new Error(answer.problem)
      const { classification: got } = answer
      const expected = out.answers[index]
      expect({
        flowSchema: got.flowSchema,
        priorityLevel: got.priorityLevel,
        distinguisher: got.flow.distinguisher,
        hash: got.flow.hash,
      }).toEqual({
        flowSchema: expected?.flowSchema,
        priorityLevel: expected?.priorityLevel,
        distinguisher: expected?.distinguisher,
        hash: expected?.hash,
      })
      expect(got.trace.map(({ flowSchema }) => flowSchema)).toEqual(out.order)
      const own = new Map(
        [...got.trace.filter(({ imagined }) => !imagined), ...got.dangling].map((each) => [
          each.flowSchema,
          each.matched,
        ]),
      )
      const matches = question.flowSchemas.map(({ metadata }) => (own.get(metadata.name) === true ? '1' : '0')).join('')
      expect(matches).toBe(expected?.matches)
    }
  }
})

test('a service account under the built-in objects', () => {
  const { flowSchema, priorityLevel, trace, flow, nominalLimit } = explained(builtIn, scanner)
  expect({ flowSchema, priorityLevel, nominalLimit }).toEqual({
    flowSchema: 'service-accounts',
    priorityLevel: 'workload-low',
    nominalLimit: 245,
  })
  expect(trace.map((each) => `${each.flowSchema}: ${each.reason}`)).toEqual([
    'exempt: not in group system:masters',
    'probes: only has non-resource rules',
    'system-leader-election: needs user system:kube-controller-manager, user system:kube-scheduler or a kube-system service account',
    'system-node-high: not in group system:nodes',
    'system-nodes: not in group system:nodes',
    'kube-controller-manager: needs user system:kube-controller-manager',
    'kube-scheduler: needs user system:kube-scheduler',
    'kube-system-service-accounts: needs a kube-system service account',
    'service-accounts: group system:serviceaccounts, all resources',
    'global-default: not reached; would match',
    'catch-all: not reached; would match',
  ])
  expect(flow).toMatchObject({
    method: 'ByUser',
    distinguisher: scanner.user,
    hash: '17814963015689919405',
    hand: [45, 41, 126, 105, 14, 42],
  })
})

test('says where the rule that got furthest stopped', () => {
  const rule = (verbs: readonly string[], namespaces: readonly string[], clusterScope = false) => ({
    verbs,
    apiGroups: ['*'],
    resources: ['*'],
    namespaces,
    clusterScope,
  })
  const schema = (...resourceRules: readonly ReturnType<typeof rule>[]): FlowSchema => ({
    metadata: { name: 'own' },
    spec: {
      priorityLevelConfiguration: { name: 'system' },
      matchingPrecedence: 3,
      rules: [
        { subjects: [{ kind: 'User', user: { name: 'nobody' } }] },
        { subjects: [{ kind: 'User', user: { name: '*' } }], resourceRules },
      ],
    },
  })
  const reason = (own: FlowSchema, request: RequestSample): string | undefined =>
    explained({ ...builtIn, schemas: [...builtIn.schemas, own] }, request).trace.find(
      ({ flowSchema }) => flowSchema === 'own',
    )?.reason
  const other = { ...scanner, url: '/api/v1/namespaces' }
  expect(reason(schema(rule(['create'], ['*']), rule(['*'], ['default'])), scanner)).toBe(
    'names namespace default, and the request is for tenant-4417',
  )
  expect(reason(schema(rule(['create'], ['*'])), scanner)).toBe('covers create, and the verb is list')
  expect(reason(schema(rule(['*'], ['*'])), other)).toBe('clusterScope is false and the request has no namespace')
  expect(reason(schema(rule(['*'], [], true)), scanner)).toBe(
    'covers only requests without a namespace, and the request is for tenant-4417',
  )
  expect(reason(schema(), scanner)).toBe('has neither resource rules nor non-resource rules')
})

test('a schema without a level takes no part, and says so', () => {
  const schema: FlowSchema = {
    metadata: { name: 'lost' },
    spec: {
      priorityLevelConfiguration: { name: 'gone' },
      matchingPrecedence: 1,
      rules: builtIn.schemas[0]?.spec.rules ?? [],
    },
  }
  const { dangling } = explained(
    { ...builtIn, schemas: [...builtIn.schemas, schema] },
    { ...scanner, groups: ['system:masters'] },
  )
  expect(dangling).toEqual([
    {
      flowSchema: 'lost',
      priorityLevel: 'gone',
      matchingPrecedence: 1,
      matched: true,
      cause: 'missing',
      reason: 'inactive: there is no level gone',
    },
  ])
})

test('without objects the imagined ones classify, and have no UIDs', () => {
  const { trace, uids, fallback, notes } = explained({ levels: [], schemas: [] }, { ...scanner, groups: [] })
  expect(trace.map(({ flowSchema, imagined }) => [flowSchema, imagined])).toEqual([
    ['exempt', true],
    ['catch-all', true],
  ])
  expect(uids).toEqual({ flowSchema: '', priorityLevel: '' })
  expect(fallback).toBe(true)
  expect(notes).toContain('No flow schema matches; the server uses catch-all anyway.')
})

test('notes say what the request is not', () => {
  const notes = (request: Partial<RequestSample>): readonly string[] =>
    explained(builtIn, { ...scanner, ...request }).notes
  expect(notes({ url: '/apis/apps/v1' })).toEqual(['/apis/apps/v1 is not a resource path; non-resource rules apply.'])
  expect(notes({ url: '/api/v1/namespaces/a/pods/b/exec' })).toEqual([
    'The request is long-running but not a watch, so the server serves it without flow control, whatever it matches.',
  ])
  expect(explainer(builtIn)({ ...scanner, url: '/api/v1/%zz' })).toMatchObject({ ok: false, status: 400 })
  expect(explainer(builtIn)({ ...scanner, url: 'api/v1' })).toMatchObject({ ok: false, status: 400 })
})
