import { levelIn, meanOf, RECOMPUTATION_MS } from '../twin/observe.ts'
import { unixMsOf, type UnixMs } from '../units.ts'
import { CATCH_ALL, type LimitedSpec, objectNamed } from '../config/objects.ts'
import { isSqueezed } from '../frame/reading.ts'
import { allRejected } from '../frame/recent.ts'
import { clientName, largestOf, type ClientUse, type DumpedFlow } from '../verdict/ledger.ts'
import { plain, plural } from '../text/format.ts'
import { fewOf, listed } from '../text/text.ts'
import { coveredOdds } from '../sharding/collision.ts'
import type { Case } from './case.ts'
import { cameBefore, effectText, harmTo, leverOf, type Change } from './changes.ts'
import { changeText } from '../compare/noter.ts'
import { byUser } from './suspects.ts'
import { suspectsIn, victimsIn } from './victims.ts'
import {
  culpritOf,
  drainSeconds,
  fact,
  type Clue,
  isFull,
  longFlow,
  moreRequests,
  mostlyOf,
  nameOf,
  not,
  oneFlow,
  senderOf,
  sameServer,
  severalUsers,
  widestFlow,
  SHORT_DRAIN_SECONDS,
  slowerRequests,
  weighing,
  wideRequests,
} from './clues.ts'
import { secondsOf, type LevelFacts, type ServerFacts } from './facts.ts'
import {
  advice,
  distinguisherEdit,
  levelEdit,
  longerQueues,
  moreQueues,
  moreShares,
  type Known,
  undoing,
} from './remedies.ts'

/** Chance that an elephant covers the whole hand of a mouse, from which flows do not have queues of their own. */
const SHARED_ODDS = 0.05
/** Part of the used seats of a level from which a flow is said to hold them. */
const MOST_HELD = 0.5
/** Fraction of the server from which idle seats of other levels count. */
const IDLE_PART = 0.15

