import { classifyingConfiguration } from '../classify/configuration.ts'
import type { ObjectSet } from '../config/objects.ts'
import type { Finding } from '../contract/diagnosis.ts'
import { NEWEST_VERSION } from '../engine/profiles.ts'
import type { LevelFrame } from '../frame/frame.ts'
import { isExempt } from '../frame/reading.ts'
import { setOf, withEdit } from '../impact/applyManifests.ts'
import { readManifests } from '../manifest/read.ts'
import { plain } from '../text/format.ts'
import { flowsOf } from '../twin/flows.ts'
import { comparableFrames, observe } from '../twin/observe.ts'
import { createRehearsal, type Met, type Rehearsal } from '../twin/rehearsal.ts'
import { unixMsOf, type UnixMs } from '../units.ts'
import { defaultVariant } from '../whatif/variant.ts'
import { NOTICED_SECONDS, TELLING_MS, type Evidence, type Forecast, type ServerFacts } from './facts.ts'
import type { Remedy } from './remedies.ts'

/** How long a source that is followed keeps a forecast. */
const KEPT_MS = 60_000

/** An edit that takes less than this part of what those suffer whom it is for does not help them. */
const LEAST_GAIN = 0.1
/** A rejection harms as much as the longest wait in a queue, seconds. */
const REJECTION_SECONDS = 15
/** A twin whose culprit holds so many times more or fewer seats than the real one is about somebody else. */
const ALIKE = 2
const FEW_SEATS = 3

const LESS_LOAD = 'Reduce the load, or add API servers.'

type Judge = (finding: Finding, remedy: Remedy) => Finding

/**
 * Judges remedies that are edits by running the same minute with and without them: a remedy that does not help those who
 * suffer is not offered as an edit, any other says whom it helps and whom it costs what, or why no run can judge it.
 */
export function remedyJudge(evidence: Evidence, servers: readonly ServerFacts[]): Judge {
  const rehearsals = new Map<string, Rehearsal | string>()
  return (finding, { withoutEdit }) => {
    const { manifests } = finding.remedy
    const server = servers.find(({ id }) => id === finding.place.server) ?? servers[0]
    const { objects, forecasts } = evidence
    if (server === undefined || objects === undefined || manifests.length === 0) return finding
    // That a level is missing does not have to show.
    const shows = finding.cause !== 'dangling-schema'
    if (server.editedAt !== undefined && shows)
      return { ...finding, remedy: { manifests: [], text: waitFor(server.editedAt) } }
    // That nobody suffers is no longer true once somebody does.
    const key = JSON.stringify([server.id, finding.cause, finding.culprit, finding.victims.length > 0, manifests])
    const known = forecasts?.get(key)
    const isKept = known !== undefined && Math.abs(server.to - known.at) <= KEPT_MS
    const rehearsed = (): Rehearsal | string => {
      const rehearsal = rehearsals.get(server.id) ?? rehearsalOf(server, objects, evidence)
      rehearsals.set(server.id, rehearsal)
      return rehearsal
    }
    const forecast = isKept
      ? known.forecast
      : forecastOf(finding, server, rehearsed(), () => editedBy(objects, finding, server))
    if (!isKept) forecasts?.set(key, { at: server.to, forecast })
    const { text } = finding.remedy
    const remedy =
      forecast.helps === false
        ? { manifests: [], text: `${withoutEdit === '' ? LESS_LOAD : withoutEdit} ${forecast.text}` }
        : { manifests, text: `${text} ${forecast.text}` }
    return { ...finding, remedy }
  }
}

/** What was judged is from before the edit. */
const waitFor = (at: UnixMs): string =>
  `The objects were changed at ${plain.time(at)}: what that does shows from ${plain.time(at + TELLING_MS)} on. No further edit is offered until then.`

