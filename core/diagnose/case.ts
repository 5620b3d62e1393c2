import { CAUSES, type CauseId } from '../contract/causes.ts'
import type { CausePlace, Finding } from '../contract/diagnosis.ts'
import { CAUSE_INFO } from './causeList.ts'
import { not, type Clue } from './clues.ts'
import type { Lever } from './explain.ts'
import type { LevelFacts } from './facts.ts'
import type { Remedy } from './remedies.ts'

/** A candidate cause at a place, with all facts that decide whether it applies. */
export interface Case {
  readonly cause: CauseId
  readonly place: CausePlace
  /** What happens, in one or two sentences. */
  readonly text: string
  /** Facts about the cause itself that it requires: one that does not hold contradicts it. */
  readonly needs: readonly Clue[]
  /** Circumstances in which it matters: where one does not hold, the data do not show the cause. */
  readonly within?: readonly Clue[]
  /** Facts that indicate another cause: where one holds, the data do not show this one. */
  readonly unless?: readonly Clue[]
  /** What makes it more or less likely. */
  readonly hints?: readonly Clue[]
  readonly remedy: Remedy
  /** What it does to a level, where that can be computed: how much of the trouble it explains follows from it. */
  readonly lever?: ((level: LevelFacts) => Lever) | undefined
  /** Whom or what to look at, the part of the harm that it explains, and since when. */
  readonly culprit?: string | undefined
  readonly share?: Finding['share'] | undefined
  readonly since?: Finding['since'] | undefined
  /** Absent: nobody. */
  readonly victims?: Finding['victims']
  /** Absent: metrics over time. */
  readonly tier?: Finding['tier']
  /** What is wrong although nothing queues. */
  readonly symptom?: string
}

export interface Judged {
  readonly given: Case
  /** The fact about it that excludes it, if any. */
  readonly excludedBy: Clue | undefined
  /** Whether the data show it: its facts hold or are unknown, in its circumstances, and no other cause explains them. */
  readonly isShown: boolean
  /** Whether each fact that it needs is known. */
  readonly known: boolean
  /** Whether more evidence than the full level supports it. */
  readonly hasEvidence: boolean
  readonly score: number
  /** The part of the trouble of the worst level that a cause of the whole server explains. */
  readonly ofWorst?: number
  /** It is a shape of the configuration or a consequence, in a place where a cause with more evidence acts. */
  readonly isBeside?: boolean
}

/** The weight of facts that hold for every level in trouble. */
const LITTLE = 1

const weightOf = ({ weight = 1 }: Clue): number => weight
const sum = (clues: readonly Clue[], holds: boolean): number =>
  clues.reduce((total, clue) => (clue.holds === holds ? total + weightOf(clue) : total), 0)

/** The score of a case: the weights of what holds, minus those of hints that contradict it. */
export function judge(given: Case): Judged {
  const { needs: own, within = [], unless = [], hints = [] } = given
  const needs = [...own, ...within]
  return {
    given,
    excludedBy: own.find(({ holds }) => holds === false),
    isShown: needs.every(({ holds }) => holds !== false) && unless.every(({ holds }) => holds !== true),
    hasEvidence: sum(needs, true) > LITTLE,
    known: needs.every(({ holds }) => holds !== undefined),
    score: sum(needs, true) + sum(hints, true) - sum(hints, false),
  }
}

/**
 * Most likely first: our own side, then causes whose facts are known, then those with the most evidence. Remaining ties
 * are in the order of the causes.
 */
export function byScore(a: Judged, b: Judged): number {
  const own = ({ given: { cause } }: Judged): number => (CAUSE_INFO[cause].group === 'own side' ? 0 : 1)
  return (
    own(a) - own(b) ||
    Number(b.known) - Number(a.known) ||
    b.score - a.score ||
    CAUSES.indexOf(a.given.cause) - CAUSES.indexOf(b.given.cause)
  )
}

/** A finding as text; each sentence is listed once. */
export function findingOf(
  { given, known, isBeside = false }: Judged,
  { from, to }: Pick<Finding, 'from' | 'to'>,
): Finding {
  const { cause, place, text, needs, within = [], unless = [], hints = [], remedy } = given
  const { culprit, share, since, victims = [], tier = 'metrics', symptom } = given
  const aside = [...hints, ...unless.map(not)].filter(({ holds, isAbsence = false }) => !(isAbsence && holds === true))
  const clues = [...needs, ...within, ...aside]
  const texts = (holds: boolean | undefined): readonly string[] => [
    ...new Set(clues.flatMap((clue) => (clue.holds === holds ? [clue.text] : []))),
  ]
  const [against, unknown] = [texts(false), texts(undefined)]
  return {
    cause,
    ...CAUSE_INFO[cause],
    text,
    confidence: !known || isBeside ? 'possible' : against.length > 0 || unknown.length > 0 ? 'likely' : 'strong',
    ...(culprit !== undefined && { culprit }),
    ...(share !== undefined && { share }),
    ...(since !== undefined && { since }),
    ...(symptom !== undefined && { symptom }),
    // Whoever causes it waits as well, and is no victim.
    victims: victims.filter(({ name }) => name !== culprit),
    tier,
    method: 'rule',
    place,
    from,
    to,
    evidenceFor: texts(true),
    evidenceAgainst: against,
    unknown,
    remedy: { text: remedy.text, manifests: remedy.manifests() },
  }
}
