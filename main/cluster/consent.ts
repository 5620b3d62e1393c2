import { ProblemError } from '../../core/contract/errors.ts'
import { escapeControls } from '../../core/text/controls.ts'
import type { Consent as ConsentState } from '../../core/contract/source.ts'
import { createTopic, type Subscribable } from '../ports/topic.ts'
import type { NamedByOperator } from './namedByOperator.ts'

/** Something that a page asks for and only the operator may allow. */
export interface ConsentRequest {
  /** Same key, same answer: everything that the answer is about, and a digest of the file that it was read from. */
  readonly key: string
  /** What would be done, for the page: `run /usr/bin/aws eks get-token`. */
  readonly what: string
  /** For the operator: what the console would do, line by line. */
  readonly lines: readonly string[]
  /** What to do instead, as a sentence. */
  readonly remedy: string
}

/** `undefined`: no answer before the signal aborted. */
export type Ask = (lines: readonly string[], signal: AbortSignal) => Promise<boolean | undefined>

export interface ConsentOptions {
  readonly named: NamedByOperator
  /** Where the operator is asked, which no page can reach; absent where there is no such place. */
  readonly operator?: { readonly where: 'terminal' | 'window'; readonly ask: Ask } | undefined
  readonly now: () => number
  readonly timeoutMs?: number
}

/** What pages may have done with credentials, and what the operator has to allow. */
export interface Consent {
  readonly named: NamedByOperator
  /** Resolves once the operator has allowed it. Rejects with `ProblemError`. */
  confirm(request: ConsentRequest): Promise<void>
  /** The question that waits for an answer. */
  readonly state: Subscribable<ConsentState>
}

const TIMEOUT_MS = 120_000

/**
 * A page holds the same session as whoever got hold of its address, so what it asks for is no consent: the operator is
 * asked outside of it. One question waits at a time, a refusal holds as long as this process runs, and a confirmation
 * covers its key alone.
 */
export function createConsent({ named, operator, now, timeoutMs = TIMEOUT_MS }: ConsentOptions): Consent {
  const answers = new Map<string, Promise<boolean | undefined>>()
  const state = createTopic<ConsentState>()
  state.publish({ waiting: null })
  let asking = false

  const ask = async (request: ConsentRequest, { where, ask: put }: NonNullable<ConsentOptions['operator']>) => {
    asking = true
    const until = new Date(now() + timeoutMs).toISOString()
    state.publish({ waiting: { what: escapeControls(request.what), where, until } })
    try {
      return await put(request.lines.map(escapeControls), AbortSignal.timeout(timeoutMs))
    } finally {
      asking = false
      state.publish({ waiting: null })
    }
  }

  return {
    named,
    state,
    async confirm(request) {
      const { key, what, remedy } = request
      const refuse = (why: string): ProblemError => new ProblemError('credentials', `${why} ${remedy}`)
      let answer = answers.get(key)
      if (answer === undefined) {
        if (operator === undefined) {
          throw refuse(`A page may not ${escapeControls(what)}, and there is no terminal in which to ask you.`)
        }
        if (asking) throw refuse('Another question waits for your answer. Answer it, then try again.')
        answer = ask(request, operator)
        answers.set(key, answer)
      }
      const allowed = await answer.catch((error: unknown) => {
        answers.delete(key)
        throw error
      })
      if (allowed === true) return
      if (allowed === undefined) {
        answers.delete(key)
        throw refuse(`Nobody confirmed within ${timeoutMs / 1_000} s that the console may ${escapeControls(what)}.`)
      }
      throw refuse(`You refused to let the console ${escapeControls(what)}; the refusal holds until it is restarted.`)
    },
  }
}
