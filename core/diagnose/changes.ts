import { classifyingConfiguration } from '../classify/configuration.ts'
import { changeText, writeOf } from '../compare/noter.ts'
import { startedText } from '../compare/notes.ts'
import { configDiff, specEquals, type ObjectDifference } from '../config/content.ts'
import { defaultLevel, type FlowSchema, type ObjectSet, objectNamed, objectOf } from '../config/objects.ts'
import type { JudgedChange, ProposedManifest } from '../contract/diagnosis.ts'
import { seatImpact } from '../impact/seatImpact.ts'
import { writeManifest } from '../manifest/write.ts'
import { plain } from '../text/format.ts'
import { listed } from '../text/text.ts'
import { meanOf } from '../twin/observe.ts'
import type { UnixMs } from '../units.ts'
import { clientName, pressureOf } from '../verdict/ledger.ts'
import type { Lever } from './explain.ts'
import type { Evidence, LevelFacts, ObjectsAt, ServerFacts } from './facts.ts'

/** A change of one object, and what it does to a server now: the same without it. */
export interface Change {
  readonly at: UnixMs
  readonly difference: ObjectDifference
  /** `FlowSchema payments`. */
  readonly subject: string
  /** Who wrote it: the user of an audit log, else the field manager. */
  readonly by: string | undefined
  /** Nominal seats of levels without it and with it, where they differ; the level that loses most first. */
  readonly seats: readonly { readonly level: string; readonly without: number; readonly now: number }[]
  /** Clients whose requests go elsewhere because of it. */
  readonly moved: readonly {
    readonly client: string
    readonly what: string
    readonly from: string
    readonly to: string
    /** Seats that it takes and waits for. */
    readonly pressure: number
  }[]
  /** The level that it is about: that of a flow schema. */
  readonly about: string | undefined
  /** Properties that make a level reject or let wait sooner, or put clients into one flow. */
  readonly tightened: readonly string[]
  /** When the object was as before again, if it was. */
  readonly takenBackAt: UnixMs | undefined
  /** How often the object has returned to a content that it had before. */
  readonly returns: number
  /** The former object; none if it did not exist. */
  readonly undo: (() => readonly ProposedManifest[]) | undefined
}

/** Changes so long before the trouble are no suspects. */
const LOOKED_BACK_MS = 600_000
/** Clients that are classified again: those that use the most. */
const MOST_CLASSIFIED = 200
/** A limit follows an edit within one recomputation, a page shows it with the next sample. */
const TAKES_EFFECT_MS = 15_000

/** Every change of the objects that was seen, in the order of time, with its effect on the server. */
export function changesOf({ history = [], requests = [] }: Evidence, server: ServerFacts): readonly Change[] {
  const present = history.at(-1)?.objects
  if (present === undefined) return []
  const since = server.to - LOOKED_BACK_MS
  return history
    .flatMap(({ at, objects: after }, i) => {
      const before = history[i - 1]?.objects
      if (before === undefined || at < since || at > server.to) return []
      return configDiff(before, after).flatMap((found) => {
        const known = history.slice(0, i).findLast(({ objects }) => objectOf(objects, found) !== undefined)?.objects
        // What is made anew is a change of what it was.
        const former = found.change === 'added' && known !== undefined ? withObject(before, found, known) : before
        const difference = configDiff(former, after).find(
          ({ kind, name }) => kind === found.kind && name === found.name,
        )
        if (difference === undefined) return []
        const returns = returnsOf(difference, history.slice(0, i + 1))
        const was = objectOf(former, difference)?.spec
        const isGone = difference.change === 'removed'
        const back = history.slice(i + 1).find(({ objects }) => {
          const is = objectOf(objects, difference)
          return isGone ? is !== undefined : specEquals(is?.spec, was)
        })
        const seen = { at, before: former, after, present, difference, returns, takenBackAt: back?.at }
        const change = changeOf(seen, server)
        const writer = requests.findLast((row) => writes(row, difference) && row.at <= change.at + 2_000)
        return [writer === undefined ? change : { ...change, by: writer.user }]
      })
    })
    .toSorted((a, b) => a.at - b.at)
}

