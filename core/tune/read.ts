import { objectNamed, DEFAULT_SHARES, type LimitedSpec } from '../config/objects.ts'
import { entry, type Finding, member } from '../config/finding.ts'
import type { Read } from '../config/jsonValues.ts'
import { readAs } from '../config/members.ts'
import { MOST_TUNE_TEXTS, TUNE_EVALUATIONS, TUNE_SEEDS } from '../bounds.ts'
import { WHAT_IF_SEED } from '../contract/whatif.ts'
import { type DocumentKind, readDocument, type ReadDocument } from '../scenario/document.ts'
import { readAssertion, resulting } from '../scenario/readMeasured.ts'
import type { Assertion } from '../scenario/scenario.ts'
import { bounded, problem } from '../scenario/values.ts'
import { fitFindings, readBase, readParameter, type WrittenBase } from '../sweep/read.ts'
import type { Parameter, SweepBase } from '../sweep/sweep.ts'
import { type GoalNames, namesOf, readGoal, readGuardRail } from './goalText.ts'
import { isNoRise } from './guardRail.ts'
import type { GuardRail, Knob, TunePlan } from './tune.ts'
import { isLegalShape } from '../config/shape.ts'

/** A goal as written in a file: fields, or words, which can only be interpreted with a base. */
export type WrittenGoal = Assertion | string

/** The content of a tuning file. */
export interface WrittenTune extends Pick<TunePlan, 'name' | 'evaluations' | 'seed' | 'seeds'> {
  readonly base: WrittenBase
  readonly goals: readonly WrittenGoal[]
  readonly guardRails: readonly WrittenGoal[]
  /** The settings that may be changed; if empty, all settings of the levels with requests. */
  readonly parameters: readonly Parameter[]
}

const MOST_PARAMETERS = 100

/** Reads a tuning from YAML or JSON. Never throws. */
export const readTune = (text: string, file: string): ReadDocument<WrittenTune> =>
  readDocument({ text, file }, TUNE_FILE)

const TUNE_FILE: DocumentKind<WrittenTune> = { kind: 'Tune', noun: 'tuning', needs: 'a name, a base and goals', decode }

const readWrittenGoal: Read<WrittenGoal> = (value, at, findings) =>
  typeof value === 'string' ? value : resulting(readAssertion(value, at, findings), at, findings)

const readWritten = readAs((members) => ({
  name: members.text('name'),
  base: members.nested('base', readBase),
  goals: members.list('goals', readWrittenGoal),
  guardRails: members.list('guardRails', readWrittenGoal),
  parameters: members.list('parameters', readParameter),
  evaluations:
    members.given('evaluations', bounded({ ...TUNE_EVALUATIONS, whole: true })).evaluations ?? TUNE_EVALUATIONS.usual,
  seed: members.given('seed', bounded({ ...WHAT_IF_SEED, whole: true })).seed ?? 1,
  seeds: members.given('seeds', bounded({ ...TUNE_SEEDS, whole: true })).seeds ?? TUNE_SEEDS.usual,
}))

function decode(value: unknown, findings: Finding[]): WrittenTune {
  const written = readWritten(value, '', findings)
  const { name, goals, guardRails, parameters } = written
  if (name === '') findings.push(problem('name', 'A tuning needs a name.'))
  if (goals.length === 0) findings.push(problem('goals', 'A tuning needs a goal, such as “leases never wait”.'))
  if (goals.length + guardRails.length > MOST_TUNE_TEXTS)
    findings.push(problem('goals', `A tuning has at most ${MOST_TUNE_TEXTS} goals and guard rails.`))
  if (parameters.length > MOST_PARAMETERS)
    findings.push(problem('parameters', `A tuning has at most ${MOST_PARAMETERS} parameters.`))
  for (const [index, { of }] of parameters.entries()) {
    if (of?.kind !== 'level')
      findings.push(problem(member(entry('parameters', index), 'field'), 'Tuning changes levels only: name a level.'))
  }
  return written
}

/**
 * The error in the first invalid goal or guard rail in words, in a sentence. Needs no run and no twin; without names,
 * only the other words are checked.
 */
export function misspelt(
  { goals, guardRails }: Pick<WrittenTune, 'goals' | 'guardRails'>,
  names?: GoalNames,
): string | undefined {
  const wrong = (
    texts: readonly WrittenGoal[],
    read: (text: string, names: GoalNames | undefined) => unknown,
  ): readonly string[] =>
    texts.flatMap((text) => {
      const found = typeof text === 'string' ? read(text, names) : undefined
      return typeof found === 'string' ? [found] : []
    })
  return [...wrong(goals, readGoal), ...wrong(guardRails, readGuardRail)][0]
}

