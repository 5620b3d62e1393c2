import { describe, expect, it } from 'vitest'
import { explainClassification } from '../../../../core/classify/explain.ts'
import { builtInObjects } from '../../../../core/config/builtIn.ts'
import type { Classification } from '../../../../core/classify/classification.ts'
import type { FlowSchema, ObjectSet } from '../../../../core/config/objects.ts'
import type { RequestSample } from '../../../../core/contract/objects.ts'
import { comparedFacts, comparedSchemas, draftSentence, ruleText, verdictText } from './compare.data.ts'

const built = builtInObjects('v1.36.0')
const request: RequestSample = {
  user: 'system:serviceaccount:shop:web',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
  method: 'GET',
  url: '/api/v1/pods',
}

const scan: FlowSchema = {
  metadata: { name: 'batch-scan' },
  spec: {
    priorityLevelConfiguration: { name: 'workload-high' },
    matchingPrecedence: 950,
    distinguisherMethod: { type: 'ByUser' },
    rules: [
      {
        subjects: [{ kind: 'Group', group: { name: 'system:serviceaccounts:shop' } }],
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
      },
    ],
  },
}
const withScan = (level: string): ObjectSet => ({
  ...built,
  schemas: [...built.schemas, { ...scan, spec: { ...scan.spec, priorityLevelConfiguration: { name: level } } }],
})
const withQueues = (queues: number): ObjectSet => ({
  ...built,
  levels: built.levels.map((level) =>
    level.metadata.name === 'workload-low' && level.spec.limited !== undefined
      ? {
          ...level,
          spec: {
            ...level.spec,
            limited: {
              ...level.spec.limited,
              limitResponse: { type: 'Queue', queuing: { queues, handSize: 6, queueLengthLimit: 50 } },
            },
          },
        }
      : level,
  ),
})

const explain = (objects: ObjectSet) => explainClassification(objects, request)
function classified(objects: ObjectSet): Classification {
  const explained = explain(objects)
  if (!explained.ok) throw new Error(explained.problem)
  return explained.classification
}

describe('the sentence about the draft', () => {
  it.each([
    ['another level', withScan('workload-high'), 'Draft: goes to workload-high, matched by batch-scan.'],
    ['another schema', withScan('workload-low'), 'Draft: stays in workload-low, matched by batch-scan instead.'],
    ['another hand', withQueues(256), 'Draft: stays in workload-low, but its flow is dealt another hand.'],
    ['nothing', built, 'Draft: stays in workload-low, matched by service-accounts as now.'],
  ])('tells of %s', (_what, draft, sentence) => {
    expect(draftSentence(explain(built), explain(draft))).toBe(sentence)
  })

  it('says that nothing classifies a broken request', () => {
    const broken = explainClassification(built, { ...request, url: '/%' })
    expect(draftSentence(broken, broken)).toContain('no server classifies')
  })
})

it('marks exactly the facts that differ', () => {
  const [now, draft] = [classified(built), classified(withScan('workload-high'))]
  const facts = comparedFacts(now, draft)
  expect(facts.filter(({ differs }) => !differs).map(({ label }) => label)).toEqual([
    'Rule',
    'Flow',
    'Queues',
    'Width',
    'Lingers after the response',
  ])
  expect(facts.find(({ label }) => label === 'Precedence')).toEqual({
    label: 'Precedence',
    now: '9000',
    draft: '950',
    differs: true,
  })
  expect(comparedFacts(now, now).some(({ differs }) => differs)).toBe(false)
})

it('lists the schemas of both once, in matching order', () => {
  const both = comparedSchemas(classified(built), classified(withScan('workload-high')))
  const names = both.map(({ name }) => name)
  expect(names).toHaveLength(built.schemas.length + 1)
  expect(names.indexOf('batch-scan')).toBe(names.indexOf('service-accounts') - 1)
  expect(both.filter(({ differs }) => differs).map(({ name }) => name)).toEqual(['batch-scan', 'service-accounts'])
  expect(both.find(({ name }) => name === 'batch-scan')).not.toHaveProperty('now')
  const back = comparedSchemas(classified(withScan('workload-high')), classified(built)).map(({ name }) => name)
  expect(back).toEqual(names)
})

it('names what a schema does with the request', () => {
  const { trace } = classified(built)
  const of = (name: string) => verdictText(trace.find(({ flowSchema }) => flowSchema === name))
  expect([of('exempt'), of('service-accounts'), of('global-default'), of('none')]).toEqual([
    'does not match',
    'takes it',
    'would match',
    'does not exist',
  ])
  expect(ruleText({ trace })).toBe('rule 1 of 1')
})