/** Causes in the objects of one level that is in trouble. */
export function configurationCases(server: ServerFacts, level: LevelFacts, known: Known): readonly Case[] {
  const { name, last, spec, rejected } = level
  const place = { server: server.id, level: name }
  const full = isFull(level)
  const flooding = level.suspects[0]?.name
  const victims = victimsIn(server, level, suspectsIn(level))
  const standing = { victims, since: server.since }
  const [more, slower] = [moreRequests(level), slowerRequests(level, server)]
  const [dominant, long, wide] = [oneFlow(level, server), longFlow(level, server), wideRequests(level)]
  const limits = last.limits
  const capped = fact(
    limits.current === undefined || limits.upper === undefined ? undefined : limits.current >= 0.98 * limits.upper,
    `The current limit of ${name} is ${plain.amount(limits.current ?? 0)} of at most ${plain.amount(limits.upper ?? 0)} seats.`,
  )
  const idle = idleSeats(server, name)
  const lent = squeezed(level, server)
  const idleText = (kind: string, seats: number | undefined): string =>
    `Other levels keep ${seats === undefined ? 'an unknown number of seats' : plain.counted(Math.round(seats), 'seat')} that they do not use${kind}.`
  const enough = (seats: number | undefined): boolean | undefined =>
    server.limit === undefined || seats === undefined ? undefined : seats >= IDLE_PART * server.limit
  const rejectsAtOnce = fact(
    rejected['concurrency-limit'] > 0 && rejected['concurrency-limit'] >= 0.5 * allRejected(rejected),
    `${plain.counted(rejected['concurrency-limit'], 'request')} of ${name} rejected for concurrency-limit.`,
  )
  const widest = widestFlow(level)
  const holder = widest !== undefined && widest.partOfLevel >= MOST_HELD ? widest : undefined
  const [suspect] = level.suspects
  // The flow of whoever stands out, which others may share.
  const largest =
    suspect === undefined
      ? largestOf(level.flows)?.flow
      : level.flows.find(({ schema, flow }) => schema === suspect.client.schema && flow === suspect.client.flow)
  const sharers = sharersOf(largest, server)
  const [covered, mice] = [coveredQueues(level), miceWait(level, server)]
  return [
    ...(name === CATCH_ALL ? [catchAllCase(server, level)] : []),
    {
      cause: 'reject-level',
      place,
      ...standing,
      culprit: `level ${name}`,
      text: `${name} has no queues: it rejects requests that it cannot execute at once.${holder === undefined ? '' : ` ${mostlyOf(holder)} holds ${plain.percent(holder.partOfLevel)} of the seats that it uses in debug dumps.`}`,
      needs: [
        weighing(5, rejectsAtOnce),
        fact(
          spec === undefined ? undefined : spec.limitResponse.type === 'Reject',
          `The limit response of ${name} is ${spec?.limitResponse.type ?? 'unknown: the source has no flow-control objects'}.`,
        ),
      ],
      within: [fact(name !== CATCH_ALL, `The level is ${name}.`)],
      hints: [not(more)],
      remedy: advice(
        `Set the limit response of ${name} to Queue, so that a burst waits instead of being rejected${holder === undefined ? '' : `, or slow down ${mostlyOf(holder)}`}.`,
        () => longerQueues(known, name),
      ),
    },
    {
      cause: 'short-queues',
      place,
      ...standing,
      culprit: `level ${name}`,
      text: `The queues of ${name} are so short that requests are rejected which would have waited only a moment.`,
      needs: [
        fact(
          rejected['queue-full'] > 0,
          `${plain.counted(rejected['queue-full'], 'request')} of ${name} rejected for queue-full.`,
        ),
        weighing(5, drains(level, server)),
      ],
      // Few queues drain soon as well: longer ones are filled by whoever fills these.
      unless: [fact(covered.holds === true && mice.holds, mice.text)],
      hints: [not(more), not(dominant)],
      remedy: advice(`Raise queueLengthLimit of ${name}.`, () => longerQueues(known, name)),
    },
    {
      cause: 'shared-flow',
      place: largest === undefined ? place : { ...place, schema: largest.schema, flow: largest.flow },
      ...standing,
      culprit: largest && mostlyOf(largest),
      tier: 'dumps',
      text: `Requests of several users are one flow of ${name}${largest === undefined ? '' : `, ${nameOf(largest)}`}, so fair queuing cannot protect one of them from another.${largest?.users[0] === undefined ? '' : ` ${senderOf(largest)} sends ${plain.percent(Math.min(0.99, largest.users[0].part))} of its requests.`}`,
      needs: [weighing(2, severalUsers(largest))],
      victims: largest === undefined ? victims : victims.filter(({ name: who }) => sharers.names.has(who)),
      within: [dominant, full, weighing(0, sharers.wait)],
      // Without queues, flows cannot be protected from one another.
      unless: [long, slower, wide, rejectsAtOnce],
      hints: [more],
      remedy: advice(
        largest === undefined
          ? 'Set distinguisherMethod ByUser in the flow schema.'
          : `Set distinguisherMethod ByUser in ${largest.schema}, or give the busiest user a schema of its own.`,
        () => (largest === undefined ? [] : distinguisherEdit(known, largest.schema, 'ByUser')),
      ),
    },
    {
      cause: 'shared-queues',
      place,
      ...standing,
      culprit: flooding ?? (largest && culpritOf(largest)),
      tier: 'dumps',
      text: `${flooding ?? 'A busy flow'} fills queues that others have to use as well: ${name} has too few queues for its flows${queueText(level)}.`,
      needs: [weighing(3, covered), mice],
      within: [dominant, full],
      unless: [long, slower, wide],
      hints: [],
      remedy: advice(
        `Give ${name} more queues: with 128 queues and hands of 6, one busy flow practically never covers all queues of another.`,
        () => moreQueues(known, name),
      ),
    },
    {
      cause: 'borrowing-capped',
      place,
      ...standing,
      culprit: `level ${name}`,
      text: `${name} has all the seats that it may have, and other levels have seats to spare. Its volume is as before: the limit is too small for it.`,
      needs: [weighing(2, capped)],
      within: [full, fact(enough(idle.all), idleText('', idle.all)), weighing(2, not(more))],
      unless: [slower, long, wide, dominant],
      remedy: advice(`Raise borrowingLimitPercent of ${name}, or its shares.`, () =>
        levelEdit(known, name, withoutBorrowingLimit),
      ),
    },
    {
      cause: 'lingering-demand',
      place,
      ...standing,
      culprit: `level ${name}`,
      text: `Other levels hold seats for past demand: smoothed demand halves only every five minutes, so they return their seats slowly.`,
      needs: [weighing(6, fact(enough(idle.lingering), idleText(' for their smoothed demand', idle.lingering)))],
      within: [full],
      unless: [capped, lent, slower, long, wide, dominant],
      remedy: advice(
        `Wait some minutes, or raise the shares of ${name}: its nominal limit comes back within 10 s.`,
        () => moreShares(known, server, level),
        'Wait some minutes.',
      ),
    },
    {
      cause: 'nothing-to-borrow',
      place,
      ...standing,
      culprit: idle.keeper === undefined ? undefined : `level ${idle.keeper}`,
      text: `${name} may borrow, and the idle seats of other levels are not lendable.`,
      needs: [weighing(2, fact(enough(idle.kept), idleText(' and do not lend', idle.kept)))],
      within: [full, weighing(2, not(more))],
      unless: [capped, slower, long, wide, dominant],
      remedy: advice(`Raise lendablePercent of ${idle.keeper ?? 'the idle levels'}, or the shares of ${name}.`, () =>
        idle.keeper === undefined
          ? []
          : levelEdit(known, idle.keeper, (limited) => ({ ...limited, lendablePercent: 50 })),
      ),
    },
    {
      cause: 'lender-squeezed',
      place,
      ...standing,
      culprit: `level ${name}`,
      text: `${name} lends its seats while it is idle and gets them back only with the next recomputation, up to 10 s later: the first requests of each burst wait.`,
      needs: [weighing(5, lent)],
      hints: [not(slower), not(long), waitsAgain(level)],
      remedy: advice(`Lower lendablePercent of ${name}.`, () =>
        levelEdit(known, name, (limited) => ({ ...limited, lendablePercent: 0 })),
      ),
    },
    ...editCases(server, level, known),
  ]
}