/** A sentence says why there is none. */
function rehearsalOf(server: ServerFacts, objects: ObjectSet, { servers }: Evidence): Rehearsal | string {
  if (server.limit === undefined) return 'how many seats the server has is unknown'
  const configured = classifyingConfiguration(objects, server.limit).levels
  // Objects that the server does not follow yet, or that it no longer follows, say nothing about these pages.
  const isOther = ({ name, limits: { nominal, upper } }: LevelFrame): boolean => {
    const is = configured.get(name)?.limits
    return nominal !== undefined && (is?.nominal !== nominal || (upper !== undefined && is.max !== upper))
  }
  if (server.last.levels.some((level) => !isExempt(level) && isOther(level)))
    return 'the limits of the server are not those of the known objects'
  const observation = observe(comparableFrames(server.pages))
  if (observation === undefined) return 'the samples are too few'
  const dumps = servers.find(({ frames }) => frames[0]?.id === server.id)?.dumps ?? []
  const flows = flowsOf(dumps.filter(({ at }) => unixMsOf(at) >= server.from && unixMsOf(at) <= server.to))
  const variant = {
    ...defaultVariant(server.id, objects),
    version: server.last.version ?? NEWEST_VERSION,
    maxRequestsInFlight: server.limit,
    maxMutatingRequestsInFlight: 0,
  }
  return createRehearsal({ observation, flows, variant }) ?? 'more requests come than a simulated run can have in time'
}

function editedBy(objects: ObjectSet, { remedy }: Finding, { last }: ServerFacts): ObjectSet {
  const read = remedy.manifests.flatMap(
    ({ name, text }) => readManifests(text, { file: name, version: last.version ?? NEWEST_VERSION }).documents,
  )
  return read.reduce((set, { checked }) => (checked === undefined ? set : withEdit(set, setOf(checked))), objects)
}

const unjudged = (why: string): Forecast => ({ helps: undefined, text: `No forecast of this edit: ${why}.` })

function forecastOf(
  { place, culprit, victims, remedy }: Finding,
  server: ServerFacts,
  rehearsal: Rehearsal | string,
  edit: () => ObjectSet,
): Forecast {
  const { level } = place
  if (typeof rehearsal === 'string') return unjudged(rehearsal)
  if (level === undefined) return unjudged('it is not about one level')
  const now = rehearsal.now(level)
  if (now === undefined) return unjudged(`simulated runs do not reproduce what ${level} does`)
  const here = now.filter((one) => one.level === level)
  const suspects = server.levels.flatMap((one) => one.suspects)
  const suspect = suspects.find(({ name }) => name === culprit)
  const twin = here.find(({ name }) => name === suspect?.name)
  if (suspect !== undefined && !isAlike(twin?.seats ?? 0, suspect.seats))
    return unjudged(
      twin === undefined
        ? `simulated runs do not tell ${suspect.name} from others in its flow`
        : `simulated runs do not reproduce what ${suspect.name} does`,
    )
  // Who takes far more than others is not whom an edit has to help.
  const large = new Set(suspects.map(({ name }) => name))
  const named = new Set(victims.map(({ name }) => name).filter((name) => !large.has(name)))
  const suffering = here.filter(({ name, schema }) => named.has(name) || named.has(`flow schema ${schema}`))
  if (victims.length > 0 && suffering.length === 0)
    return unjudged('simulated runs do not tell those who suffer from others in their flow')
  const helped = new Set(
    (victims.length > 0 ? suffering : here.filter(({ name }) => !large.has(name))).map(({ name }) => name),
  )
  const after = rehearsal.after(level, edit())
  if (after === undefined) return unjudged('the simulated run with it takes too long')
  const schemas = remedy.manifests.flatMap(({ kind, name }) => (kind === 'FlowSchema' ? [name] : []))
  if (schemas.length > 0 && !after.some(({ schema }) => schemas.includes(schema)))
    return unjudged('in the simulated run it takes no request: the source does not tell the groups of users')
  const parties = partiesOf(helped, level, suspect?.name, large)
  const harmsOf = (met: readonly Met[]) => ({
    helped: harmOf(met.filter(parties.isHelped)),
    culprit: harmOf(met.filter(parties.isCulprit)),
    elsewhere: harmOf(met.filter(parties.isElsewhere)),
  })
  const [was, is] = [harmsOf(now), harmsOf(after)]
  // Clients that no dump shows have no name in a simulated run.
  const told = new Set(suffering.map(({ name, schema }) => (named.has(name) ? name : `flow schema ${schema}`)))
  const who = told.size === 1 ? [...told].join('') : `${plain.counted(helped.size, 'client')} of ${level}`
  const costs =
    suspect === undefined || was.culprit.requests === 0 ? '' : `; ${suspect.name}: ${metText(is.culprit, was.culprit)}`
  if (was.helped.seconds < NOTICED_SECONDS) {
    if (victims.length > 0 || suspect === undefined)
      return unjudged(`in the simulated run hardly any request of ${who} waits`)
    const text = `No edit is offered: by the console’s own forecast no other client of ${level} waits now, so it would help nobody${costs}.`
    return { helps: false, text }
  }
  const gain = (was.helped.seconds - is.helped.seconds) * was.helped.requests
  const loss = (is.elsewhere.seconds - was.elsewhere.seconds) * was.elsewhere.requests
  const helps = is.helped.seconds <= (1 - LEAST_GAIN) * was.helped.seconds && loss < gain
  const outcome = `${who}: ${metText(is.helped, was.helped)}${costs}${loss >= Math.max(gain, 0) && loss > 0 ? `; other levels: ${metText(is.elsewhere, was.elsewhere)}` : ''}`
  return helps
    ? { helps, text: `Forecast of this edit: ${outcome}.` }
    : {
        helps,
        text: `No edit is offered: by the console’s own forecast the one for this cause ${gain > 0 && loss >= gain ? 'costs others more than it helps' : 'does not help'} (${outcome}).`,
      }
}

