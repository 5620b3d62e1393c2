import { anyOf, type Finding, member, quoted, meantOr } from '../config/finding.ts'
import { type Read, readAmount, readList, readText } from '../config/jsonValues.ts'
import { readAs, type Members } from '../config/members.ts'
import { type Assertion, isMeasure, type Measured, MEASURES, toleratedBounds } from './scenario.ts'
import { problem } from './values.ts'

interface WrittenMeasured {
  readonly measure: string
  readonly clients?: string | undefined
  readonly level?: string | undefined
  readonly controller?: string | undefined
}

const measuredMembers = (members: Members): WrittenMeasured => ({
  measure: members.text('measure'),
  ...members.given('clients', readText),
  ...members.given('level', readText),
  ...members.given('controller', readText),
})

const readWrittenMeasured = readAs(measuredMembers)

const readWrittenAssertion = readAs((members) => ({
  ...measuredMembers(members),
  ...members.given('least', readAmount),
  ...members.given('most', readAmount),
  ...members.given('about', readAmount),
  ...members.given('specified', readAmount),
  ...members.given('because', readText),
  ...members.given('variants', readList(readText)),
}))

/** A number of the result of any run: a measure of clients, of a level, or of everything. */
export const readMeasured: Read<Measured> = (value, at, findings) =>
  resulting(measuredOf(readWrittenMeasured(value, at, findings), at, findings), at, findings)

/** Accepts only a measure that the result of any run has, not just of scenarios. */
export function resulting<M extends Measured>(measured: M, at: string, findings: Finding[]): M {
  if (measured.measure === 'backlog' || measured.measure === 'writes') {
    findings.push(problem(member(at, 'measure'), `Only assertions of scenarios have ${measured.measure}.`))
  }
  return measured
}

export const readAssertion: Read<Assertion> = (value, at, findings) => {
  const { clients, level, controller, measure, ...bounds } = readWrittenAssertion(value, at, findings)
  const measured = measuredOf({ clients, level, controller, measure }, at, findings)
  const { least, most, about, specified, because } = bounds
  if (least === undefined && most === undefined && about === undefined) {
    findings.push(problem(at, 'An assertion needs a bound: about, least, most, or least and most.'))
  }
  if (about !== undefined && (least !== undefined || most !== undefined)) {
    findings.push(problem(member(at, 'about'), 'about sets both bounds: remove it, or least and most.'))
  }
  if ((specified === undefined) !== (because === undefined)) {
    findings.push(
      problem(at, 'specified is a value that the model does not have: give both it and because, or neither.'),
    )
  }
  return { ...measured, ...bounds, ...(about !== undefined && toleratedBounds(about, measured.measure)) }
}

function measuredOf(
  { clients, level, controller, measure }: WrittenMeasured,
  at: string,
  findings: Finding[],
): Measured {
  const of = subjectOf(
    [
      ['clients', clients],
      ['level', level],
      ['controller', controller],
    ],
    at,
    findings,
  )
  if (!isMeasure(measure)) {
    const known = Object.keys(MEASURES)
    const mend = meantOr(measure, known, `use ${anyOf(known)}`)
    findings.push(problem(member(at, 'measure'), `There is no measure ${quoted(measure)}: ${mend}`))
  }
  if (measure === 'currentLimit' && level === undefined) {
    findings.push(problem(member(at, 'measure'), 'A level has a currentLimit: name the level.'))
  }
  if (measure === 'writes' ? clients !== undefined || level !== undefined : controller !== undefined) {
    findings.push(problem(member(at, 'measure'), 'Only controllers have writes, and they have no other measure.'))
  }
  return { of, measure: isMeasure(measure) ? measure : 'offered' }
}

/** Accepts one of them at most. */
export function subjectOf<K extends 'clients' | 'level' | 'controller'>(
  named: readonly (readonly [kind: K, name: string | undefined])[],
  at: string,
  findings: Finding[],
): { readonly kind: K; readonly name: string } | undefined {
  const [first, second] = named.flatMap(([kind, name]) => (name === undefined ? [] : [{ kind, name }]))
  if (first !== undefined && second !== undefined) {
    const message = `${at} is about ${first.kind} or ${second.kind}: remove one of the two.`
    findings.push(problem(member(at, second.kind), message))
  }
  return first
}