/** `: 4, and hands of 4`. */
const queueText = ({ spec }: LevelFacts): string => {
  const queuing = spec?.limitResponse.queuing
  return queuing === undefined ? '' : `: ${plain.counted(queuing.queues, 'queue')}, and hands of ${queuing.handSize}`
}

/** Longer after an edit, its effect would have been seen before. */
const LATEST_MS = 60_000
/** Weights of an edit that suffices to explain the trouble, and of one beside a client that does. */
const SUFFICES = 8
const CONTRIBUTES = 2
const LATE = 6
/** More requests than before wait since a change that made it worse. */
const WORSE = 1.5

function worseSince({ name }: LevelFacts, { sinceOnset: pages }: ServerFacts, at: UnixMs): Clue {
  const queued = (from: UnixMs, to: UnixMs): number =>
    meanOf(
      pages
        .filter((page) => unixMsOf(page.at) > from && unixMsOf(page.at) <= to)
        .map((page) => levelIn(page, name)?.requests.queued ?? 0),
    ) ?? 0
  const [was, is] = [queued(-Infinity, at), queued(at + RECOMPUTATION_MS, Infinity)]
  return fact(
    is >= WORSE * was && is > 1,
    `${plain.amount(is)} requests of ${name} waited on average since then, and ${plain.amount(was)} before.`,
  )
}

