import { sentenceText } from '../../core/answer/answer.ts'
import { gapsPhrase, type Gap } from '../../core/history/gaps.ts'
import { format } from './format.ts'

/** `no samples from 03:07:20 to 03:12:40 (5 min 20 s)`; empty without gaps. */
export const gapsText = (gaps: readonly Gap[]): string => sentenceText(gapsPhrase(gaps, 'time'), format)
