import { THRESHOLDS } from '../alerts/rules.ts'
import { orderFlowSchemas } from '../request/match.ts'
import { plain } from '../text/format.ts'
import type { Case } from './case.ts'
import { grownIn, slowFactor, type Grown } from './explain.ts'
import {
  executionPairs,
  fact,
  isExemptFlood,
  justStarted,
  moreRequests,
  newFlood,
  newSuspect,
  not,
  oneFlow,
  sameServer,
  slowEverywhere,
  trouble,
  weighing,
  type Clue,
} from './clues.ts'
import { isSlower } from './slower.ts'
import { meanOf } from '../twin/observe.ts'
import { MS_PER_SECOND } from '../units.ts'
import { clientName, pressureOf } from '../verdict/ledger.ts'
import { arrivalsOf, isCalm, isTroubled, troubleOf, type LevelFacts, type ServerFacts } from './facts.ts'
import { advice, type Known } from './remedies.ts'
import { classifyingConfiguration } from '../classify/configuration.ts'
import { EXEMPT, type ObjectSet } from '../config/objects.ts'
import { effectText } from './changes.ts'
import type { Finding } from '../contract/diagnosis.ts'
import { victimNames } from '../verdict/cause.ts'
import { byUser, WIDE } from './suspects.ts'
import { slowedIn, suspectsIn, victimsIn } from './victims.ts'
import { fewOf, listed } from '../text/text.ts'

/** Fraction of its seats from which a server is full. */
const FULL_SERVER = 0.9
/** A level of another server that uses less than this fraction of its limit could take more load. */
const IDLE_LEVEL = 0.5

