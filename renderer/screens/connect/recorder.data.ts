import type { RecorderState } from '../../../core/contract/recording.ts'
import { megabytesToBytes, unixMsOf } from '../../../core/units.ts'
import { format } from '../../theme/format.ts'
import type { Fact } from './reports.data.ts'

/** How long and how much can be kept, in days and megabytes. */
export const AGES: readonly number[] = [1, 3, 7, 14, 30, 90]
export const SIZES: readonly number[] = [500, 1_000, 2_000, 5_000, 10_000, 50_000]
export const ageText = (days: number): string => (days === 1 ? '1 day' : `${days} days`)
export const sizeText = (megabytes: number): string => format.bytes(megabytesToBytes(megabytes))

/** What the recorder has done so far; nothing while it is off. */
export function recorderFacts({
  status,
  since,
  keptUntil,
  bytes,
  lost = 0,
  leftOut = 0,
}: RecorderState): readonly Fact[] {
  if (status === 'off' || since === undefined) return []
  return [
    {
      label: status === 'paused' ? 'Paused; recording since' : 'Recording since',
      value: format.dateTime(unixMsOf(since)),
    },
    ...(keptUntil === undefined ? [] : [{ label: 'On the disk up to', value: format.dateTime(unixMsOf(keptUntil)) }]),
    { label: 'Size', value: format.bytes(bytes) },
    ...(lost > 0 ? [{ label: 'Lost while paused', value: format.counted(lost, 'event'), tone: 'warn' } as const] : []),
    ...(leftOut > 0 ? [{ label: 'Left out, beyond 1,000 a second', value: format.counted(leftOut, 'request') }] : []),
  ]
}
