import { memo, useMemo } from 'react'
import { structuredPatch } from 'diff'
import { writeManifest } from '../../../../core/manifest/write.ts'
import { Pane } from '../../../components/Pane.tsx'
import { scrollRegion } from '../../../components/scrollRegion.ts'
import type { UnderstoodEntry } from '../../../state/draft.logic.ts'
import { classes } from '../../../components/classes.ts'
import styles from './aside.module.css'

/** One line of a difference; `fold` stands for lines that are left out. */
interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'fold'
  readonly text: string
}

const KINDS: Readonly<Record<string, DiffLine['kind']>> = { '+': 'added', '-': 'removed', ' ': 'same' }

/** What changes between two texts, with two lines around each change. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const { hunks } = structuredPatch('', '', before, after, undefined, undefined, { context: 2 })
  return hunks.flatMap(({ oldStart, oldLines, lines }, index) => {
    const last = hunks[index - 1]
    const hidden = last === undefined ? oldStart - 1 : oldStart - last.oldStart - last.oldLines
    const fold: DiffLine[] =
      hidden > 0 && oldLines > 0 ? [{ kind: 'fold', text: `${hidden} ${hidden === 1 ? 'line' : 'lines'}` }] : []
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
    <Pane
      title="Diff"
      note={count === 0 ? undefined : `${count} ${count === 1 ? 'object' : 'objects'}`}
      className={styles['pane']}
    >
      {count === 0 ? (
        <p className={styles['none']}>The draft changes nothing yet. Edit an object, or make a new one.</p>
      ) : (
        <div className={styles['diff']} {...scrollRegion('Diff of the draft')}>
          {reads.map(({ entry, name }) => (
            <EntryDiff key={`${entry.kind}/${entry.name}`} entry={entry} name={name} />
          ))}
        </div>
      )}
    </Pane>
  )
}

/** Drawn anew only when the entry is another one. */
const EntryDiff = memo(function EntryDiff({ entry, name }: Pick<UnderstoodEntry, 'entry' | 'name'>) {
  const { kind, text, base } = entry
  return (
    <div>
      <h3>
        {kind} <b>{name}</b>
        {text === null ? ' deleted' : base === undefined ? ' new' : ''}
      </h3>
      <DiffView before={base === undefined ? '' : writeManifest(kind, base)} after={text ?? ''} />
    </div>
  )
})

const SIGN: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', added: '+', removed: '−', fold: '⋯' }

/** What changes between two texts, line by line. */
export function DiffView({ before, after }: { readonly before: string; readonly after: string }) {
  const lines = useMemo(() => diffLines(before, after), [before, after])
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
