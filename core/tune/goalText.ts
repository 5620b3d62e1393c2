import { quoted, meantOr } from '../config/finding.ts'
import type { ObjectSet } from '../config/objects.ts'
import { type Assertion, isMeasure, type Measured, type MeasureName, MEASURES } from '../scenario/scenario.ts'
import type { SweepBase } from '../sweep/sweep.ts'
import type { GuardRail } from './tune.ts'

/** Measures in the usual wording. */
const WORDS: Readonly<Record<string, MeasureName>> = {
  'wait p50': 'waitP50',
  'wait p90': 'waitP90',
  'wait p99': 'waitP99',
  'wait max': 'waitMax',
  'longest wait': 'waitMax',
  rejected: 'rejectedPercent',
  rejections: 'rejectedPercent',
  failed: 'failedPercent',
  failures: 'failedPercent',
  served: 'servedPerSecond',
  'current limit': 'currentLimit',
}

/** Conversion factors to the unit of a measure. */
const UNITS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  ms: { ms: 1, s: 1_000 },
  '%': { '%': 1 },
  '/s': { '/s': 1 },
  seats: { seats: 1 },
  requests: { requests: 1 },
  '': {},
}

const NEVER = /^(.+?) (?:(?:is|are) )?never (waits?|rejected|fails?)$/i
const BOUND = /^(.+?)(?: of (.+?))? *(<=|>=|<|>|≤|≥) *([\d.]+) *(\S*)$/

const NO_RISE = /^(.+?) of (?:(no level) may rise|(.+?) may not rise)$/i
const EXAMPLE = 'as in “wait p99 of workload-high < 1 s” or “leases never wait”'

/** Possible subjects of goals. */
export interface GoalNames {
  readonly levels: readonly string[]
  /** Groups of clients. */
  readonly clients: readonly string[]
}

/** For a server, whose clients have no names. */
export const namesOfObjects = ({ levels }: Pick<ObjectSet, 'levels'>): GoalNames => ({
  levels: levels.map(({ metadata }) => metadata.name),
  clients: [],
})

export const namesOf = (base: SweepBase): GoalNames => ({
  ...namesOfObjects(base.variant.objects),
  clients: base.kind === 'scenario' ? base.scenario.clients.map((group) => group.name) : [],
})

/** Parses a goal in words, or returns a sentence with the error. Until names are known, each is read as a level's. */
export function readGoal(text: string, names: GoalNames | undefined): Assertion | string {
  const words = text.trim().replaceAll(/\s+/g, ' ')
  const never = NEVER.exec(words)
  if (never !== null) {
    const [, name = '', what = ''] = never
    const of = subjectNamed(name, names)
    return typeof of === 'string' ? of : { of, measure: /^wait/i.test(what) ? 'waitMax' : 'failedPercent', most: 0 }
  }
  const [, measureText, name, sign, amount, unitText] = BOUND.exec(words) ?? []
  if (measureText === undefined || sign === undefined)
    return `${quoted(text)} is not a goal: write measure, name and bound, ${EXAMPLE}.`
  const measure = measureNamed(measureText)
  if (measure === undefined) return noMeasure(measureText)
  const of = name === undefined ? undefined : subjectNamed(name, names)
  if (typeof of === 'string') return of
  const units = UNITS[MEASURES[measure]] ?? {}
  const factor =
    unitText === undefined || unitText === '' ? 1 : Object.hasOwn(units, unitText) ? units[unitText] : undefined
  const value = Number(amount)
  if (factor === undefined || !Number.isFinite(value)) {
    return `${quoted(text)}: ${measure} is in ${Object.keys(units).join(' or ') || 'no unit'}, not ${quoted(unitText ?? '')}.`
  }
  return { of, measure, [sign === '<' || sign === '<=' || sign === '≤' ? 'most' : 'least']: value * factor }
}

/** Parses a guard rail in words: a goal, or a measure that may not rise. */
export function readGuardRail(text: string, names: GoalNames | undefined): GuardRail | string {
  const words = text.trim().replaceAll(/\s+/g, ' ')
  const [, measureText, each, name = ''] = NO_RISE.exec(words) ?? []
  if (measureText === undefined) return readGoal(text, names)
  const measure = measureNamed(measureText)
  if (measure === undefined) return noMeasure(measureText)
  if (MEASURES[measure] !== '%' && MEASURES[measure] !== 'ms')
    return `${quoted(measureText)} cannot be a guard rail of this kind: use rejections, failures or waits.`
  const of = each === undefined ? subjectNamed(name, names) : 'each level'
  return typeof of === 'string' && of !== 'each level' ? of : { of, measure, mayNotRise: true }
}

function noMeasure(text: string): string {
  const words = Object.keys(WORDS)
  const mend = meantOr(text, [...words, ...Object.keys(MEASURES)], `use one of ${words.join(', ')}`)
  return `There is no measure ${quoted(text)}: ${mend}`
}

const measureNamed = (text: string): MeasureName | undefined => {
  const lower = text.toLowerCase()
  return Object.hasOwn(WORDS, lower) ? WORDS[lower] : isMeasure(text) ? text : undefined
}

/** `level NAME`, `clients NAME`, or a name that only one of the two has. */
function subjectNamed(text: string, names: GoalNames | undefined): NonNullable<Measured['of']> | string {
  const [, kind, name = ''] = /^(?:(level|clients) )?(.+)$/.exec(text) ?? []
  if (names === undefined) return { kind: 'level', name }
  const { levels, clients: groups } = names
  const [isLevel, isGroup] = [kind !== 'clients' && levels.includes(name), kind !== 'level' && groups.includes(name)]
  if (isLevel && isGroup) {
    return `${quoted(name)} is a level and a group of clients: write “level ${name}” or “clients ${name}”.`
  }
  if (isLevel) return { kind: 'level', name }
  if (isGroup) return { kind: 'clients', name }
  const all = [...levels, ...groups]
  const mend = meantOr(name, all, `the names are ${all.slice(0, 20).join(', ')}.`)
  return `There is no level and no group of clients ${quoted(name)}: ${mend}`
}
