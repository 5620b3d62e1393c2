import {
  amount,
  LEVEL_COLUMN,
  counted,
  numberColumns,
  phrase,
  type Amount,
  type Answer,
  type Cell,
  type Column,
  type Sentence,
} from '../answer/answer.ts'
import type { GoalEvidence, LevelEvidence, LevelNumbers, TuneAnswer, TuneProposal } from '../contract/tune.ts'
import { changeOf } from '../config/fieldWords.ts'
import { exact, plural } from '../text/format.ts'

/** The best edit found, and the runner-up: what changes, which goals it meets, what it costs, and each level. */
export const presentTune = ({ answer, runnerUp, evaluations }: Omit<TuneAnswer, 'notes'>): readonly Answer[] => [
  present(headline(answer, evaluations), answer),
  ...(runnerUp === undefined ? [] : [present(['Runner-up, which changes other settings'], runnerUp)]),
]

function headline({ met, changes, seeds }: TuneProposal, evaluations: number): Sentence {
  const tried = phrase`(${counted(evaluations, 'edit')} tried).`
  const held = heldSeeds(seeds)
  const how = held.length === 0 ? held : phrase` ${held}`
  if (changes.length === 0) {
    if (met && evaluations === 0) return phrase`The current objects already meet the goals${how}, so no edit was tried.`
    return met
      ? phrase`The current objects already meet the goals${how} ${tried}`
      : phrase`No edit found that helps ${tried}`
  }
  return met
    ? phrase`An edit meets the goals${how} ${tried}`
    : phrase`No edit meets the goals; this one comes closest ${tried}`
}

/** `with 4 of 5 seeds`; empty for recorded requests, which have none. */
function heldSeeds({ met, missed }: TuneProposal['seeds']): Sentence {
  const all = met.length + missed.length
  return all === 0 ? [] : phrase`with ${String(met.length)} of ${counted(all, 'seed')}`
}

const present = (
  title: Sentence,
  { changes, goals, guardRails, seeds, costs, findings, levels }: TuneProposal,
): Answer => ({
  title,
  evidence: [
    ...changes.map(({ setting, from, to }) => [settingText(setting, from, to)]),
    ...goals.map((goal) => goalSentence('Goal', goal)),
    ...guardRails.map((rail) => goalSentence('Guard rail', rail)),
    ...seedSentence(seeds),
    ...(costs.length === 0 && changes.length > 0 ? [NO_COSTS] : costs).map((cost) => [cost]),
    ...findings.map((finding) => [finding]),
  ],
  tables: [{ title: 'Levels', note: 'before and after the edit', columns: COLUMNS, rows: levels.map(levelRow) }],
})

/** `workload-low: lendable 90 % → 50 %`. The name of a level may contain dots. */
function settingText(setting: string, from: number | undefined, to: number): string {
  const dot = setting.lastIndexOf('.')
  const values = [from === undefined ? 'not set' : exact(from), exact(to)] as const
  return `${setting.slice(0, dot)}: ${changeOf(setting.slice(dot + 1), ...values)}`
}

const NO_COSTS = 'No level has 10 % longer waits, 0.1 % more of its requests rejected, or 2 % fewer requests served.'

/** `Goal met: wait p99 of level workload-high ≤ 1000 ms (1,500 → 20 ms)`. */
function goalSentence(kind: string, { goal, unit, before, after, metAfter }: GoalEvidence): Sentence {
  const [from, to] = [amount('amount')(before), amount('amount')(after)]
  return phrase`${kind} ${metAfter ? 'met' : 'not met'}: ${goal} (${from} → ${to}${unit === '' ? '' : ` ${unit}`})`
}

function seedSentence({ met, missed }: TuneProposal['seeds']): readonly Sentence[] {
  const held = heldSeeds({ met, missed })
  if (held.length === 0) return []
  const which = [met.length > 0 && listOf(met), missed.length > 0 && `not with ${listOf(missed)}`].filter(Boolean)
  return [phrase`Holds ${held}: ${which.join('; ')}.`]
}

const listOf = (seeds: readonly number[]): string => `${plural(seeds.length, 'seed', 'seeds')} ${seeds.join(', ')}`

const COLUMNS: readonly Column[] = [
  LEVEL_COLUMN,
  ...numberColumns('Requests', 'Served', 'Rejected', 'Wait p99', 'Seats', 'Limit'),
]

function levelRow({ level, before, after }: LevelEvidence): readonly Cell[] {
  const both = (of: (numbers: LevelNumbers) => Amount | string): Cell => ({ from: of(before), to: of(after) })
  return [
    level,
    both(({ offered }) => amount('fixed')(offered)),
    both(({ served }) => amount('fixed')(served)),
    both(({ rejectedPercent }) => amount('percent', { decimals: 1 })(rejectedPercent / 100)),
    both(({ waitP99, served }) => (served === 0 ? 'none served' : amount('ms')(waitP99))),
    both(({ seats }) => amount('seatsAverage')(seats)),
    both(({ limit }) => amount('seatsAverage')(limit)),
  ]
}