export const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete'])
const writes = (
  { verb, resource, name }: { readonly verb: string; readonly resource: string; readonly name: string },
  { kind, name: of }: ObjectDifference,
): boolean =>
  WRITES.has(verb) &&
  name === of &&
  resource.startsWith(kind === 'FlowSchema' ? 'flowschemas.' : 'prioritylevelconfigurations.')

/** Writers that disagree turn an object to and fro, such as servers of different versions while they are upgraded. */
function returnsOf(of: ObjectDifference, history: readonly ObjectsAt[]): number {
  const contents: ReturnType<typeof objectOf>[] = []
  let returns = 0
  for (const { objects } of history) {
    const now = objectOf(objects, of)
    if (contents.length > 0 && specEquals(now?.spec, contents.at(-1)?.spec)) continue
    if (contents.some((former) => specEquals(former?.spec, now?.spec))) returns += 1
    contents.push(now)
  }
  return returns
}

interface Seen {
  readonly at: UnixMs
  readonly before: ObjectSet
  readonly after: ObjectSet
  readonly present: ObjectSet
  readonly difference: ObjectDifference
  readonly returns: number
  readonly takenBackAt: UnixMs | undefined
}

function changeOf({ at, before, after, present, difference, returns, takenBackAt }: Seen, server: ServerFacts): Change {
  const { kind, name, change } = difference
  const [was, is] = [objectOf(before, difference), objectOf(after, difference)]
  const written = writeOf(difference, is, at)
  // What was made anew is judged as a change of what it was.
  const without = change === 'removed' && takenBackAt !== undefined ? present : withObject(present, difference, before)
  const seats = seatsMoved(without, present, server)
  return {
    at: written.at,
    difference,
    subject: `${kind} ${name}`,
    by: written.by,
    seats: seats.toSorted((a, b) => b.without - b.now - (a.without - a.now)),
    moved: kind === 'FlowSchema' || change !== 'changed' ? requestsMoved(without, present, server, difference) : [],
    about: kind === 'FlowSchema' ? schemaIn(present, name)?.spec.priorityLevelConfiguration.name : name,
    tightened: kind === 'FlowSchema' ? joinedIn(without, present, name) : tightenedIn(without, present, name),
    returns,
    takenBackAt,
    undo: was === undefined ? undefined : () => [{ kind, name, text: writeManifest(kind, was) }],
  }
}

/** The objects with one of them as in others; without it where they do not have it. */
function withObject(
  { levels, schemas }: ObjectSet,
  { kind, name }: Pick<ObjectDifference, 'kind' | 'name'>,
  others: ObjectSet,
): ObjectSet {
  const replaced = <T extends ObjectSet['levels'][number] | FlowSchema>(all: readonly T[], from: readonly T[]): T[] => {
    const was = objectNamed(from, name)
    return [...all.filter(({ metadata }) => metadata.name !== name), ...(was === undefined ? [] : [was])]
  }
  return kind === 'FlowSchema'
    ? { levels, schemas: replaced(schemas, others.schemas) }
    : { levels: replaced(levels, others.levels), schemas }
}

function seatsMoved(without: ObjectSet, present: ObjectSet, { limit, last }: ServerFacts): Change['seats'] {
  if (limit === undefined) return []
  const { rows } = seatImpact({ before: without, after: present, serverLimit: limit, version: last.version })
  return rows.flatMap(({ name, before, after }) => {
    const [was, is] = [before?.nominal ?? 0, after?.nominal ?? 0]
    return was === is ? [] : [{ level: name, without: was, now: is }]
  })
}