/** Each change that takes seats from the level, brings requests to it or makes it hold fewer, as a cause of its own. */
function editCases(server: ServerFacts, level: LevelFacts, known: Known): readonly Case[] {
  const { name, suspects } = level
  const place = { server: server.id, level: name }
  const full = isFull(level)
  const [more, slower] = [moreRequests(level), slowerRequests(level, server)]
  const culprits = suspectsIn(level)
  const victims = victimsIn(server, level, new Set())
  const common = {
    cause: 'recent-edit' as const,
    within: [full],
    hints: [not(more), not(slower)],
    tier: 'objects' as const,
  }
  const { changes = [] } = known
  if (changes.length === 0) {
    return [
      {
        ...common,
        place,
        text: `${name} has fewer nominal seats than before: an edit took shares from it, or gave shares to others.`,
        needs: [weighing(SUFFICES, shrunk(level, server))],
        unless: [not(sameServer(server))],
        victims,
        remedy: advice('Undo the edit (Editor, Journal), or give the level back its shares.', () =>
          moreShares(known, server, level),
        ),
      },
    ]
  }
  const suffices = !(more.holds === true && suspects[0] !== undefined && suspects[0].others <= suspects[0].limit)
  return changes
    .filter((change) => harmTo(change, level) > 0 && !leavesDangling(change, known))
    .map((change): Case => {
      const { at, difference, by, subject, moved, tightened } = change
      // Another level may have been in trouble before.
      const since = level.troubledAt && Math.max(server.since ?? -Infinity, level.troubledAt)
      // A change of what was bad already may make it worse, and is not its first cause.
      const inTime = fact(
        cameBefore(change, since),
        `The edit was at ${plain.time(at)}${since === undefined ? '; the trouble is as old as the samples' : `, the trouble began at ${plain.time(since)}`}.`,
      )
      const isJoined = difference.kind === 'FlowSchema' && tightened.length > 0
      const came = moved.filter(({ to }) => to === name).map(({ client }) => client)
      return {
        ...common,
        place: difference.kind === 'FlowSchema' ? { ...place, schema: difference.name } : place,
        text: `${changeText(difference, by)}, at ${plain.time(at)}. ${effectText(change)}`,
        needs: [weighing(suffices ? SUFFICES : CONTRIBUTES, fact(true, effectText(change)))],
        within: [
          full,
          // Who waits changes with the flows, not how many.
          ...(isJoined
            ? [severalUsers(widestFlow(level))]
            : inTime.holds === true
              ? []
              : [worseSince(level, server, at)]),
          fact(
            since === undefined || since - at <= LATEST_MS,
            `An edit takes effect within a minute${since === undefined ? '' : `; this one was ${plain.length(Math.abs(since - at))} ${at <= since ? 'before' : 'after'} the trouble began`}.`,
          ),
        ],
        // Requests that it brings are its effect.
        hints: [...(came.length > 0 ? [more] : common.hints), weighing(LATE, inTime)],
        culprit: by === undefined ? subject : `${subject}, by ${by}`,
        // Who shares a flow takes no seats.
        lever: isJoined ? undefined : (of) => leverOf(change, of),
        since: at,
        victims: victims.filter((victim) => !culprits.has(victim.name) || !came.includes(victim.name)),
        remedy: undoing(change),
      }
    })
}

/** That its requests go elsewhere since is the cause of its own that a dangling schema is. */
const leavesDangling = ({ difference: { kind, name, change } }: Change, { objects }: Known): boolean =>
  kind !== 'FlowSchema' &&
  change === 'removed' &&
  objectNamed(objects?.levels, name) === undefined &&
  objects?.schemas.some(({ spec }) => spec.priorityLevelConfiguration.name === name) === true

function withoutBorrowingLimit(limited: LimitedSpec): LimitedSpec {
  const { borrowingLimitPercent: _, ...others } = limited
  return others
}

function catchAllCase(server: ServerFacts, level: LevelFacts): Case {
  const { name, now, rejected, dispatched } = level
  const [busiest] = byUser(server.ledger, name)
  const offered = dispatched + allRejected(rejected)
  return {
    cause: 'catch-all-traffic',
    place: { server: server.id, level: name },
    text: `Requests reach catch-all, which has few seats and no queues: no other flow schema matches them, or one references catch-all.${busiest === undefined ? '' : ` Most of them are of ${busiest.name}.`}`,
    since: server.since,
    victims: victimsIn(server, level, new Set()),
    needs: [
      weighing(
        3,
        fact(
          offered > 0,
          `catch-all received ${plain.counted(offered, 'request')} (${plain.amount(now.quantities.arrivalsPerSecond)} /s); with the built-in objects it receives none.`,
        ),
      ),
    ],
    within: [
      fact(allRejected(rejected) > 0, `${plain.counted(allRejected(rejected), 'request')} of catch-all rejected.`),
    ],
    remedy: advice(
      'Compare the flow schemas with the built-in ones: restore global-default, and look for a schema that references catch-all.',
    ),
  }
}

