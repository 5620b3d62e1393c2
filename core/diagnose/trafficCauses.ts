import type { Case } from './case.ts'
import { harmTo, WRITES } from './changes.ts'
import type { CauseId } from '../contract/causes.ts'
import {
  asideOf,
  BRIEF_SECONDS,
  type Clue,
  executionPairs,
  executionText,
  fact,
  isFull,
  justStarted,
  longFlow,
  LONG_SECONDS,
  moreRequests,
  mostlyOf,
  newFlood,
  newSuspect,
  culpritOf,
  nameOf,
  not,
  oneFlow,
  severalUsers,
  slowEverywhere,
  slowerRequests,
  suspectText,
  trouble,
  watchShare,
  weighing,
  wideRequests,
  withExempt,
  widestFlow,
} from './clues.ts'
import { isSlower } from './slower.ts'
import { notifyingSeatSeconds } from '../engine/workEstimator.ts'
import { MS_PER_SECOND, unixMsOf, type UnixMs } from '../units.ts'
import { secondsOf, type LevelFacts, type ServerFacts } from './facts.ts'
import { histogramIncrease, histogramMean, median, sumHistograms } from '../frame/quantile.ts'
import { allRejected } from '../frame/recent.ts'
import { largestOf, LONG_WAIT_SECONDS, USUAL_TIME_OUT_SECONDS, watchPart, type ClientUse } from '../verdict/ledger.ts'
import { plain } from '../text/format.ts'
import { listed } from '../text/text.ts'
import { advice, either, holdsBack, moreShares, ownLevel, type Known } from './remedies.ts'
import { byUser, WIDE, type Suspect } from './suspects.ts'
import { squeezed } from './configurationCauses.ts'
import { crowdIn, slowFactor } from './explain.ts'
import { suspectsIn, victimsIn } from './victims.ts'

/** Fraction of the seats of a level from which watches or lingering writes explain that it is full. */
const MOST_OF_SEATS = 0.4
/** The same where the client out of proportion holds them: the rest of its requests still waits. */
const MUCH_OF_SEATS = 0.25
/** Part of what a level has and wants. */
const MOST_OF_TRAFFIC = 0.5
const OWN_LEVEL = 'give it a level of its own that does not borrow'
/** Seconds without waiting requests after which a burst is over. */
const OVER_SECONDS = 8

