import { divergences, fluidIdeal, realExecutions, type FluidClient } from '../../../../core/kep/fluid.ts'
import { msToNs, nsToMs, secondsToNs } from '../../../../core/units.ts'
import { format } from '../../../theme/format.ts'
import { choiceField, linesField, wholeField, wholeWord, type Definition } from './calculator.logic.ts'

const MOST_IN_FLIGHT = 100
const MOST_QUEUES = 8
/** Shorter requests would be too many to compute while somebody types. */
const LEAST_MS = 10

const queues = linesField({
  label: 'Queues',
  initial: '50 1 100\n4 2 100\n2 1 100',
  hint: 'requests in flight, width, ms (10 at least); one queue in each line',
  line: (words): FluidClient | undefined => {
    const [inFlight = 0, width = 0, ms = 0] = words.map(wholeWord)
    if (words.length !== 3 || inFlight < 1 || inFlight > MOST_IN_FLIGHT || width < 1 || width > 100 || ms < LEAST_MS)
      return undefined
    return { inFlight, width, lengthsNs: [msToNs(ms)] }
  },
})
const seats = wholeField('Seats of the level', 10, { least: 1, most: 50 })
const seconds = wholeField('Seconds', 5, { least: 1, most: 10 })
const show = choiceField('Show', [
  ['queues', 'each queue'],
  ['instants', 'the ideal over time'],
])
/** Rows of the ideal over time. */
const INSTANTS = 20

export const FLUID_IDEAL: Definition = {
  title: 'Beside the fluid ideal',
  follows:
    'Follows KEP-1040, Fair Queuing for Server Requests, intended behavior: every queue that is not empty gets μ = min(C, Σρ) / NEQ seats and executes its requests one after another, with their lengths known in advance. Clients send again as soon as they are answered; the ideal receives the same requests. That the first ones arrive together is a choice of the console.',
  upstream:
    'Kubernetes dispatches in the order of virtual finishes with a guess of 3 ms and corrects it when a request ends (specification 4.2, 4.6). The proposal bounds its distance from the ideal by C requests where widths are equal; a queue with fewer requests than its share of the seats falls behind without a bound, as its ideal would run faster than it can.',
  fields: [queues, seats, seconds, show],
  answer: (take) => {
    const clients = take(queues).slice(0, MOST_QUEUES)
    const limit = take(seats)
    const untilNs = secondsToNs(take(seconds))
    const real = realExecutions(clients, limit, { untilNs })
    const { instants } = fluidIdeal(real, limit)
    const apart = divergences(real, instants, untilNs)
    const most = Math.max(...apart.map(({ ahead, behind }) => Math.max(ahead, behind)))
    const bound =
      most > limit
        ? `more than the bound of ${format.fixed(limit)}, which holds for equal widths and queues that always want more than their share.`
        : `within the bound of ${format.fixed(limit)}.`
    const summary = `At most ${format.fixed(most, 1)} requests from the ideal: ${bound}`
    if (take(show) === 'instants') {
      const within = instants.filter(({ atNs }) => atNs <= untilNs)
      const step = Math.max(1, Math.floor(within.length / INSTANTS))
      return {
        summary,
        columns: ['Time', 'NEQ', 'μ', 'R, seat-s', 'ρ', 'NOS'],
        rows: within
          .filter((_, index) => index % step === 0)
          .map(({ atNs, nonEmpty, share, progress, wanted, occupied }) => [
            format.ms(nsToMs(atNs)),
            format.fixed(nonEmpty),
            format.fixed(share, 2),
            format.fixed(progress / secondsToNs(1), 2),
            wanted.join(' '),
            occupied.join(' '),
          ]),
      }
    }
    return {
      summary,
      columns: ['Queue', 'Served, seat-s', 'Ideal', 'Ahead, requests', 'Behind'],
      rows: apart.map(({ served, ideal, ahead, behind }, index) => [
        String(index),
        format.fixed(served, 2),
        format.fixed(ideal, 2),
        format.fixed(ahead, 1),
        format.fixed(behind, 1),
      ]),
    }
  },
}
