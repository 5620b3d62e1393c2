import type { Finding } from '../contract/diagnosis.ts'

/** The first cause of a diagnosis, as the headline says it. */
export interface LikelyCause {
  readonly server: string | undefined
  /** Absent: it concerns the whole server. */
  readonly level: string | undefined
  readonly text: string
}

/** `undefined` where the first finding is no cause of what requests suffer. */
export function likelyCause([best]: readonly Finding[]): LikelyCause | undefined {
  if (best === undefined || best.group === 'own side' || best.group === 'none') return undefined
  const { server, level } = best.place
  return { server, level, text: `Most likely: ${best.title.toLowerCase()}.` }
}