/** Combines a file with its base: the plan to search, or the mismatches with the base. */
export function planOf(
  { name, goals, guardRails, parameters, evaluations, seed, seeds }: Omit<WrittenTune, 'base'>,
  base: SweepBase,
  levelsWithRequests: ReadonlySet<string>,
): { readonly plan: TunePlan; readonly findings: readonly Finding[] } {
  const findings: Finding[] = []
  const read = <T>(
    written: readonly (T | string)[],
    list: string,
    inWords: (text: string, names: GoalNames) => T | string,
  ): readonly T[] =>
    written.flatMap((goal, index) => {
      const assertion = typeof goal === 'string' ? inWords(goal, namesOf(base)) : goal
      if (typeof assertion !== 'string') return [assertion]
      findings.push(problem(entry(list, index), assertion))
      return []
    })
  const both = {
    goals: read<Assertion>(goals, 'goals', readGoal),
    guardRails: read<GuardRail>(guardRails, 'guardRails', readGuardRail),
  }
  const { guardRails: rails } = both
  // Measures that may not rise were read with the names of the base.
  const bounds = rails.map((rail) => (isNoRise(rail) ? { of: undefined, measure: rail.measure } : rail))
  const measured = findings.length > 0 ? {} : { goals: both.goals, guardRails: bounds }
  for (const added of fitFindings({ parameters, measured }, base)) findings.push(added)
  const knobs = parameters.length === 0 ? usualKnobs(base, levelsWithRequests) : knobsOf(parameters, base)
  return { plan: { name, ...both, knobs, evaluations, seed, seeds }, findings }
}

const knobsOf = (parameters: readonly Parameter[], base: SweepBase): readonly Knob[] =>
  parameters.flatMap(({ of, field, values }) => {
    const level = objectNamed(base.variant.objects.levels, of?.name)
    const limited = level?.spec.limited
    return limited === undefined || of === undefined ? [] : [knobOf(limited, { name: of.name, field, values })]
  })

/** Shares and queue lengths are tried as multiples of their present values. */
const FACTORS = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8] as const
const LENDABLE = [0, 10, 25, 50, 75, 90] as const
const BORROWING = [0, 25, 50, 100, 200, 400] as const
const QUEUES = [1, 4, 16, 32, 64, 128, 256, 512] as const
const HANDS = [1, 2, 4, 6, 8, 10, 12] as const
const MOST_SHARES = 10_000
const MOST_LENGTH = 5_000

/** The value of a field of a Limited level; `undefined` if it has none. */
function presentValue(limited: LimitedSpec, field: string): number | undefined {
  const {
    nominalConcurrencyShares = DEFAULT_SHARES,
    lendablePercent = 0,
    borrowingLimitPercent,
    limitResponse,
  } = limited
  const { queues, handSize, queueLengthLimit } = limitResponse.queuing ?? {}
  const values: Readonly<Record<string, number | undefined>> = {
    nominalConcurrencyShares,
    lendablePercent,
    borrowingLimitPercent,
    queues,
    handSize,
    queueLengthLimit,
  }
  return values[field]
}

/** Everything that tuning may change in these levels, with the values to try. */
function usualKnobs({ variant }: SweepBase, levels: ReadonlySet<string>): readonly Knob[] {
  return variant.objects.levels.flatMap(({ metadata: { name }, spec: { limited } }) => {
    if (limited === undefined || !levels.has(name)) return []
    const knob = (field: string, values: readonly number[]): Knob => knobOf(limited, { name, field, values })
    const { nominalConcurrencyShares: shares = DEFAULT_SHARES, limitResponse } = limited
    const { queuing } = limitResponse
    return [
      knob('nominalConcurrencyShares', multiples(Math.max(1, shares), MOST_SHARES)),
      knob('lendablePercent', LENDABLE),
      knob('borrowingLimitPercent', BORROWING),
      ...(queuing === undefined
        ? []
        : [
            knob(
              'queues',
              QUEUES.filter((queues) => isLegalShape({ queues, handSize: Math.min(queuing.handSize, queues) })),
            ),
            knob(
              'handSize',
              HANDS.filter((handSize) => isLegalShape({ queues: queuing.queues, handSize })),
            ),
            knob('queueLengthLimit', multiples(queuing.queueLengthLimit, MOST_LENGTH)),
          ]),
    ]
  })
}

const multiples = (value: number, most: number): readonly number[] => [
  ...new Set(FACTORS.map((factor) => Math.min(most, Math.max(1, Math.round(value * factor))))),
]

/** A knob with its present value among its values, ascending. */
function knobOf(
  limited: LimitedSpec,
  { name, field, values }: { readonly name: string; readonly field: string; readonly values: readonly number[] },
): Knob {
  const present = presentValue(limited, field)
  const all = new Set([...values, ...(present === undefined ? [] : [present])])
  return {
    of: { kind: 'level', name },
    field,
    values: [...all].toSorted((a, b) => a - b),
    ...(present !== undefined && { present }),
  }
}