/** Causes in the requests that clients send to one level that is in trouble. */
export function trafficCases(server: ServerFacts, level: LevelFacts, known: Known): readonly Case[] {
  const { name } = level
  const place = { server: server.id, level: name }
  const full = isFull(level)
  const [more, slower] = [moreRequests(level), slowerRequests(level, server)]
  const [dominant, long, wide] = [oneFlow(level, server), longFlow(level, server), wideRequests(level)]
  const widest = widestFlow(level)
  /** Whoever has most of the seats, if one has. */
  const holder = widest !== undefined && widest.partOfLevel >= MOST_OF_SEATS ? widest : undefined
  const [fanOut, watches] = [lingering(level, server), watching(level, server)]
  const crowd = crowdIn(level, server)
  const hasty = hastyIn(server, level)
  // A flood of another level slows a machine down, and not the requests of some levels only.
  const ofFlood = newSuspect(level) === undefined && slowEverywhere(server).holds === false ? [] : [newFlood(server)]
  const more1 = () => moreShares(known, server, level)
  /** What an edit sends to a level is the effect of that edit. */
  const brought = (known.changes ?? [])
    .filter(({ moved }) => moved.some(({ to }) => to === name))
    .map((change) => fact(harmTo(change, level) >= MOST_OF_TRAFFIC, `${change.subject} sent requests to ${name}.`))
  const culprits = new Set(widest === undefined ? [] : [mostlyOf(widest)])
  const standing = {
    since: server.since,
    victims: victimsIn(server, level, suspectsIn(level)),
  }
  const held = {
    ...standing,
    victims: victimsIn(server, level, culprits),
    tier: 'dumps' as const,
  }
  /** A client that stands out explains more than the level as a whole does. */
  const has = (cause: CauseId): boolean => level.suspects.some((one) => one.cause === cause)
  const cases: readonly Case[] = [
    {
      cause: 'more-requests',
      place,
      ...standing,
      text: `${name} receives more requests than before, from many flows, and each takes as long as before. Its limit works as intended: it protects the server.`,
      lever: crowd && (() => ({ needs: crowd.needs })),
      needs: [crowd === undefined ? more : weighing(3, fact(true, crowd.text))],
      within: [full],
      // Watches, and clients that come back after a start, are many at once as well.
      unless:
        crowd === undefined
          ? [slower, long, wide, dominant, ...brought]
          : [fanOut, justStarted(server), ...brought, ...(has('watch-storm') ? [] : [watches])],
      remedy: advice(
        `Give ${name} more shares if the new volume is permanent, or let its clients send less.`,
        more1,
        `Let the clients of ${name} send less, or add API servers.`,
      ),
    },
    {
      cause: 'slow-requests',
      place: { ...place, ...slowSchema(level) },
      ...standing,
      culprit: slowSchema(level).schema === undefined ? undefined : `flow schema ${slowSchema(level).schema}`,
      text: `Requests of ${name} take longer than before, so the same number of requests needs more seats. Look at what only these requests use, such as a webhook, an aggregated API server or a large resource.`,
      lever: () => ({ factor: slowFactor(server) }),
      needs: [slower],
      unless: [long, wide, ...ofFlood],
      // How fast the others are makes it more or less certain, not more or less likely than another cause.
      hints: [not(more), full, weighing(0, othersAsFast(level, server))],
      remedy: advice(
        'Find what these requests wait for in the server: admission webhooks, an aggregated API server, etcd. More shares would only let more of them pile up.',
      ),
    },
    {
      cause: 'slow-reader',
      ...held,
      culprit: widest && mostlyOf(widest),
      place: widest === undefined ? place : { ...place, schema: widest.schema, flow: widest.flow },
      text: `A few requests of one flow hold most of the seats of ${name} for a long time, as those of a client that reads large answers slowly do. The others wait for their seats.`,
      needs: [long],
      within: [full],
      // Watches that are being initialised are no reads.
      unless: [watches],
      // Slow answers may be narrow.
      hints: [weighing(1, wide), not(more), slowTail(level)],
      remedy:
        widest === undefined
          ? advice('Find the client in debug dumps and let it page with limit, or watch.')
          : either(`Let ${culpritOf(widest)} read in pages (limit) or watch`, OWN_LEVEL, () => ownLevel(known, widest)),
    },
    {
      cause: 'wide-requests',
      ...(holder === undefined ? standing : held),
      culprit: widestIn(server, level) ?? (holder && mostlyOf(holder)),
      place: holder === undefined ? place : { ...place, schema: holder.schema, flow: holder.flow },
      text: `The requests of ${name} are wide: each list of many objects takes several seats, so few of them fill the level.${holder === undefined ? '' : ` ${nameOf(holder)} holds ${plain.percent(holder.partOfLevel)} of its seats.`}`,
      needs: [wide],
      within: [full],
      unless: [long, fanOut],
      hints: [not(slower)],
      remedy: either(
        `Let ${holder === undefined ? 'these clients' : culpritOf(holder)} list with limit or resourceVersion=0, or watch`,
        `give ${holder === undefined ? 'them' : 'it'} a level of ${holder === undefined ? 'their' : 'its'} own that does not borrow`,
        () => (widest === undefined ? [] : ownLevel(known, widest)),
      ),
    },
    {
      cause: 'watch-storm',
      place,
      ...standing,
      culprit: watcherIn(server, level),
      victims: victimsIn(server, level, new Set([watcherIn(server, level) ?? ''])),
      text: `Watches that are being initialised${watcherIn(server, level) === undefined ? '' : `, most of them of ${watcherIn(server, level)}`}, hold the seats of ${name}: many clients begin to watch at once, as after a restart or a lost connection.`,
      needs: [watches],
      within: [full],
      hints: [not(wide), not(slower)],
      remedy: advice(
        'Let these clients back off with jitter before they watch again, and let them resume from their last resourceVersion.',
      ),
    },
    {
      cause: 'write-fan-out',
      place,
      ...standing,
      culprit: writerIn(server, level),
      text: `Writes of ${name} keep seats after they have been answered, because many watchers have to be notified.`,
      needs: [fanOut],
      within: [full],
      hints: [not(wide), not(slower)],
      remedy: advice(
        'Reduce watches of all objects of the written resource (watch with selectors), or the rate of these writes.',
      ),
    },
    {
      cause: 'short-deadlines',
      place,
      ...standing,
      culprit: hasty?.who,
      victims: hasty === undefined ? standing.victims : [],
      text: `Requests of ${hasty?.who ?? name} time out in the queue early, because ${hasty === undefined ? 'their clients set short deadlines' : 'their own timeout is short'}: a request waits for at most a quarter of its timeout.`,
      needs: [shortDeadlines(level, server, hasty)],
      hints: [not(slower), not(dominant)],
      remedy: either(
        `Raise the request timeout of ${hasty?.who ?? 'these clients'}`,
        'the shares of the level if the waits are too long',
        more1,
      ),
    },
    {
      cause: 'brief-burst',
      place,
      ...standing,
      text: `Requests of ${name} waited for a moment and were served. Queues are there for such bursts.`,
      needs: [briefBurst(level, server)],
      // That its seats are lent says why it waits.
      unless: [squeezed(level, server)],
      hints: [not(slower)],
      remedy: advice('Nothing has to be done unless it repeats. A client that spreads its requests does not wait.'),
    },
    {
      cause: 'overload',
      place,
      ...standing,
      text: `${name} needs more seats than it gets. The samples do not show whether requests became more or slower, or who sends them.`,
      needs: [fact(true, trouble(level))],
      within: [full],
      remedy: advice(
        `Collect more samples, with debug dumps. More shares help only if other levels can do without the seats.${executionText(level)}`,
      ),
    },
  ]
  const isSaid = ({ cause, culprit }: Case): boolean =>
    has(cause) || (OF_ONE.has(cause) && level.suspects.some(({ name: who }) => who === culprit))
  return [...floods(server, level, known), ...cases.filter((one) => !isSaid(one))]
}

