import type { Classification, RuleTrace, SchemaTrace, SeatStep, SeatUnit } from '../../core/classify/classification.ts'
import type { RequestTestResult } from '../../core/classify/sample.ts'
import type { RequestSample } from '../../core/contract/objects.ts'
import type { GivenConfiguration } from './configurationSource.ts'
import { textTable } from './textTable.ts'

/** The JSON of one request (docs/classify.md). Members are added over time, never taken away. */
export function classificationJson(
  request: RequestSample,
  classification: Classification,
  { name, version }: GivenConfiguration,
) {
  const { info, flow, seats, trace, dangling } = classification
  return {
    flowSchema: classification.flowSchema,
    priorityLevel: classification.priorityLevel,
    distinguisher: flow.distinguisher,
    flowHash: flow.hash,
    hand: flow.hand,
    seats: {
      initial: seats.initial,
      final: seats.final,
      additionalLatencyMs: seats.additionalLatencyMs,
      width: seats.width,
      cap: seats.cap,
      levelCap: seats.levelCap,
      method: seats.method,
      steps: seats.steps,
      assumptions: seats.assumptions,
    },
    trace: trace.map(schemaJson),
    dangling,
    request: { ...request, verb: info.verb, isResource: info.isResource, namespace: info.namespace },
    distinguisherMethod: flow.method,
    uids: classification.uids,
    nominalLimit: classification.nominalLimit,
    bypasses: classification.bypasses,
    fallback: classification.fallback,
    notes: classification.notes,
    configuration: { name, version },
  }
}

function schemaJson({
  flowSchema,
  priorityLevel,
  matchingPrecedence,
  matched,
  reached,
  imagined,
  rule,
  reason,
}: SchemaTrace) {
  return {
    flowSchema,
    matched,
    // A schema that matches has grounds, one that does not has a reason.
    ...(matched ? { because: reason } : { reason }),
    priorityLevel,
    matchingPrecedence,
    reached,
    imagined,
    ...(rule !== undefined && { rule: ruleJson(rule) }),
  }
}

const ruleJson = ({ index, outcomes, subject, part, mismatch }: RuleTrace) => ({
  index,
  outcomes,
  ...(subject !== undefined && { subject }),
  ...(part !== undefined && { part }),
  ...(mismatch !== undefined && { mismatch }),
})

/** One request for people. */
export function classificationText(request: RequestSample, classification: Classification): readonly string[] {
  const { flowSchema, priorityLevel, flow, seats, trace, dangling, notes } = classification
  const about = (label: string, value: string): string => `  ${label.padEnd(14)}${value}`
  return [
    `${request.user}  ${request.method} ${request.url}`,
    '',
    `${flowSchema} → ${priorityLevel}`,
    ...notes.map((note) => `  ${note}`),
    '',
    ...textTable(
      trace.map((each) => [
        each.decides ? '→' : ' ',
        String(each.matchingPrecedence),
        each.flowSchema,
        each.priorityLevel,
        each.reason,
      ]),
      ['left', 'right', 'left', 'left', 'left'],
    ),
    ...dangling.map((each) => `  ${each.flowSchema} ${each.reason}`),
    '',
    'Flow',
    about(
      'distinguisher',
      flow.distinguisher === '' ? `none. ${flow.reason}` : `${flow.distinguisher} (${flow.method})`,
    ),
    about('hash', flow.hash),
    about('hand', flow.hand.length === 0 ? 'none' : `${flow.hand.join(' ')} of ${flow.queues} queues`),
    '',
    `Seats: ${seats.method}`,
    ...textTable(
      seats.steps.map((step) => ['', step.label, stepValue(step)]),
      ['left', 'left', 'right'],
    ),
    ...seats.assumptions.map((assumption) => `  ${assumption}`),
  ]
}

const UNITS: Readonly<Record<SeatUnit, string>> = {
  objects: '',
  bytes: ' B',
  seats: '',
  milliseconds: ' ms',
  watches: '',
}

const stepValue = ({ value, unit, assumed }: SeatStep): string =>
  value === undefined ? '' : `${value}${unit === undefined ? '' : UNITS[unit]}${assumed === true ? ' (assumed)' : ''}`

/** The JSON of a test table. */
export const testsJson = (results: readonly RequestTestResult[]) => ({
  passed: results.filter(({ outcome }) => outcome === 'passed').length,
  failed: results.filter(hasFailed).length,
  results: results.map((result) => ({
    id: result.test.id,
    label: result.test.label,
    outcome: result.outcome,
    ...(result.test.expect !== undefined && { expected: result.test.expect }),
    ...(result.outcome === 'unclassifiable' ? { problem: result.problem } : { actual: result.actual }),
  })),
})

export const hasFailed = ({ outcome }: RequestTestResult): boolean =>
  outcome === 'failed' || outcome === 'unclassifiable'

/** A test table for people. */
export function testsText(results: readonly RequestTestResult[]): readonly string[] {
  const rows = results.map((result) => {
    const { expect: expected, label } = result.test
    const actual =
      result.outcome === 'unclassifiable'
        ? result.problem
        : `${result.actual.flowSchema} → ${result.actual.priorityLevel}`
    const wanted =
      result.outcome === 'failed' && expected !== undefined
        ? `expected ${expected.flowSchema} → ${expected.priorityLevel}`
        : ''
    return [OUTCOMES[result.outcome], label, actual, wanted]
  })
  const { passed, failed } = testsJson(results)
  const without = results.length - passed - failed
  const sum = `${passed} passed, ${failed} failed${without === 0 ? '' : `, ${without} without an expectation`}`
  return [...textTable(rows, ['left', 'left', 'left', 'left']), '', sum]
}

const OUTCOMES = { passed: 'ok', failed: 'FAIL', 'no-expectation': '–', unclassifiable: 'FAIL' } as const
