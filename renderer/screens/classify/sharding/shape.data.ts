import type { PriorityLevelConfiguration, Queuing } from '../../../../core/config/objects.ts'
import { MOST_QUEUES, shapeProblem } from '../../../../core/config/shape.ts'
import { format } from '../../../theme/format.ts'

/** A level whose requests wait in queues. */
export interface QueueingLevel {
  /** What the address of the page calls it: its name, after `draft/` when the shape is the draft's. */
  readonly key: string
  readonly name: string
  readonly queuing: Queuing
  readonly drafted: boolean
}

/** The levels that have queues, in the given order. */
export const queueingLevels = (
  levels: readonly PriorityLevelConfiguration[],
  drafted = false,
): readonly QueueingLevel[] =>
  levels.flatMap(({ metadata: { name }, spec }) => {
    const queuing = spec.limited?.limitResponse.queuing
    return queuing === undefined ? [] : [{ key: drafted ? `draft/${name}` : name, name, queuing, drafted }]
  })

/** The levels of now, and those to which a draft gives another shape. */
export function levelChoices(
  levels: readonly PriorityLevelConfiguration[],
  draft: readonly PriorityLevelConfiguration[],
): readonly QueueingLevel[] {
  const now = queueingLevels(levels)
  const changed = queueingLevels(draft, true).filter(({ name, queuing }) => {
    const before = now.find((one) => one.name === name)
    return before === undefined || SHAPE_FIELDS.some((field) => before.queuing[field] !== queuing[field])
  })
  return [...now, ...changed]
}

export const SHAPE_FIELDS = ['queues', 'handSize', 'queueLengthLimit'] as const
export type ShapeField = (typeof SHAPE_FIELDS)[number]
export type ShapeForm = Readonly<Record<ShapeField, string>>

export const formOf = ({ queues, handSize, queueLengthLimit }: Queuing): ShapeForm => ({
  queues: String(queues),
  handSize: String(handSize),
  queueLengthLimit: String(queueLengthLimit),
})

/** A whole number within bounds, as somebody types it; `undefined` when it is none. */
export function wholeNumber(text: string, least: number, most: number): number | undefined {
  const number = Number(text)
  return text.trim() !== '' && Number.isInteger(number) && number >= least && number <= most ? number : undefined
}

export const MOST_LENGTH = 2 ** 31 - 1

export type ReadShape =
  | { readonly ok: true; readonly queuing: Queuing }
  | {
      readonly ok: false
      readonly errors: Partial<Readonly<Record<ShapeField, string>>>
      /** Why no server deals from the shape, when it is one. */
      readonly problem?: string
    }

/** The shape that a form describes, or a sentence for each field that is wrong. */
export function readShape(form: ShapeForm): ReadShape {
  const queues = wholeNumber(form.queues, 1, MOST_QUEUES)
  const handSize = wholeNumber(form.handSize, 1, MOST_QUEUES)
  const queueLengthLimit = wholeNumber(form.queueLengthLimit, 1, MOST_LENGTH)
  if (queues === undefined || handSize === undefined || queueLengthLimit === undefined) {
    const errors: Partial<Record<ShapeField, string>> = {}
    if (queues === undefined) errors.queues = `A whole number from 1 to ${format.fixed(MOST_QUEUES)}.`
    if (handSize === undefined) errors.handSize = 'A whole number from 1 on.'
    if (queueLengthLimit === undefined) errors.queueLengthLimit = 'A whole number from 1 on.'
    return { ok: false, errors }
  }
  const problem = shapeProblem({ queues, handSize })
  if (problem !== undefined) return { ok: false, errors: { handSize: 'Not legal.' }, problem }
  return { ok: true, queuing: { queues, handSize, queueLengthLimit } }
}

/** A chance with three digits, so that shapes which are nearly as good differ: `2.21 %`, `1.8e−5`. */
export const chance = (odds: number): string =>
  odds >= 0.001 ? `${format.significant(odds * 100)} %` : format.probability(odds)

/** What the page says first. */
export function oddsSentence({ queues, handSize }: Queuing, elephants: number, covered: number): string {
  if (queues === 1) return 'With one queue, all flows wait behind each other.'
  const who = elephants === 1 ? '1 elephant covers' : `${format.fixed(elephants)} elephants cover`
  return `With ${format.fixed(queues)} queues and hands of ${handSize}, ${who} a small flow’s hand with probability ${chance(covered)}.`
}
