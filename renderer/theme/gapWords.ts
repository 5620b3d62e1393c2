import { gapsPhrase, type Gap, type GapWords } from '../../core/history/gaps.ts'
import { format } from './format.ts'

/** `from 03:07:20 to 03:12:40`; with days where these differ. */
function stretch({ from, to }: Gap): string {
  const [start, end] = [format.dateTime(from), format.dateTime(to)]
  const isOneDay = start.slice(0, 10) === end.slice(0, 10)
  return isOneDay ? `from ${format.time(from)} to ${format.time(to)}` : `from ${start} to ${end}`
}

/** How gaps are written on screen. */
export const GAP_WORDS: GapWords = { stretch, length: format.age }

/** `no samples from 03:07:20 to 03:12:40 (5 min)`; empty without gaps. */
export const gapsText = (gaps: readonly Gap[]): string => gapsPhrase(gaps, GAP_WORDS)
