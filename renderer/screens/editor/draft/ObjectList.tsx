import { useEffect, useRef, type KeyboardEvent } from 'react'
import { sameRef, withDeletion } from '../../../../core/draft/draft.ts'
import { isMandatory } from '../../../../core/config/builtIn.ts'
import { AUTOUPDATE_ANNOTATION, type ObjectMeta, type ObjectSet } from '../../../../core/config/objects.ts'
import { errorsOf } from '../../../../core/draft/readEntry.ts'
import { byCodeUnits } from '../../../../core/text/text.ts'
import type { ObjectRef } from '../../../../core/guard/finding.ts'
import { classes } from '../../../components/classes.ts'
import { Icon } from '../../../components/Icon.tsx'
import { LevelChip, MiddleCut } from '../../../components/LevelChip.tsx'
import { changeDraft } from '../../../state/draft.ts'
import { format } from '../../../theme/format.ts'
import type { UnderstoodDraft, UnderstoodEntry } from '../../../state/draft.logic.ts'
import { select } from './draftObject.ts'
import styles from './page.module.css'

/** Levels and schemas in order. Arrow keys select, Delete deletes. */
export function ObjectList(props: {
  readonly rows: ObjectRows
  readonly selected: ObjectRef | undefined
  readonly filter: string
  readonly mayEdit: boolean
}) {
  const { rows, selected, filter, mayEdit } = props
  const wanted = filter.trim().toLowerCase()
  const fits = ({ shown }: ObjectRow): boolean => shown.toLowerCase().includes(wanted)
  const levels = rows.levels.filter(fits)
  const schemas = rows.schemas.filter(fits)
  const all = [...levels, ...schemas]
  const at = all.findIndex((row) => selected !== undefined && sameRef(row, selected))

  const go = (index: number): void => {
    const row = all[Math.max(0, Math.min(all.length - 1, index))]
    if (row !== undefined) select(row)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const row = all[at]
    if (event.key === 'ArrowDown') go(at + 1)
    else if (event.key === 'ArrowUp') go(at - 1)
    else if (event.key === 'Home') go(0)
    else if (event.key === 'End') go(all.length - 1)
    else if (event.key === 'Delete' && row !== undefined && mayEdit)
      changeDraft((entries, objects) => withDeletion(entries, objects, row))
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const option = (row: ObjectRow) => (
    <Option
      key={`${row.kind}/${row.name}`}
      row={row}
      selected={selected !== undefined && sameRef(row, selected)}
      first={row === all[0] && at === -1}
    />
  )
  // A list box must not be without an option.
  if (all.length === 0) {
    return (
      <div className={`${styles['options']} grow shrink-y pad-b-8 scroll-y`}>
        <p className={styles['none']}>No object has “{filter}” in its name.</p>
      </div>
    )
  }
  return (
    <div
      role="listbox"
      aria-label="Objects"
      tabIndex={-1}
      className={`${styles['options']} grow shrink-y pad-b-8 scroll-y`}
      onKeyDown={onKeyDown}
    >
      {levels.length > 0 && (
        <div role="group" aria-labelledby="editor-levels">
          <p id="editor-levels" className={styles['heading']}>
            Priority levels <span className="ellipsis">shares</span>
          </p>
          {levels.map(option)}
        </div>
      )}
      {schemas.length > 0 && (
        <div role="group" aria-labelledby="editor-schemas">
          <p id="editor-schemas" className={styles['heading']}>
            Flow schemas <span className="ellipsis">by precedence</span>
          </p>
          {schemas.map(option)}
        </div>
      )}
    </div>
  )
}

function Option(props: { readonly row: ObjectRow; readonly selected: boolean; readonly first: boolean }) {
  const { row, selected, first } = props
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!selected) return
    button.current?.scrollIntoView({ block: 'nearest' })
    // The focus moves along while it is in the list, and stays where it is otherwise.
    const list = button.current?.closest('[role="listbox"]')
    if (list?.contains(document.activeElement) === true) button.current?.focus()
  }, [selected])
  const { kind, shown, number, mandatory, reconciled, state, problem, dangling } = row
  return (
    <button
      ref={button}
      type="button"
      role="option"
      tabIndex={selected || first ? 0 : -1}
      aria-selected={selected}
      title={`${shown}, ${rowFacts(row)}`}
      className={classes(styles['option'], styles[kind], styles[state])}
      onClick={() => select(row)}
    >
      {kind === 'FlowSchema' ? (
        <span className={styles['precedence']} aria-hidden="true">
          {number}
        </span>
      ) : (
        <LevelChip name={shown} decorative />
      )}
      <span className={`${styles['name']} grow shrink-x cut`}>
        <MiddleCut text={shown} title={`${shown}, ${rowFacts(row)}`} />
      </span>
      <span className="sr-only">, {rowFacts(row)}</span>
      <span className="row gap-7" aria-hidden="true">
        {problem !== undefined && (
          <span className={problem === 'error' ? styles['bad'] : styles['warn']}>
            <Icon name={problem === 'error' ? 'cross' : 'warn'} size={12} />
          </span>
        )}
        {dangling && problem === undefined && <span className={styles['warn']}>no level</span>}
        {state === 'new' && <span className="tiny strong good">new</span>}
        {state === 'deleted' && <span className={styles['bad']}>deleted</span>}
        {state === 'edited' && <span className={styles['dot']} />}
        {mandatory && <Icon name="lock" size={12} />}
        {reconciled && state === 'edited' && <span className={styles['reconciled']}>↺</span>}
        {kind === 'PriorityLevelConfiguration' && state !== 'new' && (
          <span className={styles['number']}>{format.fixed(number)}</span>
        )}
      </span>
    </button>
  )
}

