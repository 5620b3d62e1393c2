import { networkProblem } from '../cluster/httpProblems.ts'
import type { Refusal } from './answers.ts'

/** The proxy's response when the upstream could not be reached, or broke off before its response. */
export function badGateway(error: Error, base: URL): Refusal {
  const { message, details = '' } = networkProblem(error, base)
  // A sentence that refers to the details for the reason includes them: the response has no separate details.
  const sentence =
    details === '' ? message : message.replace(/(details show the cause)\.$/, (_, words) => `${words}: ${details}.`)
  return { status: 502, sentence }
}
