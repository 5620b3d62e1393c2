import { QuestionError } from '../../core/conformance/question.ts'
import { type Difference, difference } from './difference.ts'
import { Oracle, generate, isCertain } from './oracle.ts'
import { shrink } from './shrink.ts'

/** What is compared with upstream: answers a question, as `core/conformance` does. */
export type Answer = (subcommand: string, question: unknown) => unknown

export interface Mismatch {
  /** The random cases that it is one of: `oracle gen` makes them again. */
  readonly kind: string
  readonly seed: number
  readonly index: number
  /** The smallest form of the question that still differs, and where its answers do. */
  readonly question: unknown
  readonly difference: Difference
}

/** `queueset-basic` is answered by `queueset`. */
export const subcommandOf = (kind: string): string => kind.split('-')[0] ?? kind

/** Compares fresh random cases of a kind. Answers the first mismatch, in its smallest form. */
export async function compare(
  path: string,
  cases: { readonly kind: string; readonly seed: number; readonly count: number },
  answer: Answer,
): Promise<Mismatch | undefined> {
  const { kind, seed, count } = cases
  const subcommand = subcommandOf(kind)
  const generated = await generate(path, kind, seed, count)
  if (generated.length !== count) throw new Error(`${generated.length} cases of ${kind} instead of ${count}`)
  for (const [index, { in: question, out }] of generated.entries()) {
    if (difference(subcommand, answerOrRefusal(answer, subcommand, question), out) === undefined) continue
    return { kind, seed, index, ...(await smallest(path, subcommand, question, answer)) }
  }
  return undefined
}

async function smallest(path: string, subcommand: string, question: unknown, answer: Answer) {
  const oracle = new Oracle(path, subcommand)
  let found: Difference | undefined
  const differs = async (candidate: unknown): Promise<boolean> => {
    const upstreams = await oracle.ask(candidate)
    if (upstreams === undefined || !isCertain(subcommand, upstreams)) return false
    const ours = answerOrRefusal(answer, subcommand, candidate)
    // A list may become too short to be a question; that is not what went wrong.
    if (ours instanceof Refusal && found !== undefined && !(found.ours instanceof Refusal)) return false
    const now = difference(subcommand, ours, upstreams)
    if (now !== undefined) found = ours instanceof Refusal ? { ...now, ours } : now
    return now !== undefined
  }
  try {
    if (!(await differs(question)) || found === undefined) {
      throw new Error(`upstream answers this question in more than one way: ${JSON.stringify(question)}`)
    }
    const least = await shrink(subcommand, question as Readonly<Record<string, unknown>>, differs)
    return { question: least, difference: found }
  } finally {
    oracle.stop()
  }
}

/** The engine's error instead of an answer. If upstream answers, it is a mismatch like any other. */
class Refusal {
  readonly refused: string

  constructor(refused: string) {
    this.refused = refused
  }
}

function answerOrRefusal(answer: Answer, subcommand: string, question: unknown): unknown {
  try {
    return answer(subcommand, question)
  } catch (error) {
    if (error instanceof QuestionError) return new Refusal(error.message)
    throw error
  }
}
