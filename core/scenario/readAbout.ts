import { type Finding, anyOf, quoted } from '../config/finding.ts'
import { type Read, readText } from '../config/jsonValues.ts'
import type { Members } from '../config/members.ts'
import { VERDICTS } from '../bounds.ts'
import type { Verdict } from '../contract/scenario.ts'
import { readAssertion } from './readMeasured.ts'
import { bounded, problem } from './values.ts'

export const LONGEST_SECONDS = 3_600

/** Members that all scenarios have, for an API server or an etcd. */
export const aboutMembers = (members: Members) => ({
  name: members.text('name'),
  title: members.text('title'),
  teaches: members.text('teaches'),
  seed: members.given('seed', bounded({ min: 0, max: 2 ** 31 - 1, whole: true })).seed ?? 1,
  seconds: members.nested('seconds', bounded({ min: 1, max: LONGEST_SECONDS })),
  statisticsFrom: members.nested('statisticsFrom', bounded({ min: 0, max: LONGEST_SECONDS })),
  criteria: members.list('criteria', readAssertion),
  assertions: members.list('assertions', readAssertion),
})

export const readVerdict: Read<Verdict> = (value, at, findings) =>
  oneOf(VERDICTS, readText(value, at, findings), at, findings)

export function oneOf<T extends string>(
  known: readonly [T, ...T[]] | readonly T[],
  text: string,
  at: string,
  findings: Finding[],
): T {
  const found = known.find((one) => one === text)
  const [first] = known
  if (first === undefined) throw new Error('nothing to choose from')
  if (found !== undefined || text === '') return found ?? first
  findings.push(problem(at, `${at} must be ${anyOf(known)}, not ${quoted(text)}.`))
  return first
}
