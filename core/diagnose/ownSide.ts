import { showsNone } from '../frame/lacking.ts'
import { FAMILY } from '../metrics/familyNames.ts'
import { staleAfterMs } from '../frame/staleAfter.ts'
import { SHORTEST_SPAN_SECONDS } from '../twin/observe.ts'
import { unixMsOf } from '../units.ts'
import { plain } from '../text/format.ts'
import type { Case } from './case.ts'
import { fact } from './clues.ts'
import type { Evidence, ServerFacts } from './facts.ts'
import { advice } from './remedies.ts'
import { listed } from '../text/text.ts'

/** An answer needs samples of some time, so one that is slightly late does not make it stale. */
const STALE_MS = 30_000
/** The Date header has a resolution of one second, and a request takes time. */
const CLOCK_MS = 3_000
/** Without these families, waits and limits cannot be assessed. */
const ESSENTIAL = ['dispatched', 'rejected', 'executingSeats', 'current'] as const

/** Problems to exclude before servers are blamed; with one of these that `blocks`, no server is. */
export interface OwnSide {
  readonly cases: readonly Case[]
  readonly blocks: boolean
}

/** Checks the console’s own side: samples, their age, clocks, families. */
export function ownSide(evidence: Evidence, servers: readonly ServerFacts[]): OwnSide {
  const cases: Case[] = []
  const pages = evidence.servers.flatMap(({ frames }) => frames)
  if (servers.length === 0) {
    const isSeries = pages.length > evidence.servers.length
    const failing = evidence.health.flatMap(({ failures }) => failures.at(-1)?.problem.message ?? [])
    cases.push({
      cause: 'no-data',
      place: {},
      text:
        pages.length === 0
          ? 'There are no samples.'
          : isSeries
            ? `The samples span less than ${SHORTEST_SPAN_SECONDS} s since the server last started, which is too short for a diagnosis.`
            : `One sample of a server shows no rates: a diagnosis needs samples that span ${SHORTEST_SPAN_SECONDS} s.`,
      needs: [
        fact(true, `${plain.counted(pages.length, 'sample was', 'samples were')} read.`),
        ...failing.map((text) => fact(true, text)),
      ],
      remedy: advice(
        isSeries
          ? 'Read the source for longer (--seconds), add later pages of the same server to a file, or ask about an instant with samples before it.'
          : 'Read a server or a recording, or add later pages of the same server to the file.',
      ),
    })
    return { cases, blocks: true }
  }
  const stale = evidence.asOf === undefined ? [] : servers.filter((server) => isSilent(server, evidence.asOf ?? 0))
  for (const { id, to } of stale) {
    const problem = evidence.health.find((health) => health.id === id)?.failures.at(-1)?.problem.message
    cases.push({
      cause: 'stale-source',
      place: { server: id },
      text: `The last sample of ${id} is old: the current state of the server is unknown.`,
      needs: [
        fact(true, `The last sample of ${id} is ${plain.length((evidence.asOf ?? to) - to)} old.`),
        ...(problem === undefined ? [] : [fact(true, problem)]),
      ],
      remedy: advice('Restore the connection to the metrics of this server (Connection), then ask again.'),
    })
  }
  for (const { id, clockOffsetMs } of evidence.health) {
    if (clockOffsetMs === undefined || Math.abs(clockOffsetMs) < CLOCK_MS) continue
    cases.push({
      cause: 'clock-skew',
      place: { server: id },
      text: 'The clock of the server and that of this machine differ, so that times of different origin (dumps, logs, samples) do not match.',
      needs: [
        fact(
          true,
          `The clock of ${id} is ${plain.seconds(Math.abs(clockOffsetMs) / 1_000)} ${clockOffsetMs > 0 ? 'ahead of' : 'behind'} that of this machine.`,
        ),
      ],
      remedy: advice('Synchronise both clocks. Rates and waits of the server are not affected.'),
    })
  }
  let lacking = 0
  for (const { id, last } of servers) {
    const missing = ESSENTIAL.filter(
      (key) => last.missing.some(({ family }) => family === FAMILY[key]) || showsNone(key, last),
    )
    if (missing.length === 0) continue
    lacking++
    cases.push({
      cause: 'missing-metrics',
      place: { server: id },
      text: 'The metrics page lacks families that waits and limits are computed from.',
      needs: [fact(true, `${id} does not show ${listed(missing.map((key) => FAMILY[key]))}.`)],
      remedy: advice(
        'Look at the relabelling and filters of Prometheus, or read the server itself. Versions before 1.26 have no current limits.',
      ),
    })
  }
  return { cases, blocks: stale.length === servers.length || lacking === servers.length }
}

export const isSilent = ({ to, stepMs }: ServerFacts, asOf: number): boolean =>
  asOf - to > Math.max(STALE_MS, staleAfterMs(stepMs))

/** The newest of all samples. */
export const newestOf = ({ servers }: Pick<Evidence, 'servers'>): number =>
  servers.flatMap(({ frames }) => frames).reduce((newest, { at }) => Math.max(newest, unixMsOf(at)), -Infinity)