/** Causes in a server as a whole. */
export function serverCases(server: ServerFacts, others: readonly ServerFacts[]): readonly Case[] {
  const place = { server: server.id }
  const troubled = server.levels.filter(isTroubled).toSorted((a, b) => troubleOf(b) - troubleOf(a))
  const [worst] = troubled
  const inTrouble = fact(worst !== undefined, worst === undefined ? 'No request waits or is rejected.' : trouble(worst))
  const everywhere = slowEverywhere(server)
  const ofFlood = slowedByFlood(server)
  const exemptShare = server.allSeats === 0 ? 0 : server.exemptSeats / server.allSeats
  const [flood, isExempt] = [newFlood(server), isExemptFlood(server)]
  const grown = flood.holds === true ? undefined : grownIn(server)
  // A flood may make a machine slow. That the others would not fit without it either, as slow as they are, it need not.
  const isOpen =
    ofFlood.holds === true &&
    !isExempt &&
    server.levels.some((level) => (newSuspect(level)?.others ?? 0) > (newSuspect(level)?.limit ?? 0))
  const slowed = slowedIn(server).filter(({ name }) => name !== grown?.name)
  const [exempt] = byUser(server.ledger, EXEMPT)
  const waiting = troubled.flatMap((level) => victimsIn(server, level, suspectsIn(level)))
  const suffering = [...new Map([...slowed, ...waiting].map((one) => [one.name, one])).values()].filter(
    ({ name }) => name !== exempt?.name,
  )
  const common = { since: server.since, victims: suffering }
  /** Whose trouble fewer seats explain, not a flood. */
  const harmed = troubled.find(({ suspects }) => suspects.length === 0) ?? worst
  return [
    {
      cause: 'slow-server',
      place,
      ...common,
      culprit: grown?.name ?? server.id,
      symptom: slowTitle(slowed),
      text:
        grown === undefined
          ? `Requests of several levels take longer than before, ${isOpen ? 'because of the flood that began then, or because the server itself or its etcd became slow' : 'so the server itself or its etcd is slow'}. Waits in queues are a consequence of it.`
          : `Requests of several levels take longer than before, since ${grownText(grown)}: they keep the machine of the server busy.`,
      needs: [
        weighing(5, everywhere),
        ...(grown === undefined ? [] : [weighing(3, fact(true, `${grownText(grown)}.`))]),
        ...(isOpen
          ? [fact(undefined, 'Whether they would take as long without the flood is not shown: both began together.')]
          : []),
      ],
      // Two that began at different times share it.
      lever: isOpen
        ? undefined
        : () => ({ factor: Math.sqrt(slowFactor(server) * (isExempt ? 1 : slowFactor(server))) }),
      // A flood makes a machine busy, unless that became slower at another time.
      unless: grown === undefined && !isOpen ? [ofFlood] : [],
      hints: [
        ...(grown === undefined && (flood.holds !== true || isExempt) ? [weighing(5, not(flood))] : []),
        inTrouble,
        ...troubled.slice(0, 1).map((level) => not(moreRequests(level))),
      ],
      remedy: advice(
        grown === undefined
          ? 'Look at the CPU and memory of the server, at the latency of etcd, and at webhooks called for all requests. Do not raise limits: more requests at once make a slow server slower.'
          : `${grown.call?.digest.info.verb === 'list' ? `Let ${grown.name} list with limit or resourceVersion=0, or watch` : `Slow down ${grown.name}`}. Do not raise limits: more requests at once make a slow server slower.`,
      ),
    },
    {
      cause: 'exempt-traffic',
      ...common,
      culprit: exempt?.name,
      symptom: `exempt requests use ${plain.amount(server.exemptSeats)} of ${plain.amount(server.allSeats)} executing seats, and ${slowed.length === 0 ? 'nothing limits them' : slowTitle(slowed)}`,
      place: { ...place, level: 'exempt' },
      text: `Exempt requests use much of the server${exempt === undefined ? '' : `, most of them of ${exempt.name}`}. Nothing limits them, and the requests of all levels share the machine with them.`,
      needs: [
        weighing(
          2,
          fact(
            exemptShare > THRESHOLDS.exemptShare && server.exemptSeats >= THRESHOLDS.exemptSeats,
            `Exempt requests use ${plain.amount(server.exemptSeats)} of ${plain.amount(server.allSeats)} executing seats (${plain.percent(exemptShare)}).`,
          ),
        ),
      ],
      within: [
        fact(
          everywhere.holds === true || troubled.length > 0,
          everywhere.holds === true ? everywhere.text : inTrouble.text,
        ),
      ],
      lever: ({ now, before }) => ({
        factor: ofFlood.holds === true ? slowFactor(server) : Math.sqrt(slowFactor(server)),
        takes: Math.max(0, (before?.quantities.current ?? 0) - (now.quantities.current ?? 0)),
      }),
      hints: [
        weighing(9, fact(exemptShare >= 0.3, `${plain.percent(exemptShare)} of the executing seats are exempt.`)),
      ],
      remedy: advice(
        `Slow down ${exempt?.name ?? 'these clients'}, or give ${exempt === undefined ? 'them an identity' : 'it an identity'} outside system:masters, and a flow schema.`,
      ),
    },
    {
      cause: 'server-full',
      place,
      since: server.since,
      victims: waiting,
      culprit: server.id,
      text: 'Several levels need more seats than the server has. Shares only divide the seats; they do not add any.',
      needs: [
        weighing(
          5,
          fact(
            server.limit === undefined ? undefined : server.allSeats >= FULL_SERVER * server.limit,
            `The server used ${plain.amount(server.allSeats)} of ${server.limit === undefined ? 'an unknown number of' : plain.amount(server.limit)} seats on average.`,
          ),
        ),
      ],
      within: [
        weighing(
          5,
          fact(
            troubled.length > 1,
            `Requests wait or are rejected in ${troubled.length === 0 ? 'no level' : listed(troubled.map(({ name }) => name))}.`,
          ),
        ),
      ],
      unless: [everywhere, fitsWithoutFloods(server)],
      hints: [
        fact(
          server.exemptSeats <= 0.3 * server.allSeats,
          `${plain.percent(1 - exemptShare)} of these seats are limited.`,
        ),
      ],
      remedy: advice(
        'Add API servers, or raise --max-requests-inflight and --max-mutating-requests-inflight if CPU, memory and etcd have room. Otherwise reduce the load.',
      ),
    },
    {
      cause: 'fewer-seats',
      place,
      text: `${server.id} has fewer seats than before${server.limit === undefined || server.limitBefore === undefined ? '' : `, ${plain.amount(server.limit)} instead of ${plain.amount(server.limitBefore)}`}: it was restarted with other flags.`,
      culprit: server.id,
      since: server.restartedAt,
      victims: waiting,
      needs: [weighing(9, not(sameServer(server)))],
      within: [harmed === undefined ? inTrouble : fact(true, trouble(harmed))],
      lever: ({ now }) => ({
        takes: (now.quantities.current ?? 0) * ((server.limitBefore ?? 0) / Math.max(1, server.limit ?? 0) - 1),
      }),
      hints: harmed === undefined ? [] : [not(moreRequests(harmed))],
      remedy: advice(
        `Set --max-requests-inflight and --max-mutating-requests-inflight of ${server.id} back${server.limitBefore === undefined ? '' : `: their sum was ${plain.amount(server.limitBefore)}`}.`,
      ),
    },
    {
      cause: 'server-restarted',
      place,
      victims: waiting,
      culprit: server.id,
      since: server.restartedAt,
      text: 'The server restarted a moment ago: clients list and watch everything again, and its limits start over.',
      needs: [weighing(8, justStarted(server))],
      within: [inTrouble],
      // After a start all clients come back; one that floods is another cause.
      unless: worst === undefined ? [] : [oneFlow(worst, server)],
      remedy: advice(
        'Wait for some minutes. Clients that watch with resourceVersion and back off with jitter shorten this.',
      ),
    },
    ...(others.length === 0 ? [] : troubled.map((level) => oneServerCase(server, level, others))),
  ]
}

