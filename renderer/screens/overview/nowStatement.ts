import type { RangeFacts } from '../../../core/frame/series.ts'
import { format } from '../../theme/format.ts'
import type { BusiestFlow } from './busiestFlow.ts'
import type { LevelRow } from './levelRows.ts'
import type { RejectionRow } from './rejections.ts'

/** What a reader can do about the sentence. */
export type NowAction =
  | { readonly kind: 'open-level'; readonly level: string; readonly server: string }
  | { readonly kind: 'explain-limit'; readonly level: string; readonly server: string }
  | { readonly kind: 'show-server'; readonly server: string }
  | { readonly kind: 'try-now'; readonly server: string }
  /** Where the manifest of a level for the console stands. */
  | { readonly kind: 'own-level'; readonly server: string }

export interface NowStatement {
  readonly tone: 'ok' | 'trouble' | 'stale' | 'withheld'
  readonly title: string
  /** As many whole sentences as two lines hold. */
  readonly evidence?: string
  /** All of them, in full. */
  readonly details?: string
  /** The level that it is about. */
  readonly level?: string
  readonly actions: readonly NowAction[]
}

/** One server as the rules see it. */
export interface NowServer {
  readonly id: string
  readonly rows: readonly LevelRow[]
  readonly rejections: readonly RejectionRow[]
  /** The selected range; absent until its history is known. */
  readonly range?: NowRange | undefined
  /** The flow that has most of one level's requests, where dumps or rows name it. */
  readonly flow?: BusiestFlow | undefined
}

/** One sentence of the evidence: as it stands in the two lines, and in full where that says more. */
export type Sentence = string | { readonly short: string; readonly full: string }
/** A statement before its evidence is fitted into two lines. */
export type Told = Omit<NowStatement, 'evidence' | 'details'> & { readonly evidence: readonly Sentence[] }

/** Characters of two lines beside the buttons, with the notes of the first run on a screen 1440 wide. */
const TWO_LINES = 185

/** The evidence as whole sentences, the first ones first: what does not fit is left to the tooltip, never cut. */
export function evidenceOf(sentences: readonly Sentence[]): Pick<NowStatement, 'evidence' | 'details'> {
  const said = sentences.filter((one) => one !== '')
  const shorts = said.map((one) => (typeof one === 'string' ? one : one.short))
  const [first] = shorts
  if (first === undefined) return {}
  const evidence = shorts.slice(1).reduce((text, one) => {
    const longer = `${text} ${one}`
    return longer.length > TWO_LINES ? text : longer
  }, first)
  const details = said.map((one) => (typeof one === 'string' ? one : one.full)).join(' ')
  return details === evidence ? { evidence } : { evidence, details }
}

export interface NowRange extends RangeFacts {
  /** The range ends with the newest sample. */
  readonly follows: boolean
}

const plural = (n: number, one: string, many: string) => `${format.seats(n)} ${n === 1 ? one : many}`
export const seats = (n: number) => plural(n, 'seat', 'seats')
export const requests = (n: number) => plural(n, 'request', 'requests')
