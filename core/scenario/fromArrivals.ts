import { plain, significantly } from '../text/format.ts'
import { stringify } from 'yaml'
import { identityOf } from '../classify/identity.ts'
import { methodOfVerb, encoded, queryText } from '../classify/requestFields.ts'
import { byCodeUnits } from '../text/text.ts'
import { nsToMs, nsToSeconds } from '../units.ts'
import type { Arrival, Arrivals } from '../whatif/arrivals.ts'
import type { Variant } from '../whatif/variant.ts'
import { LONGEST_SECONDS } from './readAbout.ts'
import { MOST_CALLS } from './readClients.ts'

/** A scenario in the format of its file, and which requests it leaves out. */
export interface WrittenScenario {
  readonly file: object
  /** In sentences. */
  readonly notes: readonly string[]
}

/** Maximum number of groups in a file that people can still edit. */
const MOST_GROUPS = 200
/** A user who sends for less than this part of the time gets a beginning and an end. */
const ALWAYS = 0.9
/** If the standard deviation exceeds this part of the mean, the times are spread. */
const SPREAD = 0.5

/**
 * A scenario with clients that send, on average, the recorded requests: one group for each user, with its rate and the
 * mean execution time of each kind of request. A kind is what flow control distinguishes: verb, resource, namespace and
 * query.
 */
export function scenarioOfArrivals(
  arrivals: Arrivals,
  { maxRequestsInFlight, maxMutatingRequestsInFlight, version }: Variant,
): WrittenScenario {
  const seconds = Math.min(LONGEST_SECONDS, Math.max(1, Math.ceil(nsToSeconds(arrivals.endNs))))
  const usable = arrivals.list.filter(
    ({ atNs, request: { user, info } }) =>
      nsToSeconds(atNs) < seconds && user.name !== '' && !/[{}]/.test(user.name + info.path),
  )
  const users = [...Map.groupBy(usable, userKey).values()].toSorted(
    (a, b) => b.length - a.length || byCodeUnits(nameOf(a), nameOf(b)),
  )
  const shown = users.slice(0, MOST_GROUPS)
  const groups = named(shown).map(({ name, of }) => groupOf(name, of, seconds))
  const left = users.slice(MOST_GROUPS).reduce((sum, of) => sum + of.length, arrivals.list.length - usable.length)
  return {
    file: {
      name: 'recorded',
      title: 'Recorded requests',
      teaches: 'Clients that send the recorded requests on average. Describe here what the scenario shows.',
      seed: 1,
      seconds,
      server: { maxRequestsInFlight, maxMutatingRequestsInFlight, version },
      clients: groups.map(({ group }) => group),
      variants: [{ name: 'now' }],
    },
    notes: [
      ...arrivals.notes,
      'Arrivals are drawn from the mean rate of each user: bursts of the recording are smoothed, and no client waits for a response.',
      ...leftOut(left + groups.reduce((sum, { left: rest }) => sum + rest, 0)),
    ],
  }
}

/** The text of its file. Words that YAML 1.1 reads as other types, such as a user `n`, are quoted. */
export const textOfScenario = ({ file }: WrittenScenario): string =>
  stringify(file, { aliasDuplicateObjects: false, lineWidth: 120, compat: 'yaml-1.1' })

const leftOut = (count: number): readonly string[] =>
  count === 0
    ? []
    : [
        `${plain.counted(count, 'request is', 'requests are')} left out: a scenario from a recording covers its first hour and at most ${MOST_GROUPS} users with ${MOST_CALLS} kinds of requests each, without names that are empty or contain braces.`,
      ]

const userKey = ({ request: { user } }: Arrival): string =>
  JSON.stringify([user.name, user.groups.toSorted(byCodeUnits)])

const nameOf = ([first]: readonly Arrival[]): string => first?.request.user.name ?? ''

/** A user with several sets of groups becomes several clients, each with its own name. */
function named(users: readonly (readonly Arrival[])[]): readonly { name: string; of: readonly Arrival[] }[] {
  const taken = new Set<string>()
  return users.map((of) => {
    const user = nameOf(of)
    let name = user
    for (let number = 2; taken.has(name); number += 1) name = `${user} ${number}`
    taken.add(name)
    return { name, of }
  })
}

function groupOf(name: string, of: readonly Arrival[], seconds: number) {
  const kinds = [...Map.groupBy(of, kindKey).values()].toSorted((a, b) => b.length - a.length)
  const kept = kinds.slice(0, MOST_CALLS)
  const sent = kept.reduce((sum, { length }) => sum + length, 0)
  const window = windowOf(of, seconds)
  const user = of[0]?.request.user ?? { name: '', groups: [] }
  const usual = identityOf(user.name).groups
  const hasUsual = usual.length === user.groups.length && usual.every((group) => user.groups.includes(group))
  const lasts = (window?.to ?? seconds) - (window?.from ?? 0)
  const group = {
    name,
    user: user.name,
    ...(!hasUsual && { groups: user.groups }),
    perSecond: significantly(sent / lasts, 4),
    ...window,
    calls: kept.map(callOf),
  }
  return { group, left: of.length - sent }
}

/** When a user began and ended, whole seconds; `undefined` if it is active nearly all the time. */
function windowOf(of: readonly Arrival[], seconds: number): { from: number; to: number } | undefined {
  const times = of.map(({ atNs }) => nsToSeconds(atNs))
  const from = Math.min(seconds - 1, Math.floor(times.reduce((least, at) => Math.min(least, at), Infinity)))
  const to = Math.min(seconds, Math.floor(times.reduce((most, at) => Math.max(most, at), 0)) + 1)
  return to - from >= ALWAYS * seconds ? undefined : { from, to }
}

/** Names of objects do not matter to flow control, except for lists of one object. */
function kindKey({ request: { info, query } }: Arrival): string {
  if (!info.isResource) return JSON.stringify([info.verb, info.path])
  const { verb, apiGroup, resource, subresource, namespace } = info
  const options = [...query].filter(([key]) => key !== 'continue' && key !== 'resourceVersion')
  return JSON.stringify([verb, apiGroup, resource, subresource, namespace, options])
}

function callOf(of: readonly Arrival[]) {
  const [first] = of
  const times = of.map(({ executionNs }) => nsToMs(executionNs))
  const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length
  const variance = times.reduce((sum, ms) => sum + (ms - mean) ** 2, 0) / times.length
  return {
    request: first === undefined ? '' : requestText(first),
    weight: of.length,
    executionMs: significantly(mean, 4),
    distribution: Math.sqrt(variance) > SPREAD * mean ? 'exponential' : 'constant',
  }
}

function requestText({ request: { info, query } }: Arrival): string {
  const path = info.path.split('/').map(encoded).join('/')
  return `${methodOfVerb(info.verb)} ${path}${queryText([...query])}`
}
