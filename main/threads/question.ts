import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { codeOf, NOT_CONNECTED, ProblemError, toProblem, type Problem } from '../../core/errors.ts'

/** A thread's answer to another thread. The code is a system error code: `EADDRINUSE`. */
type Answer = { readonly text: string } | { readonly problem: Problem; readonly code?: string }

/** Queries another thread over a separate line. Rejects as the other side did, or with `ProblemError` when it ended. */
export function ask(post: (answer: MessagePort) => void): Promise<string> {
  const { port1: own, port2: other } = new MessageChannel()
  return new Promise((resolve, reject) => {
    own.once('message', (given: Answer) => {
      if ('text' in given) resolve(given.text)
      else reject(errorOf(given))
    })
    own.once('close', () => reject(new ProblemError('cancelled', NOT_CONNECTED)))
    post(other)
  })
}

/** Answers such a query. */
export async function answer(line: MessagePort, find: () => Promise<string>): Promise<void> {
  const given = await find().then(
    (text): Answer => ({ text }),
    (error: unknown): Answer => ({ problem: toProblem(error), ...systemCode(error) }),
  )
  line.postMessage(given, [])
  line.close()
}

function systemCode(error: unknown): { readonly code?: string } {
  const code = codeOf(error)
  return typeof code === 'string' && !(error instanceof ProblemError) ? { code } : {}
}

function errorOf({ problem, code: ofSystem }: Exclude<Answer, { text: string }>): Error {
  if (ofSystem !== undefined) return Object.assign(new Error(problem.message), { code: ofSystem })
  return ProblemError.of(problem)
}