/** Causes that one client may be, which a level as a whole shows as well. */
const OF_ONE: ReadonlySet<CauseId> = new Set(['slow-reader', 'wide-requests', 'watch-storm', 'write-fan-out'])

/** Clients that send more than all others, each as a cause of its own; else the largest flow. */
function floods(server: ServerFacts, level: LevelFacts, known: Known): readonly Case[] {
  const { name, suspects } = level
  const largest = largestOf(level.flows)?.flow
  const [more, dominant] = [moreRequests(level), oneFlow(level, server)]
  const within = [isFull(level)]
  // What becomes slower after a client began to flood follows from it.
  const slower = newSuspect(level) === undefined ? [slowerRequests(level, server)] : []
  const unless = [longFlow(level, server), ...slower, wideRequests(level)]
  const server0 = { server: server.id, level: name }
  const ofLargest = suspects.length > 0 || largest === undefined ? [] : [mostlyOf(largest)]
  const victims = victimsIn(server, level, new Set([...suspectsIn(level), ...ofLargest]))
  if (suspects.length === 0) {
    const text = largest === undefined ? 'One flow' : culpritOf(largest)
    return [
      {
        cause: 'one-flow',
        place: largest === undefined ? server0 : { ...server0, schema: largest.schema, flow: largest.flow },
        text: `${text} sends most of the requests of ${name}. Fair queuing serves the other flows between its requests; those of the flow itself wait or are rejected.`,
        needs: [dominant],
        within,
        unless,
        hints: [more, not(severalUsers(largest))],
        culprit: largest && culpritOf(largest),
        victims,
        tier: 'dumps',
        remedy:
          largest === undefined
            ? advice('Find the client in debug dumps or an audit log and slow it down.')
            : either(`Slow down ${culpritOf(largest)}`, OWN_LEVEL, () => ownLevel(known, largest)),
      },
    ]
  }
  const seen = server.dumps > 0 ? plain.counted(server.dumps, 'debug dump') : 'its requests'
  return suspects.map((one): Case => {
    const { client, name: who, share, cause } = one
    const flow = level.flows.find((other) => other.schema === client.schema && other.flow === client.flow)
    const ofFlow = flow === undefined ? '' : asideOf(flow, who)
    const { text, does, clue } = natureOf(one, level, server)
    const isHeld = holdsBack(known, name)
    return {
      cause,
      place: { ...server0, schema: client.schema, flow: client.flow },
      text: `${who}${ofFlow} ${text} ${victims.length === 0 ? `Fair queuing serves the others between its requests: no other client of ${name} was seen to suffer.` : 'Others wait as well.'}`,
      needs: [weighing(3, fact(true, suspectText(one, name, seen))), ...clue],
      within,
      hints: cause === 'one-flow' ? [more, not(severalUsers(flow))] : [],
      culprit: who,
      share,
      lever: () => ({ needs: one.pressure }),
      since: beganOf(one, server),
      victims,
      tier: server.dumps > 0 ? 'dumps' : 'requests',
      // A second level of its own would be the first under another name.
      remedy: isHeld
        ? advice(
            `${name} was made to hold its clients back, and does so: others are served beside it. ${does}; no edit is needed.`,
          )
        : either(does, OWN_LEVEL, () =>
            client.user === undefined
              ? []
              : ownLevel(known, { schema: client.schema, users: [{ name: client.user, part: 1 }] }),
          ),
    }
  })
}

