import { EXEMPT } from '../config/objects.ts'
import type { RuleId } from '../contract/alerts.ts'
import type { Finding } from '../contract/diagnosis.ts'
import type { Format } from '../text/format.ts'
import { fewOf } from '../text/text.ts'

/** The first cause of a diagnosis, as the headline says it. */
export interface LikelyCause {
  readonly server: string | undefined
  /** Absent: it concerns the whole server. */
  readonly level: string | undefined
  readonly finding: Finding
  /** The first cause of each other level in trouble. */
  readonly others: readonly Finding[]
}

/** Rules about waits and rejections, which a diagnosis explains. */
export const EXPLAINED_RULES: ReadonlySet<RuleId> = new Set(['R1', 'R2', 'R3', 'R4', 'R5', 'R12'])

interface Place {
  readonly server?: string | undefined
  readonly level?: string | undefined
}

/** The first finding about the trouble of that level; without a server, on any. */
export const findingFor = (findings: readonly Finding[], { server, level }: Place): Finding | undefined =>
  findings.find(
    ({ group, place }) =>
      group !== 'own side' &&
      group !== 'none' &&
      level !== undefined &&
      place.level === level &&
      (server ?? place.server) === (place.server ?? server),
  )

/** The same in the words of an alert. */
export function wordsFor(findings: readonly Finding[], place: Place) {
  const found = findingFor(findings, place)
  return found && { cause: `${found.title}. ${textWithVictims(found)}`, remedy: found.remedy.text }
}

const MOST_NAMED = 5

/** `a, b and c`, `a, b and 18 more`. */
export const victimNames = (victims: Finding['victims']): string =>
  fewOf(
    victims.map(({ name }) => name),
    MOST_NAMED,
  )

/** Who suffers and how much; empty for nobody. */
export function victimsText(victims: Finding['victims']): string {
  const [worst] = victims
  if (worst === undefined) return ''
  return victims.length <= 2
    ? victims.map(({ name, text }) => `${name} (${text})`).join(', ')
    : `${victimNames(victims)} (${worst.name}: ${worst.text})`
}

/** The same in a sentence. */
export const victimsSentence = (victims: Finding['victims']): string =>
  victims.length === 0 ? '' : `Suffering: ${victimsText(victims)}.`

/** What happens, and to whom. */
export const textWithVictims = ({ text, victims }: Finding): string => `${text} ${victimsSentence(victims)}`.trimEnd()

/** `59 to 85 %`. */
export const rangeText = ({ low, high }: { readonly low: number; readonly high: number }, format: Format): string =>
  format.percent(low) === format.percent(high)
    ? format.percent(high)
    : `${format.fixed(100 * low)} to ${format.percent(high)}`

/** ` (explains 59 to 78 %)`; empty where that is not known, or where nothing is left for other causes. */
export const shareText = ({ share }: Pick<Finding, 'share'>, format: Format): string =>
  share === undefined || share.part > NEARLY_ALL ? '' : ` (explains ${rangeText(share, format)})`
const NEARLY_ALL = 0.95

/** `wide requests: inventory:crawler (explains 59 to 78 %)`. */
export const causeName = (finding: Finding, format: Format): string =>
  `${titleAndCulprit(finding)}${shareText(finding, format)}`

const titleAndCulprit = ({ title, culprit }: Finding): string =>
  `${title.toLowerCase()}${culprit === undefined ? '' : `: ${culprit}`}`

/** Who or what it is and since when, and who suffers: two sentences. */
export function causeSentences(finding: Finding, format: Format): readonly string[] {
  const { since, victims } = finding
  const when = since === undefined ? '' : `, since ${format.time(since)}`
  return [`Most likely: ${causeName(finding, format)}${when}.`, victimsSentence(victims)]
}

/** The first cause of the trouble of that level, or of that of its server. */
export function causeIn(cause: LikelyCause | undefined, server: string, level: string): Finding | undefined {
  if (cause === undefined) return undefined
  const isOfAll = cause.level === undefined && (cause.server ?? server) === server
  return isOfAll ? cause.finding : findingFor([cause.finding, ...cause.others], { server, level })
}

/** `global-default (one flow floods: grafana-prod)`; only the name where the cause is that of the whole server. */
export function levelWithCause(level: string, server: string, cause: LikelyCause | undefined): string {
  const found = cause && findingFor([cause.finding, ...cause.others], { server, level })
  return found === undefined ? level : `${level} (${titleAndCulprit(found)})`
}

/** `undefined` where the first finding is no cause of what requests suffer. */
export function likelyCause([best, ...rest]: readonly Finding[]): LikelyCause | undefined {
  if (best === undefined || best.group === 'own side' || best.group === 'none') return undefined
  const { server, level } = best.place
  // Exempt requests harm those of all levels.
  const others = [...Map.groupBy(rest, (one) => one.place.level)].flatMap(([of, [first]]) =>
    of === undefined || of === level || first === undefined ? [] : [first],
  )
  return { server, level: level === EXEMPT ? undefined : level, finding: best, others }
}