const drains = (level: LevelFacts, server: ServerFacts) => {
  const drain = drainSeconds(level, secondsOf(server))
  return fact(
    drain === undefined ? undefined : drain < SHORT_DRAIN_SECONDS,
    drain === undefined
      ? 'The source has no flow-control objects, so the length of the queues is unknown.'
      : `All queues of ${level.name} together would drain within ${plain.seconds(drain)}.`,
  )
}

function coveredQueues({ name, spec }: LevelFacts) {
  const queuing = spec?.limitResponse.queuing
  if (queuing === undefined)
    return fact(undefined, 'The source has no flow-control objects, so the number of queues is unknown.')
  const odds = queuing.queues <= queuing.handSize ? 1 : coveredOdds(queuing, 1)
  return fact(
    odds >= SHARED_ODDS,
    `With ${plain.counted(queuing.queues, 'queue')} and hands of ${queuing.handSize}, a busy flow of ${name} covers all queues of another with a chance of ${plain.probability(odds)}.`,
  )
}

/** Who shares a flow with whoever sends most of it, and whether they wait behind them. */
function sharersOf(
  flow: DumpedFlow | undefined,
  { dumps, ledger }: ServerFacts,
): { readonly names: ReadonlySet<string>; readonly wait: Clue } {
  if (flow === undefined || dumps === 0)
    return { names: new Set(), wait: fact(undefined, 'There are no debug dumps, so who shares a flow is unknown.') }
  const isOther = (client: ClientUse): boolean =>
    client.schema === flow.schema && client.flow === flow.flow && clientName(client) !== mostlyOf(flow)
  const others = ledger.clients.filter(isOther)
  const waiting = others.filter(({ seenWaiting }) => seenWaiting > 0)
  const who = fewOf([...new Set((waiting.length > 0 ? waiting : others).map(clientName))])
  return {
    names: new Set(others.map(clientName)),
    wait: fact(
      waiting.length > 0,
      others.length === 0
        ? `No other user of ${nameOf(flow)} was seen.`
        : `${who} of the same flow ${waiting.length > 0 ? 'wait as well' : 'never waited in a debug dump'}.`,
    ),
  }
}

/** Clients that send little wait as well: those whose queues the busy one fills. */
function miceWait({ name, suspects: [suspect] }: LevelFacts, { dumps, ledger }: ServerFacts): Clue {
  if (dumps === 0) return fact(undefined, 'There are no debug dumps, so the waits of other flows are unknown.')
  const users = byUser(ledger, name)
  const busiest = users.find((one) => one.name === (suspect?.name ?? users[0]?.name))
  const filled = new Set(busiest?.uses.flatMap(({ queues }) => [...queues]))
  const others = users.filter((one) => one !== busiest).map((one) => ({ who: one.name, ...waitingOf(one) }))
  const [behind, spared] = [
    others.filter(({ part, queues }) => part >= MOSTLY_WAITS && queues.some((queue) => filled.has(queue))),
    others.filter(({ part }) => part < MOSTLY_WAITS),
  ]
  const few = (all: typeof others): string =>
    all.length > 4 ? `${all.length} other clients` : listed(all.map(({ who }) => who))
  return fact(
    behind.length > 0,
    behind.length === 0
      ? `No other client of ${name} waits in queues that ${busiest?.name ?? 'a busy one'} fills.`
      : `${few(behind)} ${plural(behind.length, 'waits', 'wait')} in queues that ${busiest?.name ?? 'a busy client'} fills${spared.length === 0 ? '' : `; ${few(spared)} ${plural(spared.length, 'has', 'have')} others, and hardly ${plural(spared.length, 'waits', 'wait')}`}.`,
  )
}

/** From this part of its requests on, a client mostly waits. */
const MOSTLY_WAITS = 0.6

