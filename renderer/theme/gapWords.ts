import { gapsPhrase, type Gap, type GapWords } from '../../core/history/gaps.ts'
import { format } from './format.ts'

/** Format of gaps on screen. */
export const GAP_WORDS: GapWords = { when: format.time, length: format.age }

/** `no samples from 03:07:20 to 03:12:40 (5 min)`; empty without gaps. */
export const gapsText = (gaps: readonly Gap[]): string => gapsPhrase(gaps, GAP_WORDS)