/** The end of a sentence. */
const grownText = ({ name, seats, before, width, widthBefore, call }: Grown): string => {
  const each =
    width < 2 * widthBefore && width < WIDE
      ? ''
      : `; each of its requests takes ${plain.counted(width, 'seat')}, and ${plain.amount(widthBefore)} before`
  return `${name} uses ${plain.counted(seats, 'seat')} at once, and ${plain.amount(before)} before, mostly for ${call?.text ?? 'unknown requests'}${each}`
}

/** Whether the server has the seats that all others take and want, without the clients that stand out in a level. */
function fitsWithoutFloods({ levels, ledger, limit }: ServerFacts): Clue {
  const floods = new Set(levels.flatMap(({ name, suspects }) => suspects.map((one) => `${name} ${one.name}`)))
  const others = ledger.clients.reduce(
    (sum, one) => (floods.has(`${one.level} ${clientName(one)}`) ? sum : sum + pressureOf(one)),
    0,
  )
  return fact(
    floods.size > 0 && limit !== undefined && others < FULL_SERVER * limit,
    floods.size === 0
      ? 'No client stands out.'
      : `Without the clients that stand out all others take and want ${plain.counted(others, 'seat')}.`,
  )
}

/** Whether a flood explains that requests take longer. */
function slowedByFlood(server: ServerFacts): Clue {
  return server.slowedAt === undefined
    ? newFlood(server)
    : fact(
        false,
        `Requests of several levels took longer from ${plain.time(server.slowedAt)} on, when no client began to flood.`,
      )
}

/** The end of a sentence. */
const slowTitle = (slowed: Finding['victims']): string =>
  `requests take longer than before${slowed.length === 0 ? '' : `: ${victimNames(slowed)}`}.`

function oneServerCase(server: ServerFacts, level: LevelFacts, others: readonly ServerFacts[]): Case {
  const { name } = level
  const idle = others.filter((other) => {
    const same = other.levels.find((one) => one.name === name)
    if (same === undefined || isTroubled(same)) return false
    return (same.now.quantities.seats ?? 0) < IDLE_LEVEL * (same.last.limits.current ?? 0)
  })
  const mean = others.reduce((sum, { levels }) => sum + arrivalsOf(levels), 0) / others.length
  return {
    cause: 'one-server',
    place: { server: server.id, level: name },
    culprit: server.id,
    since: server.since,
    victims: victimsIn(server, level, new Set()),
    text: `${server.id} has most of the load, and the same level of other servers has seats to spare: limits are those of each server.`,
    needs: [
      weighing(
        6,
        fact(
          idle.length === others.length,
          `${name} is in trouble on ${server.id}, and idle on ${plain.amount(idle.length)} of ${plain.counted(others.length, 'other server')}.`,
        ),
      ),
      weighing(
        4,
        fact(
          arrivalsOf(server.levels) > THRESHOLDS.imbalance * mean,
          `${server.id} receives ${plain.amount(arrivalsOf(server.levels))} requests/s, the others ${plain.amount(mean)} /s on average.`,
        ),
      ),
    ],
    remedy: advice(
      'Check the load balancer, set --goaway-chance on the API servers, or restart the clients with the most connections.',
    ),
  }
}

