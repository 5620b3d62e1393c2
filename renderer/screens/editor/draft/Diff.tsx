import { format } from '../../../theme/format.ts'
import { memo, useMemo, type ReactNode } from 'react'
import { structuredPatch } from 'diff'
import type { Kind } from '../../../../core/config/objects.ts'
import { writeManifest } from '../../../../core/manifest/write.ts'
import { Pane } from '../../../components/Pane.tsx'
import { scrollRegion, classes } from '../../../components/classes.ts'
import type { UnderstoodEntry } from '../../../state/draft.logic.ts'
import styles from './aside.module.css'

/** One line of a difference; `fold` stands for omitted lines. */
interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'fold'
  readonly text: string
}

const KINDS: Readonly<Record<string, DiffLine['kind']>> = { '+': 'added', '-': 'removed', ' ': 'same' }

/** The changes between two texts, with two lines around each change. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const { hunks } = structuredPatch('', '', before, after, undefined, undefined, { context: 2 })
  return hunks.flatMap(({ oldStart, oldLines, lines }, index) => {
    const last = hunks[index - 1]
    const hidden = last === undefined ? oldStart - 1 : oldStart - last.oldStart - last.oldLines
    const fold: DiffLine[] = hidden > 0 && oldLines > 0 ? [{ kind: 'fold', text: format.counted(hidden, 'line') }] : []
    const own = lines.flatMap((line): DiffLine[] => {
      const kind = KINDS[line[0] ?? '']
      return kind === undefined ? [] : [{ kind, text: line.slice(1) }]
    })
    return [...fold, ...own]
  })
}

export function DiffPane({ reads }: { readonly reads: readonly UnderstoodEntry[] }) {
  const count = reads.length
  return (
    <Pane title="Diff" note={count === 0 ? undefined : format.counted(count, 'object')} className={styles['pane']}>
      {count === 0 ? (
        <p className="pad-x pad-b-12 prose faint">The draft changes nothing yet. Edit an object, or create one.</p>
      ) : (
        <div className={styles['diff']} {...scrollRegion('Diff of the draft')}>
          {reads.map(({ entry: { kind, name: was, text, base }, name }) => (
            <ObjectDiff
              key={`${kind}/${was}`}
              {...{ kind, name }}
              what={text === null ? 'deleted' : base === undefined ? 'new' : ''}
              from={base}
              to={text}
            />
          ))}
        </div>
      )}
    </Pane>
  )
}

/** A manifest, or an object to write as one; without either there is no object. */
type Side = string | object | null | undefined

interface Sides {
  readonly kind: Kind
  readonly from: Side
  readonly to: Side
}

/** The change of one object. `what` follows its name. */
export const ObjectDiff = memo(function ObjectDiff(
  props: Sides & { readonly name: string; readonly what: ReactNode; readonly children?: ReactNode },
) {
  const { name, what, children, ...sides } = props
  return (
    <div>
      <h3>
        {sides.kind} <b>{name}</b> {what}
      </h3>
      {children}
      <DiffView {...sides} />
    </div>
  )
})

const SIGN: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', added: '+', removed: '−', fold: '⋯' }

/** The changes between two sides, line by line. */
export function DiffView({ kind: of, from, to }: Sides) {
  const lines = useMemo(() => {
    const text = (side: Side): string =>
      typeof side === 'object' && side !== null ? writeManifest(of, side) : (side ?? '')
    return diffLines(text(from), text(to))
  }, [of, from, to])
  return (
    <div className={styles['lines']}>
      {lines.map(({ kind, text }, index) => (
        <div key={`${index} ${text}`} className={classes(styles['line'], styles[kind])}>
          <span
            aria-label={kind === 'added' || kind === 'removed' ? kind : undefined}
            role={kind === 'added' || kind === 'removed' ? 'img' : undefined}
          >
            {SIGN[kind]}
          </span>
          <span>{text}</span>
        </div>
      ))}
    </div>
  )
}
