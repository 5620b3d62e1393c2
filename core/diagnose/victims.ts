import type { Finding } from '../contract/diagnosis.ts'
import { levelIn } from '../twin/observe.ts'
import { flowIncrease, quantiles } from '../frame/rates.ts'
import { allRejected, rejectedSince } from '../frame/recent.ts'
import { plain } from '../text/format.ts'
import { fewOf } from '../text/text.ts'
import { clientName, FEW_SEEN, type ClientUse, type Ledger } from '../verdict/ledger.ts'
import { executionPairs, withExempt } from './clues.ts'
import { isSlower } from './slower.ts'
import { NOTICED_SECONDS, type LevelFacts, type ServerFacts } from './facts.ts'
import { byUser } from './suspects.ts'

type Victim = Finding['victims'][number]
const MOST_VICTIMS = 100
/** With fewer waiting requests in all dumps, how long those of a client wait is chance. */
const FEW = 3
/** Whoever suffers less than this part of what the worst suffers is spared. */
const SMALL_HARM = 0.05

/** Who suffers in a level and does not cause it: clients, where the source tells them, else flow schemas. */
export function victimsIn(server: ServerFacts, level: LevelFacts, culprits: ReadonlySet<string>): readonly Victim[] {
  const { ledger, earlier } = server
  if (ledger.dumps + ledger.requests === 0) return schemasIn(server, level, new Set())
  const others = byUser(ledger, level.name).filter(({ name }) => !culprits.has(name))
  const was = new Map(byUser(earlier, level.name).map(({ name, uses }) => [name, waitOf(uses)]))
  const found = others
    .flatMap(({ name, uses }) => {
      const suffering = sufferingOf(uses)
      return suffering === undefined ? [] : [{ name, ...suffering, before: was.get(name) }]
    })
    .toSorted((a, b) => b.harm - a.harm)
    .filter(({ harm }, _, [worst]) => harm >= SMALL_HARM * (worst?.harm ?? 0))
    .slice(0, MOST_VICTIMS)
    .map(({ name, text, before }) => ({
      name,
      text: before === undefined ? text : `${text} (${plain.seconds(before)} before)`,
    }))
  const seen = [...found, ...together(level.name, others, new Set(found.map(({ name }) => name)))]
  // Dumps never contain what is rejected, and seldom the requests of small clients.
  const shown = new Set(found.map(({ name }) => name))
  const known = ledger.clients.filter(
    (client) => client.level === level.name && (culprits.has(clientName(client)) || shown.has(clientName(client))),
  )
  return [...seen, ...schemasIn(server, level, new Set(known.map(({ schema }) => schema)))]
}

/** Whoever stands out in a level: whatever its trouble is, they are no victims of it. */
export const suspectsIn = ({ suspects }: LevelFacts): ReadonlySet<string> => new Set(suspects.map(({ name }) => name))

/** Clients that send too little for dumps to show how long each of them waits; all of them show it. */
function together(level: string, others: ReturnType<typeof byUser>, named: ReadonlySet<string>): readonly Victim[] {
  const rest = others.filter(({ name, uses }) => !named.has(name) && uses.every(({ fewWaiting }) => fewWaiting < FEW))
  const suffering = rest.length < 3 ? undefined : sufferingOf(rest.flatMap(({ uses }) => uses))
  const most = named.size > 0 ? 'more' : 'small'
  return suffering === undefined
    ? []
    : [{ name: `${rest.length} ${most} clients of ${level}`, text: suffering.text.replace(' of its ', ' of their ') }]
}

/** Seconds or requests, to compare clients, and what it suffers in words; `undefined` if it does not. */
export function sufferingOf(uses: readonly ClientUse[]): { readonly harm: number; readonly text: string } | undefined {
  const sum = (of: (use: ClientUse) => number): number => uses.reduce((all, use) => all + of(use), 0)
  const [rejected, sent] = [sum((use) => use.sent?.rejected ?? 0), sum((use) => use.sent?.count ?? 0)]
  const waited = waitOf(uses)
  const [waiting, seen] = [sum((use) => use.seenWaiting), sum((use) => use.seenWaiting + use.seenExecuting)]
  const parts = [
    ...(rejected > 0 ? [`${plain.amount(rejected)} of ${plain.counted(sent, 'request')} rejected`] : []),
    ...(waited !== undefined && waited >= NOTICED_SECONDS ? [`waits ${plain.seconds(waited)}`] : []),
  ]
  if (parts.length > 0) return { harm: rejected + (waited ?? 0), text: parts.join(', ') }
  const age = sum((use) => (use.waited ?? 0) * use.seenWaiting) / Math.max(1, waiting)
  // A request is observed halfway through its wait on average.
  const [few, fewSeen] = [sum((use) => use.fewWaiting), sum((use) => use.fewSeen)]
  if (few < FEW || 2 * age < NOTICED_SECONDS) return undefined
  const part =
    fewSeen < FEW_SEEN
      ? `${plain.amount(few)} of ${plain.counted(fewSeen, 'request')} seen`
      : `${plain.percent(waiting / seen)} of its requests under way`
  // Dumps show a request that waits for long again and again: of many, only their share says something.
  return { harm: (waiting / seen) * age, text: `${part} wait, for ${plain.seconds(age)} so far` }
}