/** Between two dumps, one of which shows much of a client and the one before does not, it began when the trouble did. */
function beganOf({ since, notBefore = -Infinity }: Suspect, server: ServerFacts): UnixMs | undefined {
  const onset = server.since
  return since === undefined || (onset !== undefined && notBefore < onset && onset < since) ? onset : since
}

/** What the requests of a suspect are, what to do about them, and the fact about them. */
function natureOf(
  { client, name: who, share, cause, seconds, seatsPerRequest }: Suspect,
  { name }: LevelFacts,
  server: ServerFacts,
): { readonly text: string; readonly does: string; readonly clue: readonly Clue[] } {
  const [call] = client.calls
  const isWriter = WRITES.has(call?.digest.info.verb ?? '')
  switch (cause) {
    case 'watch-storm':
      return {
        text: `begins to watch with many requests at once, as after a restart or a lost connection: watches that are being initialised hold the seats of ${name}.`,
        does: `Let ${who} back off with jitter before it watches again, and resume from its last resourceVersion`,
        clue: [
          weighing(6, fact(true, `Most of its requests in ${plain.counted(server.dumps, 'debug dump')} are watches.`)),
        ],
      }
    case 'wide-requests':
      return {
        text: `sends wide requests, mostly ${call?.text ?? 'lists'}: each takes several seats of ${name}.`,
        does: `Let ${who} list with limit or resourceVersion=0, or watch`,
        clue: [
          weighing(4, fact(true, `A request of ${who} takes ${plain.counted(seatsPerRequest, 'seat')} on average.`)),
        ],
      }
    case 'slow-reader':
      return {
        text: `holds seats of ${name} for a long time${isWriter ? '' : ', as a client that reads large answers slowly does'}.`,
        does: isWriter
          ? `Let ${who} send fewer of these requests at once (mostly ${call?.text})`
          : `Let ${who} read in pages (limit) or watch`,
        clue: [weighing(5, fact(true, `Requests of ${who} had executed for ${plain.seconds(seconds)} on average.`))],
      }
    case 'one-flow':
      return {
        text: `wants far more of ${name} than any other client: ${plain.percent(share.part)} of what is wanted beyond an equal share${callsText(client)}.`,
        does: `Slow down ${who}${pagesText(client)}`,
        clue: [],
      }
  }
}