function requestsMoved(
  without: ObjectSet,
  present: ObjectSet,
  server: ServerFacts,
  { kind, name }: ObjectDifference,
): Change['moved'] {
  const { limit, ledger } = server
  const [was, is] = [classifyingConfiguration(without, limit), classifyingConfiguration(present, limit)]
  const known = ledger.clients.slice(0, MOST_CLASSIFIED).flatMap((client) => {
    const all = client.calls.reduce((sum, { count }) => sum + count, 0)
    const found = client.calls.flatMap(({ text, count, digest }) => {
      const [before, now] = [was.schemaOf(digest), is.schemaOf(digest)]
      const to = now.spec.priorityLevelConfiguration.name
      // Groups that the source does not tell decide in which schema a request is: what it shows comes first.
      if (now.metadata.name !== client.schema || before.spec.priorityLevelConfiguration.name === to) return []
      return [{ what: text, part: count / all, from: before.spec.priorityLevelConfiguration.name, to }]
    })
    const [first] = found
    const part = found.reduce((sum, one) => sum + one.part, 0)
    return first === undefined
      ? []
      : [
          {
            client: clientName(client),
            ...first,
            what: listed(found.map(({ what }) => what)),
            pressure: part * pressureOf(client),
          },
        ]
  })
  if (known.length > 0 || kind !== 'FlowSchema') return known
  return rateMoved(server, name, schemaIn(without, name), schemaIn(present, name))
}

/** A schema lost its requests to another, or got them from it, where so much of them went and came. */
const LEAST_SHIFTED = 0.5

/**
 * The requests of one schema, counted: groups that the source does not tell may decide who they are of. Where it does
 * not say itself where they came from or go to, that is the schema whose requests became fewer or more at the same time.
 */
function rateMoved(
  { levels }: ServerFacts,
  name: string,
  was: FlowSchema | undefined,
  is: FlowSchema | undefined,
): Change['moved'] {
  const all = levels.flatMap((level) => {
    const schemas = [level.now, level.before].flatMap((observed) => observed?.schemas.map(({ schema }) => schema) ?? [])
    return [...new Set(schemas)].map((schema) => ({
      level: level.name,
      schema,
      now: rateOf(level.now, schema),
      before: rateOf(level.before, schema),
    }))
  })
  const [old, own] = [was, is].map((schema) => schema?.spec.priorityLevelConfiguration.name)
  const before = all.find(({ level, schema }) => schema === name && level === old)?.before ?? 0
  const now = all.find(({ level, schema }) => schema === name && level === own)?.now ?? 0
  const isRedirected = old !== undefined && own !== undefined && old !== own
  const isLess = !isRedirected && now < before
  if (old === own && (matchesAlike(was, is) || Math.abs(now - before) < LEAST_SHIFTED * Math.max(now, before)))
    return []
  const rate = isRedirected ? now : Math.abs(now - before)
  const [shift] = all
    .filter(({ schema }) => schema !== name)
    .map((one) => ({ ...one, by: isLess ? one.now - one.before : one.before - one.now }))
    .filter((one) => one.by >= LEAST_SHIFTED * Math.max(isLess ? one.now : one.before, rate / 10))
    .toSorted((a, b) => b.by - a.by)
  const from = isLess || isRedirected ? old : shift?.level
  const to = isLess ? shift?.level : own
  const there = levels.find((level) => level.name === to)
  if (rate === 0 || from === undefined || there === undefined || from === to) return []
  const { seats = 0, arrivalsPerSecond } = there.now.quantities
  const part = Math.min(1, (isLess ? (shift?.by ?? 0) : rate) / arrivalsPerSecond)
  const pressure = part * Math.max(1, seats + (there.now.evidence.queued ?? 0))
  return [{ client: `all of ${name}`, what: plain.rate(rate), from, to: there.name, pressure }]
}

const matchesAlike = (was: FlowSchema | undefined, is: FlowSchema | undefined): boolean =>
  was?.spec.matchingPrecedence === is?.spec.matchingPrecedence && specEquals(was?.spec.rules, is?.spec.rules)

const rateOf = (observed: LevelFacts['before'], name: string): number =>
  meanOf(observed?.schemas.find(({ schema }) => schema === name)?.arrivals ?? []) ?? 0

