import type { RuleId } from '../contract/alerts.ts'
import type { Finding } from '../contract/diagnosis.ts'

/** The first cause of a diagnosis, as the headline says it. */
export interface LikelyCause {
  readonly server: string | undefined
  /** Absent: it concerns the whole server. */
  readonly level: string | undefined
  readonly text: string
}

/** Rules about waits and rejections, which a diagnosis explains. */
export const EXPLAINED_RULES: ReadonlySet<RuleId> = new Set(['R1', 'R2', 'R3', 'R4', 'R5', 'R12'])

/** The first finding about the trouble of that level, in the words of an alert. */
export const wordsFor = (
  findings: readonly Finding[],
  { server, level }: { readonly server?: string | undefined; readonly level?: string | undefined },
): { readonly cause: string; readonly remedy: string } | undefined => {
  const found = findings.find(
    ({ group, place }) =>
      group !== 'own side' && group !== 'none' && place.level === level && (place.server ?? server) === server,
  )
  return level === undefined
    ? undefined
    : found && { cause: `${found.title}. ${found.text}`, remedy: found.remedy.text }
}

/** `undefined` where the first finding is no cause of what requests suffer. */
export function likelyCause([best]: readonly Finding[]): LikelyCause | undefined {
  if (best === undefined || best.group === 'own side' || best.group === 'none') return undefined
  const { server, level } = best.place
  return { server, level, text: `Most likely: ${best.title.toLowerCase()}.` }
}
