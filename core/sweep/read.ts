import { significantly } from '../text/format.ts'
import { anyOf, entry, type Finding, member, quoted, meantOr } from '../config/finding.ts'
import { type Read, readAmount, readList, readText } from '../config/jsonValues.ts'
import { readAs } from '../config/members.ts'
import { ProblemError } from '../errors.ts'
import { WHAT_IF_SEED } from '../contract/whatif.ts'
import { type DocumentKind, readDocument, type ReadDocument } from '../scenario/document.ts'
import { readServer, variantOf } from '../scenario/read.ts'
import { readMeasured, subjectOf } from '../scenario/readMeasured.ts'
import type { Measured, Scenario, ScenarioVariant } from '../scenario/scenario.ts'
import { bounded, knownName, problem } from '../scenario/values.ts'
import { FIELDS, withSetting } from './fields.ts'
import { pointCount } from './points.ts'
import {
  type Parameter,
  resultName,
  type Search,
  type Setting,
  settingName,
  type SweepBase,
  type SweepPlan,
} from './sweep.ts'
import { isWithoutLevels } from '../frame/reading.ts'

/** The base in a file: a scenario, or recorded requests with a server. */
export type WrittenBase =
  /** A name in the library, or a file; without `variant`, the first variant of the scenario. */
  | { readonly kind: 'scenario'; readonly scenario: string; readonly variant?: string }
  | { readonly kind: 'requests'; readonly files: readonly string[]; readonly variant: ScenarioVariant }

export interface WrittenSweep {
  readonly plan: SweepPlan
  readonly base: WrittenBase
}

const MOST_PARAMETERS = 10
const MOST_VALUES = 10_000
const MOST_RESULTS = 50
/** A line of results has a few hundred bytes. */
const MOST_POINTS = 1_000_000

/** Reads a sweep from YAML or JSON. Never throws. */
export const readSweep = (text: string, file: string): ReadDocument<WrittenSweep> =>
  readDocument({ text, file }, SWEEP_FILE)

const SWEEP_FILE: DocumentKind<WrittenSweep> = {
  kind: 'Sweep',
  noun: 'sweep',
  needs: 'a name, a base, parameters and results',
  decode,
}

/** The starting point of a sweep or a tuning. */
export const readBase: Read<WrittenBase> = (value, at, findings) => {
  const { scenario, variant, requests, server } = readWrittenBase(value, at, findings)
  if ((scenario === undefined) === (requests === undefined)) {
    findings.push(problem(at, `${at} needs either a scenario (a name of the library, or a file) or requests (files).`))
  }
  if (requests === undefined) {
    if (server !== undefined)
      findings.push(problem(member(at, 'server'), 'A scenario defines its own server. Remove server, or use requests.'))
    return { kind: 'scenario', scenario: scenario ?? '', ...(variant !== undefined && { variant }) }
  }
  if (variant !== undefined)
    findings.push(problem(member(at, 'variant'), 'Requests have no variants: remove variant, and use server.'))
  const written = server ?? { configuration: [], without: [] }
  const own = { name: 'server', at, configuration: [], without: [] }
  const whole = variantOf({ server: written, at: member(at, 'server') }, own, findings)
  return { kind: 'requests', files: requests, variant: whole }
}

const readWrittenBase = readAs((members) => ({
  ...members.given('scenario', readText),
  ...members.given('variant', readText),
  ...members.given('requests', readList(readText)),
  ...members.given('server', readServer),
}))

/** A setting and its values, within the bounds of the field. */
export const readParameter: Read<Parameter> = (value, at, findings) => {
  const { clients, level, field, values, from, to, step } = readWrittenParameter(value, at, findings)
  const of = subjectOf(
    [
      ['clients', clients],
      ['level', level],
    ],
    at,
    findings,
  )
  const setting = { of, field }
  checkField(setting, at, findings)
  const range = from === undefined && to === undefined && step === undefined ? undefined : { from, to, step }
  if ((values === undefined) === (range === undefined)) {
    findings.push(problem(at, `${at} needs either values (a list) or a range: from, to and step.`))
  }
  const all = range === undefined ? (values ?? []) : valuesOf(range, at, findings)
  if (values !== undefined || range !== undefined)
    checkValues({ ...setting, values: all }, range === undefined ? member(at, 'values') : at, findings)
  return { ...setting, values: all }
}

const readWrittenParameter = readAs((members) => ({
  ...members.given('clients', readText),
  ...members.given('level', readText),
  field: members.text('field'),
  ...members.given('values', readList(readAmount)),
  ...members.given('from', readAmount),
  ...members.given('to', readAmount),
  ...members.given('step', readAmount),
}))

const ABOUT = { level: 'of a level', clients: 'of clients', run: 'of the server or the run' } as const

function checkField({ of, field }: Setting, at: string, findings: Finding[]): void {
  const place = member(at, 'field')
  const info = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined
  const about = of?.kind ?? 'run'
  if (info === undefined) {
    const known = Object.keys(FIELDS).filter((name) => FIELDS[name]?.about === about)
    const mend = meantOr(field, known, `use ${anyOf(known)}.`)
    findings.push(problem(place, `There is no field ${quoted(field)} ${ABOUT[about]}: ${mend}`))
  } else if (info.about !== about) {
    const mend = info.about === 'run' ? 'remove level and clients.' : `add ${info.about}.`
    findings.push(problem(place, `${field} is a setting ${ABOUT[info.about]}: ${mend}`))
  }
}

interface Range {
  readonly from: number | undefined
  readonly to: number | undefined
  readonly step: number | undefined
}

