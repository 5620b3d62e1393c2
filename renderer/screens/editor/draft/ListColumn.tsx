import { memo, useRef, useState, useEffect, type RefObject } from 'react'
import type { GuardFinding, ObjectRef } from '../../../../core/guard/finding.ts'
import { unixMsOf } from '../../../../core/units.ts'
import { say } from '../../../state/shell.ts'
import { classes, scrollRegion } from '../../../components/classes.ts'
import { inputClass, Select } from '../../../components/Field.tsx'
import { Menu } from '../../../components/Menu.tsx'
import { Note } from '../../../components/States.tsx'
import { BUILT_IN_VERSIONS, chooseBuiltInVersion } from '../../../state/draftBase.ts'
import { changeDraft, draftStore, redoDraft, undoDraft } from '../../../state/draft.ts'
import type { UnderstoodDraft } from '../../../state/draft.logic.ts'
import { useObjects } from '../../../state/objects.ts'
import { format } from '../../../theme/format.ts'
import { IconButton } from './FieldRow.tsx'
import { Finding } from './GuardPane.tsx'
import { NewObject, takeManifests } from './NewObject.tsx'
import { type ObjectRows, ObjectList } from './ObjectList.tsx'
import styles from './page.module.css'

export interface ListColumnProps {
  readonly draft: UnderstoodDraft
  readonly rows: ObjectRows
  readonly selected: ObjectRef | undefined
  /** Absent until the checks have run. */
  readonly checks: readonly GuardFinding[] | undefined
  readonly mayEdit: boolean
  readonly making: boolean
  readonly onMaking: (open: boolean) => void
}

export const ListColumn = memo(function ListColumn(props: ListColumnProps) {
  const { draft, rows, selected, checks, mayEdit, making, onMaking } = props
  const [filter, setFilter] = useState('')
  const canUndo = draftStore(({ history }) => history.past.length > 0)
  const canRedo = draftStore(({ history }) => history.future.length > 0)
  const column = useRef<HTMLElement>(null)
  const over = useDrop(column, mayEdit, takeFiles)
  return (
    <section
      ref={column}
      className={classes(styles['list'], over && styles['dropping'])}
      aria-label="Objects"
      data-pane=""
      tabIndex={-1}
    >
      <header className={styles['listHead']}>
        <h1>Objects</h1>
        {mayEdit && (
          <>
            <IconButton icon="undo" label="Undo" disabled={!canUndo} onClick={undoDraft} />
            <IconButton icon="redo" label="Redo" disabled={!canRedo} onClick={redoDraft} />
            <Menu entries={[{ label: 'Revert the whole draft', onSelect: revertAll }]}>
              <IconButton icon="more" label="More for the draft" disabled={draft.entries.length === 0} />
            </Menu>
            <NewObject open={making} onOpen={onMaking} />
          </>
        )}
      </header>
      {draft.base?.origin === 'built-in' && <VersionChoice version={draft.base.version} />}
      <StaleObjects />
      <div className={styles['filter']}>
        <input
          type="search"
          className={inputClass}
          placeholder="Filter"
          aria-label="Filter objects by name"
          aria-keyshortcuts="f"
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
      </div>
      <ObjectList {...{ rows, selected, filter, mayEdit }} />
      <div className={styles['checks']} {...scrollRegion('Checks of the whole set')}>
        <h2>Checks of the whole set</h2>
        <ul>
          {checks?.map((finding) => (
            <Finding key={`${finding.code} ${finding.message}`} finding={finding} mayEdit={mayEdit} brief />
          ))}
        </ul>
      </div>
    </section>
  )
})

function VersionChoice({ version }: { readonly version: string }) {
  const versions = BUILT_IN_VERSIONS.map((one) => [one, one.replace(/^v|\.0$/g, '')] as const)
  const known = BUILT_IN_VERSIONS.includes(version)
  return (
    <label className={styles['version']}>
      No connected source has objects. These are the built-in objects of Kubernetes
      <Select value={version} options={known ? versions : [version, ...versions]} onChange={chooseBuiltInVersion} />
    </label>
  )
}

/** Warns that the objects may be out of date. */
function StaleObjects() {
  const state = useObjects()
  if (state?.state !== 'stale') return null
  const since = state.asOf === undefined ? '' : ` They are from ${format.time(unixMsOf(state.asOf))}.`
  return (
    <div className={styles['stale']}>
      <Note kind="warn">{`The server no longer reports its objects.${since} ${state.problem?.message ?? ''}`}</Note>
    </div>
  )
}

function revertAll(): void {
  changeDraft(() => [])
  say('The draft is empty. Undo brings it back.')
}

const MOST_BYTES = 5_000_000

async function takeFiles(files: readonly File[]): Promise<void> {
  const large = files.find(({ size }) => size > MOST_BYTES)
  if (large !== undefined) {
    say(`${large.name} is too large for manifests: ${format.bytes(large.size)}.`)
    return
  }
  const texts = await Promise.all(files.map(async (file) => ({ file: file.name, text: await file.text() })))
  const { taken, problems } = await takeManifests(texts)
  if (taken === 0) say(problems[0] ?? 'These files contain no flow-control object.')
}

/**
 * Accepts files that are dropped on an element; returns whether files are dragged over it. Files dropped on the rest of
 * the window open as a source; events on this element do not reach the window.
 */
function useDrop(
  element: RefObject<HTMLElement | null>,
  active: boolean,
  onFiles: (files: readonly File[]) => Promise<void>,
): boolean {
  const [over, setOver] = useState(false)
  useEffect(() => {
    const place = element.current
    if (place === null || !active) return undefined
    const onDrag = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') !== true) return
      event.preventDefault()
      event.stopPropagation()
      setOver(event.type === 'dragover')
      // The window continues to offer the drop until it receives a dragleave event.
      document.dispatchEvent(new MouseEvent('dragleave', { relatedTarget: null }))
      if (event.type === 'drop') void onFiles(Array.from(event.dataTransfer.files))
    }
    const onLeave = (): void => setOver(false)
    place.addEventListener('dragover', onDrag)
    place.addEventListener('drop', onDrag)
    place.addEventListener('dragleave', onLeave)
    return () => {
      place.removeEventListener('dragover', onDrag)
      place.removeEventListener('drop', onDrag)
      place.removeEventListener('dragleave', onLeave)
    }
  }, [element, active, onFiles])
  return over
}
