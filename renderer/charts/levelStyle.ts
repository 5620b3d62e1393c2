import type { CSSProperties } from 'react'
import { levelColor } from '../state/levels.ts'

declare module 'react' {
  interface CSSProperties {
    /** Colour of the level that a drawing is about; style sheets build all its patterns from it. */
    '--level'?: string
  }
}

/** The colour of a level for everything inside; grey while values are not current. */
export const levelStyle = (name: string, stale = false): CSSProperties => ({
  '--level': stale ? 'var(--text-3)' : levelColor(name),
})

/** For what stands for several levels at once. */
export const NO_LEVEL_STYLE: CSSProperties = { '--level': 'var(--text-3)' }