const schemaIn = ({ schemas }: ObjectSet, name: string) => objectNamed(schemas, name)

/** How finely a schema tells its clients apart. */
const FLOWS = ['none', 'ByNamespace', 'ByUser']

/** A schema that puts clients into one flow which had flows of their own. */
function joinedIn(without: ObjectSet, present: ObjectSet, name: string): readonly string[] {
  const [was, is] = [without, present].map((objects) => schemaIn(objects, name))
  if (was === undefined || is === undefined) return []
  const [from = 'none', to = 'none'] = [was, is].map(({ spec }) => spec.distinguisherMethod?.type)
  return FLOWS.indexOf(to) < FLOWS.indexOf(from) ? [`distinguisherMethod ${from} → ${to}`] : []
}

/** What makes a level hold fewer requests, or lend more and borrow less. */
function tightenedIn(without: ObjectSet, present: ObjectSet, name: string): readonly string[] {
  const [was, is] = [without, present].map(({ levels }) => {
    const found = objectNamed(levels, name)
    return found && defaultLevel(found).spec.limited
  })
  if (was === undefined || is === undefined) return []
  const [queues, now] = [was.limitResponse.queuing, is.limitResponse.queuing]
  const less = (what: string, from: number | undefined, to: number | undefined): readonly string[] =>
    from !== undefined && to !== undefined && to < from ? [`${what} ${from} → ${to}`] : []
  const [most, mostNow] = [was.borrowingLimitPercent ?? Infinity, is.borrowingLimitPercent ?? Infinity]
  return [
    ...(queues !== undefined && now === undefined ? ['queues → none'] : []),
    ...less('queues', queues?.queues, now?.queues),
    ...less('queueLengthLimit', queues?.queueLengthLimit, now?.queueLengthLimit),
    ...less('handSize', queues?.handSize, now?.handSize),
    ...(mostNow < most ? [`borrowingLimitPercent ${most === Infinity ? 'none' : most} → ${mostNow}`] : []),
    ...((is.lendablePercent ?? 0) > (was.lendablePercent ?? 0)
      ? [`lendablePercent ${was.lendablePercent ?? 0} → ${is.lendablePercent ?? 0}`]
      : []),
  ]
}

/** A level that loses less of its seats, or gets less of its traffic by an edit, is not harmed by it. */
const LEAST_LOST = 0.1
const LEAST_MOVED = 0.2

/** What a change does to a level: the part of its seats or of its traffic that it is about, 0 to 1. */
export function harmTo({ seats, moved, tightened, about }: Change, { name, now }: LevelFacts): number {
  const own = seats.find(({ level }) => level === name)
  const lost = own === undefined || own.without === 0 ? 0 : (own.without - own.now) / own.without
  const wanted = Math.max(1, (now.quantities.seats ?? 0) + (now.evidence.queued ?? 0))
  const came = moved.reduce((sum, { to, from, pressure }) => sum + (to === name && from !== name ? pressure : 0), 0)
  const part = Math.min(1, came / wanted)
  const shape = about === name && tightened.length > 0 ? 0.5 : 0
  return Math.max(lost >= LEAST_LOST ? lost : 0, part >= LEAST_MOVED ? part : 0, shape)
}

/** What it takes from a level, and the needs of the requests that it brings there. */
export function leverOf({ seats, moved, tightened, about }: Change, { name, now, before }: LevelFacts): Lever {
  const own = seats.find(({ level }) => level === name)
  const nominal = own === undefined ? 0 : own.without - own.now
  // What it may borrow is taken as well.
  const borrowed = (before?.quantities.current ?? 0) - (now.quantities.current ?? 0)
  const shape = about === name && tightened.length > 0
  const came = moved.reduce((sum, { to, pressure }) => sum + (to === name ? pressure : 0), 0)
  return { takes: Math.max(0, nominal, shape ? borrowed : 0), ...(came > 0 && { needs: came }) }
}