/** The text of an option next to the name: number and marks in words. */
function rowFacts(row: ObjectRow): string {
  const { kind, number, mandatory, reconciled, state, problem, dangling } = row
  const facts = [
    kind === 'FlowSchema' ? `precedence ${number ?? 'unknown'}` : `${number ?? 'unknown'} shares`,
    ...(state === 'same' ? [] : [state]),
    ...(problem === 'error' ? ['has errors'] : problem === 'conflict' ? ['changed on the server meanwhile'] : []),
    ...(dangling ? ['its level does not exist'] : []),
    ...(mandatory ? ['mandatory'] : []),
    ...(reconciled && !mandatory ? ['kept as built in by the server'] : []),
  ]
  return facts.join(', ')
}

interface ObjectRow extends ObjectRef {
  /** The current name; `name` is the one from when the edit began. */
  readonly shown: string
  /** Shares of a level, matching precedence of a schema; unknown while the text contains none. */
  readonly number: number | undefined
  readonly mandatory: boolean
  /** The server maintains its built-in spec. */
  readonly reconciled: boolean
  readonly state: 'same' | 'edited' | 'new' | 'deleted'
  readonly problem: 'error' | 'conflict' | undefined
  /** The level that a schema references does not exist. */
  readonly dangling: boolean
}

export interface ObjectRows {
  readonly levels: readonly ObjectRow[]
  readonly schemas: readonly ObjectRow[]
}

/** Levels in the order of the roster, schemas in matching order; deleted objects keep their place. */
export function objectRows(
  { reads, base, proposal }: UnderstoodDraft,
  levelOrder: (a: string, b: string) => number,
): ObjectRows {
  if (base === undefined || proposal === undefined) return { levels: [], schemas: [] }
  const { objects } = proposal
  const names = new Set(objects.levels.map(({ metadata }) => metadata.name))
  const readOf = (ref: ObjectRef): UnderstoodEntry | undefined => reads.find(({ entry }) => sameRef(entry, ref))
  const row = (ref: ObjectRef, found: Found): ObjectRow => {
    const read = readOf(ref)
    return {
      ...ref,
      shown: read?.name ?? ref.name,
      number: found.number,
      mandatory: isMandatory(ref.kind, ref.name),
      reconciled: found.metadata?.annotations?.[AUTOUPDATE_ANNOTATION] === 'true',
      state: read === undefined ? 'same' : read.deleted ? 'deleted' : read.entry.base === undefined ? 'new' : 'edited',
      problem: read === undefined ? undefined : problemOf(read),
      dangling: found.level !== undefined && !names.has(found.level),
    }
  }
  const refs = refsOf(base.objects, reads)
  const rows = refs.map((ref) => row(ref, factsOf(ref, readOf(ref)?.name ?? ref.name, objects, base.objects)))
  return {
    levels: rows
      .filter(({ kind }) => kind === 'PriorityLevelConfiguration')
      .toSorted((a, b) => levelOrder(a.shown, b.shown)),
    schemas: rows
      .filter(({ kind }) => kind === 'FlowSchema')
      .toSorted((a, b) => (a.number ?? Infinity) - (b.number ?? Infinity) || byCodeUnits(a.shown, b.shown)),
  }
}

function problemOf(read: UnderstoodEntry): ObjectRow['problem'] {
  if (errorsOf(read).length > 0) return 'error'
  return read.footing.kind === 'firm' ? undefined : 'conflict'
}

/** Existing objects, and those that the draft creates. */
function refsOf({ levels, schemas }: ObjectSet, reads: readonly UnderstoodEntry[]): readonly ObjectRef[] {
  const known: readonly ObjectRef[] = [
    ...levels.map(({ metadata }): ObjectRef => ({ kind: 'PriorityLevelConfiguration', name: metadata.name })),
    ...schemas.map(({ metadata }): ObjectRef => ({ kind: 'FlowSchema', name: metadata.name })),
  ]
  const drafted = reads.filter(({ entry }) => !known.some((ref) => sameRef(ref, entry)))
  return [...known, ...drafted.map(({ entry: { kind, name } }) => ({ kind, name }))]
}

interface Found {
  readonly metadata?: ObjectMeta
  readonly number?: number | undefined
  readonly level?: string
}

/** Facts about an object from the proposal, otherwise from before. */
function factsOf({ kind }: ObjectRef, name: string, proposed: ObjectSet, before: ObjectSet): Found {
  const isNamed = ({ metadata }: { readonly metadata: ObjectMeta }): boolean => metadata.name === name
  if (kind === 'FlowSchema') {
    const schema = proposed.schemas.find(isNamed) ?? before.schemas.find(isNamed)
    if (schema === undefined) return {}
    const { matchingPrecedence, priorityLevelConfiguration } = schema.spec
    return { metadata: schema.metadata, number: matchingPrecedence, level: priorityLevelConfiguration.name }
  }
  const level = proposed.levels.find(isNamed) ?? before.levels.find(isNamed)
  if (level === undefined) return {}
  const shares = (level.spec.limited ?? level.spec.exempt)?.nominalConcurrencyShares
  return { metadata: level.metadata, number: shares }
}
