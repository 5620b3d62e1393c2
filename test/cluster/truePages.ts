import type { KeptPage } from './recordingRelay.ts'
import { labelValues, readSamples, total, type Sample } from './independent.ts'

/** One level on one page, by an independent reading. */
export interface TrueLevel {
  readonly name: string
  readonly executing: number
  readonly limit: number
  readonly nominal: number
  readonly min: number
  readonly max: number
  /** The highest seat demand in the last ten seconds. */
  readonly highWatermark: number
  readonly queued: number
  readonly queuedSeats: number
  /** Since the server started. */
  readonly rejected: number
  /** The same by flow schema and reason. */
  readonly rejections: readonly { readonly schema: string; readonly reason: string; readonly count: number }[]
}
export interface TruePage {
  readonly at: number
  readonly startedAt: string
  readonly levels: readonly TrueLevel[]
}

export function readTruth({ at, text }: KeptPage): TruePage {
  const samples = readSamples(text)
  return {
    at,
    startedAt: /^process_start_time_seconds (\S+)$/m.exec(text)?.[1] ?? '',
    levels: labelValues(samples, 'priority_level').map((name) => levelOf(samples, name)),
  }
}

function levelOf(samples: readonly Sample[], name: string): TrueLevel {
  const of = (family: string): number => total(samples, family, { priority_level: name }) ?? 0
  return {
    name,
    executing: of('current_executing_seats'),
    limit: of('current_limit_seats'),
    nominal: of('nominal_limit_seats'),
    min: of('lower_limit_seats'),
    max: of('upper_limit_seats'),
    highWatermark: of('demand_seats_high_watermark'),
    queued: of('current_inqueue_requests'),
    queuedSeats: of('current_inqueue_seats'),
    rejected: of('rejected_requests_total'),
    rejections: samples
      .filter((sample) => sample.name === 'rejected_requests_total' && sample.labels.get('priority_level') === name)
      .map(({ labels, value }) => ({
        schema: labels.get('flow_schema') ?? '',
        reason: labels.get('reason') ?? '',
        count: value,
      })),
  }
}

/** What the relay has forwarded so far. */
export interface Known {
  readonly pages: readonly TruePage[]
  readonly dumps: readonly KeptPage[]
}

const WINDOW_MS = 10_000

/** Pages with which the window of the present may begin: the console's clock and the relay's differ by milliseconds. */
export function windowStarts(pages: readonly TruePage[], at: number): readonly TruePage[] {
  const now = pages[at]
  const own = pages.slice(0, at + 1).filter(({ startedAt }) => startedAt === now?.startedAt)
  const first = own.findLastIndex((page) => page.at <= (now?.at ?? 0) - WINDOW_MS)
  return first < 0 ? own.slice(0, 1) : own.slice(Math.max(0, first - 1), first + 2)
}

export const number = (text: string | undefined): number => Number((text ?? '').replaceAll(/[\s\u202f]/g, ''))

/** Without separators of thousands, and with plain spaces. */
export const tidy = (text: string): string =>
  text.replaceAll(/(?<=\d)[\u00a0\u202f](?=\d)/g, '').replaceAll(/[\u00a0\u202f]/g, ' ')

/** A busy machine passes a request on so much later than the console dates it, in seconds. */
const CLOCKS_APART = 0.5

/** Whether a rate in three digits is that of so many requests in the seconds between two pages. */
export const isRate = (shown: number, count: number, seconds: number): boolean =>
  shown >= count / (seconds + CLOCKS_APART) - 0.006 &&
  shown <= (count / Math.max(CLOCKS_APART, seconds - CLOCKS_APART)) * 1.006 + 0.006