/** Whether it came before its effect. */
export const cameBefore = ({ at }: Pick<Change, 'at'>, since: UnixMs | undefined): boolean =>
  since === undefined || at <= since + TAKES_EFFECT_MS

const MOST_NAMED = 4
/** Taking an edit back once is no thrashing. */
const THRASHING = 2

const clientsText = (all: Change['moved']): string =>
  listed([
    ...all.slice(0, MOST_NAMED).map(({ client, what }) => `${client} (${what})`),
    ...(all.length > MOST_NAMED ? [plain.counted(all.length - MOST_NAMED, 'more client')] : []),
  ])

/** What it did, in a sentence. */
export function effectText({ seats, moved, tightened, returns }: Change): string {
  const taken = seats.filter(({ without, now }) => now < without)
  const given = seats.filter(({ without, now }) => now > without)
  const seatText = (all: Change['seats']): string =>
    listed(all.slice(0, 3).map(({ level, without, now }) => `${level} ${plain.amount(without)} → ${plain.amount(now)}`))
  const parts = [
    ...(taken.length === 0 ? [] : [`took seats: ${seatText(taken)}`]),
    ...(given.length === 0 ? [] : [`gave seats: ${seatText(given.toReversed())}`]),
    ...[...Map.groupBy(moved, ({ from, to }) => `from ${from} to ${to}`)].map(
      ([way, all]) => `moved ${clientsText(all)} ${way}`,
    ),
    ...(tightened.length === 0 ? [] : [`set ${listed(tightened)}`]),
  ]
  const did = parts.length === 0 ? 'It moved no seat and none of the requests that were seen.' : `It ${listed(parts)}.`
  return returns < THRASHING
    ? did
    : `${did} The object has returned to a former content ${plain.counted(returns, 'time')}: its writers disagree, as servers of different versions do.`
}

/** Every change, those to blame first, then by size of their effect; a restart is one. */
export function judgedChanges(
  changes: readonly Change[],
  { id, restartedAt, limit, limitBefore, ledger, hasBaseline }: ServerFacts,
  toBlame: (change: Pick<Change, 'subject' | 'at'>) => boolean,
): readonly JudgedChange[] {
  const sizeOf = (change: Change): number =>
    change.seats.reduce((sum, { without, now }) => sum + Math.abs(without - now), 0) +
    change.moved.reduce((sum, { pressure }) => sum + pressure, 0)
  const judged = changes
    .toSorted((a, b) => sizeOf(b) - sizeOf(a))
    .map((change) => {
      const { at, subject, difference, by, moved, takenBackAt } = change
      const isCause = toBlame(change)
      // Whose requests a schema takes may depend on groups that dumps do not tell.
      const isShown = difference.kind !== 'FlowSchema' || hasBaseline || ledger.requests + moved.length > 0
      const isKnown = isCause || (isShown && takenBackAt === undefined)
      const unknown =
        takenBackAt === undefined
          ? 'Whether it moved requests is unknown: there are no samples from before.'
          : `It was ${difference.change === 'removed' ? 'created again' : 'taken back'} at ${plain.time(takenBackAt)}.`
      return {
        at,
        subject,
        text: changeText(difference, by),
        effect: isKnown ? effectText(change) : unknown,
        ...(isKnown && { isToBlame: isCause }),
      }
    })
  const flags = limit !== undefined && limitBefore !== undefined && limit !== limitBefore
  const restart =
    restartedAt === undefined
      ? []
      : [
          {
            at: restartedAt,
            subject: id,
            text: startedText(id),
            effect: flags
              ? `It has ${plain.amount(limit)} seats instead of ${plain.amount(limitBefore)}: its flags changed.`
              : 'It has as many seats as before.',
            isToBlame: toBlame({ subject: id, at: restartedAt }),
          },
        ]
  return [...restart, ...judged].toSorted((a, b) => Number(b.isToBlame ?? false) - Number(a.isToBlame ?? false))
}