/** Flow schemas whose level does not exist: the server skips them. */
export function danglingCases({ objects, changes = [] }: Known, servers: readonly ServerFacts[]): readonly Case[] {
  if (objects === undefined) return []
  const { dangling } = orderFlowSchemas(objects.schemas, new Set(objects.levels.map(({ metadata }) => metadata.name)))
  return dangling.map(({ metadata: { name }, spec: { priorityLevelConfiguration: to } }): Case => {
    const deletion = changes.findLast(
      ({ difference }) => difference.change === 'removed' && difference.name === to.name,
    )
    const strays = strayedFrom(name, to.name, objects, servers)
    const [first] = strays ?? []
    return {
      cause: 'dangling-schema',
      place: { schema: name, ...(first !== undefined && { server: first.server, level: first.level }) },
      culprit: deletion?.subject ?? `FlowSchema ${name}`,
      since: deletion?.at,
      tier: 'objects',
      text: `The flow schema ${name} names the priority level ${to.name}, which ${deletion === undefined ? 'does not exist' : `was deleted at ${plain.time(deletion.at)}`}. The server skips it, so its requests go to another level.`,
      needs: [
        weighing(8, fact(true, `${to.name} is not among ${plain.counted(objects.levels.length, 'priority level')}.`)),
        ...(deletion === undefined ? [] : [weighing(0, fact(true, effectText(deletion)))]),
      ],
      hints: [weighing(4, strayText(strays, servers))],
      remedy: advice(
        `Create the level ${to.name}${deletion === undefined ? '' : ' again'}, or let ${name} name a level that exists.`,
        deletion?.undo,
      ),
    }
  })
}

/** Levels in trouble with requests that this schema would take; `undefined` where no client is known. */
function strayedFrom(schema: string, to: string, objects: ObjectSet, servers: readonly ServerFacts[]) {
  const clients = servers.flatMap(({ id, ledger, levels }) => {
    const troubled = new Set(levels.filter(isTroubled).map(({ name }) => name))
    // What is left in a deleted level is served there.
    return ledger.clients.flatMap((client) =>
      troubled.has(client.level) && client.level !== to ? [{ ...client, server: id }] : [],
    )
  })
  const level = { metadata: { name: to }, spec: objects.levels[0]?.spec ?? { type: 'Limited' as const } }
  const { schemaOf } = classifyingConfiguration({ ...objects, levels: [...objects.levels, level] })
  const taken = clients.filter(({ calls }) => calls.some(({ digest }) => schemaOf(digest).metadata.name === schema))
  return clients.length === 0 ? undefined : taken
}

/** Whether requests wait that this schema would take. */
function strayText(strays: ReturnType<typeof strayedFrom>, servers: readonly ServerFacts[]): Clue {
  const troubled = servers.flatMap(({ levels }) => levels.filter(isTroubled).map(({ name }) => name))
  const where = `${listed(troubled)}, where requests wait or are rejected`
  if (troubled.length === 0) return fact(false, 'No request waits or is rejected.')
  if (strays === undefined) return fact(undefined, `Whose requests are in ${where}, is unknown.`)
  return strays.length === 0
    ? fact(false, `It would take none of the requests that were seen in ${where}.`)
    : fact(true, `It would take requests of ${fewOf([...new Set(strays.map(clientName))])}, seen in ${where}.`)
}

/** Steadiness of arrivals: below this their number varies less than by chance, as with a token bucket. */
const STEADY = 0.05
const LEAST_STEADY_RATE = 4
const FEWEST_STEPS = 10

/** Requests that came and changed the deviation of the rate by less than this part of what chance would add are even. */
const EVENLY = 0.4

/** A schema that receives more requests than before while the deviation of its rate stays the same. */
function addedEvenly(server: ServerFacts) {
  const { levels, earlier, ledger, stepMs } = server
  const known = new Set(earlier.clients.map(clientName))
  // Without a clear change of a rate, even counts are chance.
  if (server.since === undefined) return []
  return levels.flatMap(({ name, now, before }) =>
    now.schemas.flatMap(({ schema, arrivals }) => {
      const was = before?.schemas.find((one) => one.schema === schema)
      const [is, then] = [arrivals, was?.arrivals ?? []].map((rates) => statistics(rates, stepMs))
      if (is === undefined || then === undefined || Math.min(is.steps, then.steps) < FEWEST_STEPS) return []
      const more = is.mean - then.mean
      const rate = (more * MS_PER_SECOND) / stepMs
      if (rate < LEAST_ADDED || is.variance > then.variance + EVENLY * more) return []
      const fresh = ledger.clients.filter((client) => client.schema === schema && !known.has(clientName(client)))
      const [first, ...others] = fresh
      const who = first === undefined || others.length > 0 ? `flow schema ${schema}` : clientName(first)
      return [{ name, schema, rate, who }]
    }),
  )
}
const LEAST_ADDED = 2