/** The client with the most seats of writes. */
const writerIn = ({ ledger }: ServerFacts, { name }: LevelFacts): string | undefined =>
  byUser(ledger, name).find(({ uses }) => uses.some(({ calls }) => WRITES.has(calls[0]?.digest.info.verb ?? '')))?.name

/** The client with most of the seats of wide requests; none where they are of many. */
function widestIn({ ledger }: ServerFacts, { name }: LevelFacts): string | undefined {
  const wide = byUser(ledger, name).filter(({ pressure, uses }) => {
    const requests = uses.reduce((sum, { waiting, executing }) => sum + waiting + executing, 0)
    return requests > 0 && pressure >= WIDE * requests
  })
  const all = wide.reduce((sum, { pressure }) => sum + pressure, 0)
  return wide.find(({ pressure }) => pressure >= all / 2)?.name
}

/** The client with most of the seats of watches that are being initialised; none where they are of many. */
function watcherIn({ ledger }: ServerFacts, { name }: LevelFacts): string | undefined {
  const users = byUser(ledger, name).map(({ name: who, uses }) => ({
    who,
    seats: uses.reduce((sum, use) => sum + use.seats * watchPart(use), 0),
  }))
  const all = users.reduce((sum, { seats }) => sum + seats, 0)
  return users.find(({ seats }) => seats > 0 && seats >= all / 2)?.who
}

/** `, mostly list pods`. */
const callsText = ({ calls: [first] }: ClientUse): string => (first === undefined ? '' : `, mostly ${first.text}`)

/** Whether whole lists can be asked for in pages. */
const pagesText = ({ sent }: ClientUse): string => (sent?.limit === 0 ? ', let it list in pages (limit=500)' : '')

/** Whether the requests of the other levels, the exempt one included, take as long as before. */
function othersAsFast({ name }: LevelFacts, server: ServerFacts) {
  const pairs = executionPairs(withExempt(server).filter((level) => level.name !== name))
  const slow = [...new Set(pairs.filter(isSlower).map(({ level }) => level))]
  return fact(
    pairs.length === 0 ? undefined : slow.length === 0,
    pairs.length === 0
      ? 'There are no execution times of other levels from before.'
      : slow.length === 0
        ? 'Requests of other levels take as long as before.'
        : `Requests of ${listed(slow)} take longer than before as well.`,
  )
}

const slowSchema = ({ now }: LevelFacts): { readonly schema?: string } => {
  const [main] = now.schemas.toSorted((a, b) => (b.seats ?? 0) - (a.seats ?? 0))
  return main === undefined ? {} : { schema: main.schema }
}

/** Most requests are quick and a few take very long. */
function slowTail({ name, now }: LevelFacts) {
  const sum = sumHistograms(now.schemas.flatMap(({ execution }) => execution ?? []))
  if (sum === undefined || sum.count === 0) return fact(undefined, `The execution times of ${name} are unknown.`)
  const long =
    sum.count - sum.bounds.reduce((most, bound, i) => (bound <= LONG_SECONDS ? (sum.counts[i] ?? most) : most), 0)
  return fact(
    long > 0 && long < sum.count / 2,
    `${plain.counted(Math.round(long), 'request')} of ${plain.amount(sum.count)} that finished in ${name} took longer than ${plain.seconds(LONG_SECONDS)}.`,
  )
}

