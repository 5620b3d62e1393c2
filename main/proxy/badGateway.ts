import { networkProblem } from '../cluster/httpProblems.ts'
import type { Refusal } from './answers.ts'

/** What the proxy says when the upstream could not be asked, or broke off before its answer. */
export function badGateway(error: Error, base: URL): Refusal {
  const { message, details = '' } = networkProblem(error, base)
  // A sentence that leaves the reason to the details brings them along: nobody sees them apart here.
  const sentence =
    details === '' ? message : message.replace(/(details say why)\.$/, (_, words) => `${words}: ${details}.`)
  return { status: 502, sentence }
}