/** Mean wait of its single requests, seconds. */
function waitOf(uses: readonly ClientUse[]): number | undefined {
  const known = uses.flatMap(({ sent }) => (sent?.waited === undefined ? [] : [{ ...sent, waited: sent.waited }]))
  const count = known.reduce((all, sent) => all + sent.count, 0)
  return count === 0 ? undefined : known.reduce((all, sent) => all + sent.waited * sent.count, 0) / count
}

/** Flow schemas of a level whose requests wait noticeably or are rejected, from its metrics. */
function schemasIn(
  { pages, last, ledger }: ServerFacts,
  { name }: LevelFacts,
  culprits: ReadonlySet<string>,
): readonly Victim[] {
  const [now, then] = [last, pages[0]].map((page) => page && levelIn(page, name))
  return (now?.schemas ?? []).flatMap((schema): readonly Victim[] => {
    if (culprits.has(schema.name)) return []
    const earlier = then?.schemas.find((one) => one.name === schema.name)
    const rejected = allRejected(rejectedSince(schema, earlier))
    const { waitP99, waitP99Range } = quantiles(flowIncrease(schema, earlier))
    const parts = [
      ...(rejected > 0 ? [`${plain.counted(rejected, 'request')} rejected`] : []),
      ...((waitP99 ?? 0) >= NOTICED_SECONDS ? [`wait p99 ${plain.quantile(waitP99, waitP99Range)}`] : []),
    ]
    const clients = new Set(ledger.clients.filter((client) => client.schema === schema.name).map(clientName))
    const seen = clients.size === 0 ? [] : [`clients seen: ${fewOf([...clients])}`]
    return parts.length === 0 ? [] : [{ name: `flow schema ${schema.name}`, text: [...parts, ...seen].join(', ') }]
  })
}

/** A client has so many times more requests under way than before where they take longer, or more are sent. */
const GROWN = 2
const FEWEST_SEEN = 3

/**
 * Who waits for a server whose requests take longer than before: clients that dumps tell, and flow schemas of which they
 * tell none.
 */
export function slowedIn(server: ServerFacts): readonly Victim[] {
  const { levels, ledger, earlier } = server
  const culprits = new Set(levels.flatMap(({ suspects }) => suspects.map(({ name }) => name)))
  const clients = ledger.dumps === 0 || earlier.dumps === 0 ? [] : grown(ledger, earlier, culprits)
  const named = new Set(clients.map(({ name }) => name))
  const theirs = new Set(ledger.clients.flatMap((one) => (named.has(clientName(one)) ? [one.schema] : [])))
  const schemas = executionPairs(withExempt(server))
    .filter((pair) => isSlower(pair) && !theirs.has(pair.schema.schema))
    .toSorted((a, b) => b.is / b.was - a.is / a.was)
    .map(({ schema: { schema }, was, is }) => ({
      name: `flow schema ${schema}`,
      text: `executes ${plain.seconds(is)} (${plain.seconds(was)} before)`,
    }))
  return [...clients, ...schemas]
}

/** Clients that were there before and have more requests under way now. */
function grown(now: Ledger, before: Ledger, culprits: ReadonlySet<string>): readonly Victim[] {
  const [is, was] = [underWay(now), underWay(before)]
  return [...is]
    .flatMap(([name, one]) => {
      const then = was.get(name) ?? { mean: 0, seen: 0 }
      // A few observations may be many more or fewer by chance.
      const ratio = (one.mean * before.dumps) / (then.seen + Math.sqrt(then.seen) + 1)
      return culprits.has(name) || one.seen < FEWEST_SEEN || ratio < GROWN || !was.has(name)
        ? []
        : [{ name, ratio, mean: one.mean, earlier: then.mean }]
    })
    .toSorted((a, b) => b.mean - a.mean)
    .slice(0, MOST_VICTIMS)
    .map(({ name, mean, earlier }) => ({
      name,
      text: `${plain.amount(mean)} requests under way at once, ${plain.amount(earlier)} before`,
    }))
}

/** Requests of each client in an average dump, and in all of them. */
function underWay({ clients }: Ledger): ReadonlyMap<string, { readonly mean: number; readonly seen: number }> {
  const found = new Map<string, { mean: number; seen: number }>()
  for (const client of clients) {
    const name = clientName(client)
    const one = found.get(name) ?? { mean: 0, seen: 0 }
    found.set(name, {
      mean: one.mean + client.waiting + client.executing,
      seen: one.seen + client.seenWaiting + client.seenExecuting,
    })
  }
  return found
}