function watching(level: LevelFacts, server: ServerFacts) {
  const share = watchShare(level, server, secondsOf(server))
  return weighing(
    6,
    fact(
      share >= (watcherIn(server, level) === level.suspects[0]?.name ? MUCH_OF_SEATS : MOST_OF_SEATS),
      `Watches that are initialised hold ${plain.percent(Math.min(1, share))} of the seats that ${level.name} uses.`,
    ),
  )
}

/** Seats of writes that were already answered, by the number of watchers that each of them notified. */
function lingering({ name, now }: LevelFacts, server: ServerFacts) {
  const [first, last] = [server.pages[0], server.last].map((page) => page?.levels.find((level) => level.name === name))
  const watchers = sumHistograms(
    last?.schemas.flatMap(({ name: schema, watchCount }) => {
      const earlier = first?.schemas.find((one) => one.name === schema)?.watchCount
      return (watchCount && histogramIncrease(watchCount, earlier)) ?? []
    }) ?? [],
  )
  const count = watchers === undefined || watchers.count === 0 ? undefined : histogramMean(watchers)
  const kept = ((watchers?.count ?? 0) * notifyingSeatSeconds(count ?? 0)) / secondsOf(server)
  const seats = now.quantities.seats ?? 0
  return weighing(
    7,
    fact(
      watchers === undefined ? undefined : kept >= MOST_OF_SEATS * seats && kept > 0,
      watchers === undefined
        ? `How many watchers the writes of ${name} notify is unknown.`
        : `Writes of ${name} keep ${plain.amount(kept)} of ${plain.amount(seats)} executing seats after their answer${count === undefined ? '' : `, because each notifies ${plain.amount(count)} watchers on average`}.`,
    ),
  )
}

function shortDeadlines(level: LevelFacts, server: ServerFacts, hasty: ReturnType<typeof hastyIn>) {
  const { name, rejected, waits } = level
  const late = rejected['time-out']
  if (late === 0) return fact(false, `No request of ${name} timed out in the queue.`)
  const weight = late >= allRejected(rejected) / 2 ? 7 : 2
  const counts = `${plain.amount(late)} of ${plain.counted(allRejected(rejected), 'rejected request')} of ${name} timed out in the queue`
  const isFew = late < FEWEST_LATE && late < LEAST_LATE * level.dispatched
  if (isFew || late < LEAST_LATE * allRejected(rejected)) return fact(false, `${counts}.`)
  if (hasty !== undefined) {
    const sooner =
      hasty.waited === undefined ? '' : `, and those of ${hasty.who} for ${plain.seconds(hasty.waited)} on average`
    const text = `${counts}; in ${plain.counted(server.dumps, 'debug dump')} requests had waited for at most ${plain.seconds(hasty.longest)}${sooner}. Without a deadline of the client it would be ${plain.seconds(USUAL_TIME_OUT_SECONDS)}.`
    return weighing(weight, fact(true, text))
  }
  const [perSecond, queued] = [late / secondsOf(server), level.now.evidence.queued ?? Infinity]
  // By Little’s law they waited for no longer than that on average, even if all that wait were theirs.
  const most = queued / perSecond
  if (late >= FEWEST_LATE && most < EARLY * USUAL_TIME_OUT_SECONDS) {
    return weighing(
      weight,
      fact(
        true,
        `${counts}, ${plain.rate(perSecond)}, while ${plain.amount(queued)} requests wait on average: they gave up after ${plain.seconds(most)} at most; without a deadline of the client it would be ${plain.seconds(USUAL_TIME_OUT_SECONDS)}.`,
      ),
    )
  }
  if (waits === undefined) return fact(undefined, `The waits of ${name} are unknown.`)
  const top = waits.counts.findIndex((count) => count >= waits.count)
  const longest = waits.bounds[top]
  // Compared with a flood that fills its queues, a few time-outs do not explain the trouble of the level.
  return weighing(
    weight,
    fact(
      longest !== undefined && longest < USUAL_TIME_OUT_SECONDS,
      `${counts}, and no request waited longer than ${longest === undefined ? 'the last bucket of the histogram' : plain.seconds(longest)}; without a deadline of the client it would be ${plain.seconds(USUAL_TIME_OUT_SECONDS)}.`,
    ),
  )
}