const isAlike = (a: number, b: number): boolean =>
  Math.abs(a - b) <= FEW_SEATS || Math.max(a, b) <= ALIKE * Math.min(a, b)

function partiesOf(
  helped: ReadonlySet<string>,
  level: string,
  culprit: string | undefined,
  large: ReadonlySet<string>,
) {
  return {
    isHelped: (one: Met): boolean => one.level === level && helped.has(one.name) && one.name !== culprit,
    isCulprit: (one: Met): boolean => one.level === level && one.name === culprit,
    // That the culprit of another level waits longer harms nobody whom an edit has to spare.
    isElsewhere: (one: Met): boolean => one.level !== level && !large.has(one.name),
  }
}

interface Harm {
  readonly requests: number
  /** Mean wait of those that were dispatched, seconds. */
  readonly wait: number
  /** Part of all. */
  readonly rejected: number
  /** What a request suffers on average. */
  readonly seconds: number
}

function harmOf(met: readonly Met[]): Harm {
  const sum = (of: (one: Met) => number): number => met.reduce((all, one) => all + of(one), 0)
  const [requests, rejected, waited] = [
    sum((one) => one.requests),
    sum((one) => one.rejected),
    sum((one) => one.waited),
  ]
  const all = Math.max(1, requests)
  return {
    requests,
    wait: waited / Math.max(1, requests - rejected),
    rejected: rejected / all,
    seconds: (waited + REJECTION_SECONDS * rejected) / all,
  }
}

/** `waits 0.1 s instead of 2 s`. */
function metText(is: Harm, was: Harm): string {
  const most = Math.max(is.rejected, was.rejected)
  const rejected = [is, was].map((harm) => plain.percent(harm.rejected, most < 0.01 ? 1 : 0))
  const isRejected = most >= LEAST_REJECTED
  return `${plain.seconds(is.wait)} instead of ${plain.seconds(was.wait)} in the queue${isRejected ? `, ${rejected.join(' instead of ')} rejected` : ''}`
}
const LEAST_REJECTED = 0.0005