/** Requests in each step: their mean and variance. */
function statistics(rates: readonly number[], stepMs: number) {
  const counts = rates.map((rate) => (rate * stepMs) / MS_PER_SECOND)
  const mean = meanOf(counts) ?? 0
  return { steps: counts.length, mean, variance: meanOf(counts.map((count) => (count - mean) ** 2)) ?? 0 }
}

/** A server on which nothing waits: other reasons for slow requests. */
export function calmCases(server: ServerFacts): readonly Case[] {
  const place = { server: server.id }
  const calm = fact(
    server.levels.every(isCalm),
    'No level rejects requests or lets them wait for 0.1 s, and none has a queue now.',
  )
  const everywhere = slowEverywhere(server)
  const slower = executionPairs(server.levels).filter(isSlower)
  const [slow] = slower
  const steady = server.levels.flatMap(({ name, now }) =>
    now.schemas.flatMap(({ schema, arrivals }) => {
      const { steps, mean, variance } = statistics(arrivals, server.stepMs)
      const rate = (mean * MS_PER_SECOND) / server.stepMs
      const isSteady = steps >= FEWEST_STEPS && rate >= LEAST_STEADY_RATE && variance <= STEADY * mean
      return isSteady ? [{ name, schema, rate }] : []
    }),
  )
  const [own] = server.ledger.clients.filter(({ sent }) => sent?.isEven === true)
  const [added] = addedEvenly(server)
  const [bucket] = [
    ...(own?.sent === undefined ? [] : [{ ...own, name: own.level, rate: own.sent.perSecond, who: clientName(own) }]),
    ...steady.map((one) => ({ ...one, who: `flow schema ${one.schema}` })),
  ]
  const evenText =
    bucket === undefined
      ? added === undefined
        ? 'No flow schema receives requests more evenly than by chance.'
        : `${added.schema} receives ${plain.amount(added.rate)} requests/s more than before, and these arrive evenly.`
      : `Requests of ${bucket.who} arrive at a steady ${plain.amount(bucket.rate)} /s.`
  const even = bucket ?? added
  return [
    {
      cause: 'nothing-waits',
      place,
      text: 'Flow control neither delays nor rejects requests. If clients are slow, look at the time that requests execute, at the network, and at rate limits of the clients.',
      needs: [calm],
      hints: [
        not(everywhere),
        fact(
          slow === undefined,
          slow === undefined
            ? 'No flow schema has requests that take longer than before.'
            : `Requests of ${slow.schema.schema} take longer than before.`,
        ),
      ],
      remedy: advice('No edit of flow-control objects helps.'),
    },
    {
      cause: 'client-throttling',
      place: even === undefined ? place : { ...place, level: even.name, schema: even.schema },
      culprit: even?.who,
      since: added === undefined ? undefined : server.since,
      tier: own === undefined ? 'metrics' : 'requests',
      text: 'Flow control adds no delay, and requests arrive as evenly as from a client that limits itself (client-go: QPS and Burst). The waits are in the client and not visible to the server.',
      within: [calm],
      needs: [weighing(2, fact(even !== undefined, evenText))],
      unless: [everywhere],
      hints: [
        fact(
          slow === undefined,
          slow === undefined
            ? 'Requests execute as fast as before.'
            : `Requests of ${slow.schema.schema} take longer than before.`,
        ),
      ],
      remedy: advice(
        'Look for “client-side throttling” in the log of the client, and raise QPS and Burst of its client-go configuration. Periodic requests look the same and are harmless.',
      ),
    },
    ...(slow === undefined
      ? []
      : [
          {
            cause: 'slow-requests' as const,
            place: { ...place, level: slow.level, schema: slow.schema.schema },
            culprit: `flow schema ${slow.schema.schema}`,
            since: server.since,
            symptom: slowTitle(slowedIn(server)),
            text: `Requests of ${slow.schema.schema} take longer than before, and none of them waits in a queue: the time is spent in the handler of the server.`,
            within: [calm],
            needs: [
              weighing(
                2,
                fact(
                  true,
                  `Requests of ${slow.schema.schema} executed for ${plain.seconds(slow.is)} on average, and ${plain.seconds(slow.was)} before.`,
                ),
              ),
            ],
            unless: [everywhere, newFlood(server)],
            remedy: advice(
              'Find what these requests wait for in the server: admission webhooks, an aggregated API server, etcd.',
            ),
          },
        ]),
  ]
}
