import { memo } from 'react'
import { writeManifest } from '../../../../core/manifest/write.ts'
import { Pane } from '../../../components/Pane.tsx'
import { scrollRegion } from '../../../components/classes.ts'
import type { UnderstoodEntry } from '../../../state/draft.logic.ts'
import { DiffView } from './DiffView.tsx'
import styles from './aside.module.css'

/** The draft as changes of text, object by object. */
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