/** Includes both ends if a step hits the last one. Rounded, so that 0.1 + 0.2 is 0.3. */
function valuesOf({ from, to, step = 1 }: Range, at: string, findings: Finding[]): readonly number[] {
  if (from === undefined || to === undefined) {
    findings.push(problem(at, `A range needs from and to; ${from === undefined ? 'from' : 'to'} is missing.`))
    return [from ?? to ?? 0]
  }
  if (!(step > 0) || to < from) {
    findings.push(problem(at, 'A range goes upwards: to must not be below from, and step must be above 0.'))
    return [from]
  }
  const count = Math.floor((to - from) / step + 1e-9) + 1
  if (count > MOST_VALUES) {
    findings.push(
      problem(at, `The range has ${count} values; a parameter has at most ${MOST_VALUES}: make step larger.`),
    )
    return [from]
  }
  return Array.from({ length: count }, (_, index) => significantly(from + index * step, 12))
}

function checkValues({ field, values }: Parameter, at: string, findings: Finding[]): void {
  if (values.length === 0) findings.push(problem(at, `${at} needs at least one value.`))
  if (values.length > MOST_VALUES) findings.push(problem(at, `A parameter has at most ${MOST_VALUES} values.`))
  if (new Set(values).size < values.length) findings.push(problem(at, `${at} has the same value twice: remove one.`))
  const bounds = Object.hasOwn(FIELDS, field) ? FIELDS[field]?.bounds : undefined
  if (bounds === undefined) return
  const outside = values.find(
    (value) => value < bounds.min || value > bounds.max || (bounds.whole === true && !Number.isInteger(value)),
  )
  if (outside === undefined) return
  const what = bounds.whole === true ? 'whole numbers' : 'numbers'
  findings.push(problem(at, `${field} takes ${what} from ${bounds.min} to ${bounds.max}, not ${outside}.`))
}

const readRandom: Read<Search> = readAs((members) => ({
  kind: 'random' as const,
  count: members.nested('count', bounded({ min: 1, max: MOST_POINTS, whole: true })),
  seed: members.given('seed', bounded({ ...WHAT_IF_SEED, whole: true })).seed ?? 1,
}))

const readWritten = readAs((members) => ({
  name: members.text('name'),
  base: members.nested('base', readBase),
  parameters: members.list('parameters', readParameter),
  ...members.given('random', readRandom),
  results: members.list('results', readMeasured),
}))

function decode(value: unknown, findings: Finding[]): WrittenSweep {
  const { base, random, ...rest } = readWritten(value, '', findings)
  const plan: SweepPlan = { ...rest, search: random ?? { kind: 'grid' } }
  const { name, parameters, results } = plan
  if (name === '') findings.push(problem('name', 'A sweep needs a name.'))
  if (parameters.length === 0 || parameters.length > MOST_PARAMETERS) {
    findings.push(problem('parameters', `A sweep has 1 to ${MOST_PARAMETERS} parameters.`))
  }
  if (results.length === 0 || results.length > MOST_RESULTS) {
    findings.push(problem('results', `A sweep has 1 to ${MOST_RESULTS} results.`))
  }
  once(parameters.map(settingName), 'parameters', findings)
  once(results.map(resultName), 'results', findings)
  const points = pointCount(plan)
  if (points > MOST_POINTS) {
    const mend = 'use larger steps, or a random search.'
    findings.push(problem('parameters', `The grid has ${points} points; a sweep has at most ${MOST_POINTS}: ${mend}`))
  }
  return { plan, base }
}

function once(names: readonly string[], list: string, findings: Finding[]): void {
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) === index) continue
    findings.push(problem(entry(list, index), `Duplicate ${quoted(name)}: remove one.`))
  }
}

/** The base that a variant of a scenario is; without a name, the first one. Throws `not-found`. */
export function scenarioBase(scenario: Scenario, wanted: string | undefined, named: string): SweepBase {
  const names = scenario.variants.map(({ name }) => name)
  const variant = scenario.variants.find(({ name }) => name === (wanted ?? names[0]))
  if (variant !== undefined) return { kind: 'scenario', scenario, variant }
  const mend = meantOr(wanted ?? '', names, `the variants are ${names.join(', ')}.`)
  throw new ProblemError('not-found', `${named} has no variant ${quoted(wanted ?? '')}; ${mend}`)
}

/** Lists of a file, with their positions in it. */
export interface Named {
  readonly parameters: readonly Parameter[]
  readonly measured: Readonly<Record<string, readonly Measured[]>>
}

/** Mismatches with the base: levels and clients that it does not have, and settings that those do not have. */
export function fitFindings({ parameters, measured }: Named, base: SweepBase): readonly Finding[] {
  const findings: Finding[] = []
  const levels = base.variant.objects.levels.map(({ metadata }) => metadata.name)
  const groups = base.kind === 'scenario' ? base.scenario.clients.map(({ name }) => name) : []
  const checkSubject = (of: Measured['of'], at: string): void => {
    if (of?.kind === 'level') knownName(of.name, levels, { at: member(at, 'level'), what: 'level', findings })
    // Clients of recorded requests are user names.
    else if (of !== undefined && base.kind === 'scenario')
      knownName(of.name, groups, { at: member(at, 'clients'), what: 'group of clients', findings })
  }
  for (const [index, parameter] of parameters.entries()) {
    const at = entry('parameters', index)
    const before = findings.length
    checkSubject(parameter.of, at)
    if (findings.length > before) continue
    const set = withSetting(base, parameter, parameter.values[0] ?? 0)
    if (typeof set === 'string') findings.push(problem(at, `${at} cannot be varied: ${set}.`))
  }
  for (const [list, all] of Object.entries(measured)) {
    for (const [index, { of }] of all.entries()) {
      // The max-in-flight filter has two counters instead of levels.
      if (!isWithoutLevels(base.variant)) checkSubject(of, entry(list, index))
    }
  }
  return findings
}