/** A smaller part of all rejections, or of the requests that were served if they are few, is not what a level suffers from. */
const LEAST_LATE = 0.1
/** Fewer time-outs are chance; so much earlier than usual they are those of clients with a short deadline. */
const FEWEST_LATE = 20
const EARLY = 0.6
/** So many waiting requests show how long those of a client, and of all, wait. */
const FEWEST_WAITING = 8
const FEWEST_OF_ALL = 20
/** Waits of a client whose deadline is short are shorter than this part of the usual ones. */
const CUT_SHORT = 0.5

/**
 * The client whose requests time out: by single requests, else the one that waits as often as the others in dumps and
 * far shorter, where nobody waits long enough for the usual time-out.
 */
function hastyIn(
  { ledger }: ServerFacts,
  { name, rejected }: LevelFacts,
): { readonly who: string; readonly waited?: number; readonly longest: number } | undefined {
  const users = byUser(ledger, name).map(({ name: who, uses }) => {
    const waiting = uses.reduce((sum, { seenWaiting }) => sum + seenWaiting, 0)
    const waited = uses.reduce((sum, use) => sum + (use.waited ?? 0) * use.seenWaiting, 0) / Math.max(1, waiting)
    const late = uses.reduce((sum, { sent }) => sum + (sent?.timedOutEarly ?? 0), 0)
    return { who, waiting, waited, late, longest: Math.max(...uses.map(({ longest }) => longest)) }
  })
  const longest = Math.max(0, ...users.map((one) => one.longest))
  const [latest] = users.toSorted((a, b) => b.late - a.late)
  if (latest !== undefined && latest.late > 0) return { who: latest.who, longest }
  const all = users.reduce((sum, { waiting }) => sum + waiting, 0)
  // Dumps may miss the few that waited for long.
  if (rejected['time-out'] < FEWEST_LATE || all < FEWEST_OF_ALL || longest >= LONG_WAIT_SECONDS) return undefined
  const often = users.filter(({ waiting }) => waiting >= FEWEST_WAITING)
  const [first, ...others] = often.toSorted((a, b) => a.waited - b.waited)
  const usual = median(others.map(({ waited }) => waited))
  return first === undefined || usual === undefined || first.waited >= CUT_SHORT * usual
    ? undefined
    : { who: first.who, waited: first.waited, longest }
}

function briefBurst(level: LevelFacts, { pages, stepMs, from, to }: ServerFacts) {
  const { name, rejected, pagesQueued, mostQueued } = level
  const last = pages.findLast(({ levels }) => (levels.find((one) => one.name === name)?.requests.queued ?? 0) > 0)
  const since = (to - (last === undefined ? from : unixMsOf(last.at))) / MS_PER_SECOND
  const lasted = (pagesQueued * stepMs) / MS_PER_SECOND
  const rejections = plain.counted(allRejected(rejected), 'request was rejected', 'requests were rejected')
  return weighing(
    4,
    fact(
      allRejected(rejected) === 0 && lasted <= BRIEF_SECONDS && since >= OVER_SECONDS,
      pagesQueued === 0
        ? `No sample of ${plain.seconds(since)} shows requests of ${name} waiting, and ${rejections}.`
        : `Requests of ${name} waited in samples of ${plain.seconds(lasted)} (at most ${plain.amount(mostQueued)} at once), ${rejections}, and none waited in the last ${plain.seconds(since)}.`,
    ),
  )
}