function waitingOf({ uses }: ReturnType<typeof byUser>[number]): {
  readonly part: number
  readonly queues: readonly number[]
} {
  const waiting = uses.reduce((sum, use) => sum + use.seenWaiting, 0)
  const seen = uses.reduce((sum, use) => sum + use.seenWaiting + use.seenExecuting, 0)
  return { part: waiting / Math.max(1, seen), queues: uses.flatMap(({ queues }) => [...queues]) }
}

/**
 * Seats that other levels have and do not use, on average while requests of this level wait: all, those that they do
 * not lend, and those kept because of past demand.
 */
function idleSeats({ pages }: ServerFacts, name: string) {
  let [all, kept, lingering] = [0, 0, 0]
  let areBoundsKnown = true
  const byLevel = new Map<string, number>()
  const waits = ({ levels }: ServerFacts['last']): boolean =>
    (levels.find((level) => level.name === name)?.requests.queued ?? 0) > 0
  const waiting = pages.filter(waits)
  const looked = waiting.length > 0 ? waiting : pages
  for (const { levels } of looked) {
    for (const { name: other, limits, seats } of levels) {
      if (other === name || limits.current === undefined || other === 'exempt') continue
      areBoundsKnown &&= limits.lower !== undefined
      const [used, lower] = [seats.executing ?? 0, limits.lower ?? 0]
      const unlent = Math.max(0, Math.min(limits.current, lower) - used)
      all += Math.max(0, limits.current - used)
      kept += unlent
      lingering += Math.max(0, limits.current - Math.max(used, lower))
      if (unlent > 0) byLevel.set(other, (byLevel.get(other) ?? 0) + unlent)
    }
  }
  const count = Math.max(1, looked.length)
  const [keeper] = [...byLevel].toSorted(([, a], [, b]) => b - a)
  const ofBounds = (sum: number): number | undefined => (areBoundsKnown ? sum / count : undefined)
  return { all: all / count, kept: ofBounds(kept), lingering: ofBounds(lingering), keeper: keeper?.[0] }
}

/** Requests wait while the level has less than its nominal limit and others borrow, and rarely otherwise. */
export function squeezed({ name }: LevelFacts, { pages }: ServerFacts): Clue {
  let [waiting, lent] = [0, 0]
  for (const { levels } of pages) {
    const own = levels.find((level) => level.name === name)
    if ((own?.requests.queued ?? 0) === 0) continue
    waiting++
    const borrowed = levels.some(
      ({ name: other, limits, seats }) => other !== name && (seats.executing ?? 0) > (limits.nominal ?? Infinity),
    )
    if (borrowed && isSqueezed(own?.limits ?? {})) lent++
  }
  return fact(
    waiting > 0 && lent >= 0.6 * waiting,
    waiting === 0
      ? `No sample shows queued requests of ${name}.`
      : `In ${plain.amount(lent)} of ${plain.counted(waiting, 'sample')} with queued requests of ${name}, its current limit was below its nominal one while another level borrowed.`,
  )
}

/** Fewer samples in which requests wait may be chance. */
const FEWEST_WAITING_SAMPLES = 3

const waitsAgain = ({ name, pagesQueued }: LevelFacts): Clue =>
  weighing(
    0,
    fact(
      pagesQueued >= FEWEST_WAITING_SAMPLES ? true : undefined,
      `Requests of ${name} waited in ${plain.counted(pagesQueued, 'sample')}.`,
    ),
  )

function shrunk({ name, troubledAt }: LevelFacts, { resized }: ServerFacts) {
  const change = resized.find(({ level }) => level === name)
  return fact(
    // A cause does not come after its effect.
    change !== undefined && change.to <= 0.9 * change.from && (troubledAt === undefined || troubledAt >= change.at),
    change === undefined
      ? `The nominal limit of ${name} did not change.`
      : `The nominal limit of ${name} went from ${plain.amount(change.from)} to ${plain.counted(change.to, 'seat')} at ${plain.time(change.at)}${troubledAt === undefined ? '' : `; requests waited or were rejected from ${plain.time(troubledAt)} on`}.`,
  )
}
