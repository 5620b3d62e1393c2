import { useMemo, useState, type ReactNode } from 'react'
import { writerName } from '../../../../core/config/objects.ts'
import { type JsonObject, isJsonObject } from '../../../../core/config/jsonValues.ts'
import { refKey, reverted, withEntry } from '../../../../core/draft/draft.ts'
import { differingFields, mergedText, type FieldDifference } from '../../../../core/draft/threeWay.ts'
import { toJson, type Json } from '../../../../core/manifest/json.ts'
import { cleanManifest, writeManifest } from '../../../../core/manifest/write.ts'
import type { ReadEntry } from '../../../../core/draft/readEntry.ts'
import { unixMsOf } from '../../../../core/units.ts'
import { say } from '../../../state/shell.ts'
import { Button, Segment } from '../../../components/Button.tsx'
import { classes } from '../../../components/classes.ts'
import { changeDraft } from '../../../state/draft.ts'
import type { UnderstoodEntry } from '../../../state/draft.logic.ts'
import { format } from '../../../theme/format.ts'
import styles from './object.module.css'

/** What to do when the object has changed since the edit began. */
export function ConflictPane({ read }: { readonly read: UnderstoodEntry }) {
  const { footing, entry, name } = read
  const [now] = useState(() => Date.now())
  const discard = (
    <Button small onClick={() => changeDraft((entries) => reverted(entries, entry))}>
      Discard my change
    </Button>
  )
  switch (footing.kind) {
    case 'firm':
      return null
    case 'gone':
      return (
        <Conflict
          title={`${name} was deleted in the meantime.`}
          text={
            entry.text === null ? 'The deletion in the draft is already in effect.' : 'The draft can create it again.'
          }
        >
          {discard}
          {entry.text !== null && (
            <Button small onClick={() => changeDraft((entries) => withEntry(entries, withoutBase(entry)))}>
              Create again
            </Button>
          )}
        </Conflict>
      )
    case 'exists':
      return (
        <Conflict
          title={`${entry.kind} ${name} already exists.`}
          text="Rename yours, or apply it to the existing object."
        >
          {discard}
          <Button small onClick={() => rebase(read, footing.theirs, entry.text)}>
            Change the existing one
          </Button>
        </Conflict>
      )
    case 'moved':
      return entry.text === null ? (
        <Conflict title={writerText(name, footing.theirs, now)} text="The draft deletes an earlier version.">
          {discard}
          <Button small onClick={() => rebase(read, footing.theirs, null)}>
            Delete anyway
          </Button>
        </Conflict>
      ) : (
        <Merge
          key={refKey(entry)}
          title={writerText(name, footing.theirs, now)}
          theirs={footing.theirs}
          {...{ read, discard }}
        />
      )
  }
}

function Conflict(props: {
  readonly title: string
  readonly text: string
  /** Between title and text. */
  readonly table?: ReactNode
  /** Ways out of it. */
  readonly children: ReactNode
}) {
  return (
    <section className={styles['conflict']} aria-label="Conflict">
      <h3>{props.title}</h3>
      {props.table}
      <p className="pad-b-6 leading-145 muted">{props.text}</p>
      <div className="flex wrap gap-6 pad-t-8">{props.children}</div>
    </section>
  )
}

const withoutBase = ({ base: _gone, ...entry }: UnderstoodEntry['entry']) => entry

/** Rebases the edit on the current object. */
function rebase({ entry, name }: UnderstoodEntry, theirs: JsonObject, text: string | null): void {
  changeDraft((entries) => {
    const { kind } = entry
    const rest = reverted(entries, entry)
    // A text equal to the current object leaves nothing to change.
    if (text === writeManifest(kind, theirs)) return rest
    return withEntry(rest, { kind, name, text, base: { ...theirs } })
  })
}

function Merge(props: {
  readonly read: UnderstoodEntry
  readonly title: string
  readonly theirs: JsonObject
  readonly discard: ReactNode
}) {
  const { read, title, theirs, discard } = props
  const { entry, document } = read
  const [taken, setTaken] = useState<ReadonlySet<string>>(new Set())
  const differences = useMemo(() => {
    const clean = (object: object) => cleanManifest(entry.kind, object)
    return differingFields(clean(entry.base ?? {}), clean(mineOf(read)), clean(theirs))
  }, [entry, read, theirs])
  const merge = (): void => {
    if (document === undefined || entry.text === null) return
    const merged = mergedText(entry.text, toJson(document.value), differences, taken)
    if (merged.ok) rebase(read, theirs, merged.text)
    else say(merged.why)
  }
  const choose = (field: string, whose: 'yours' | 'theirs'): void => {
    const next = new Set(taken)
    if (whose === 'theirs') next.add(field)
    else next.delete(field)
    setTaken(next)
  }
  return (
    <Conflict
      title={title}
      text={document === undefined ? UNREADABLE : mergeText(differences)}
      table={
        <table>
          <caption className="sr-only">Fields that differ</caption>
          <thead>
            <tr>
              <th scope="col">Base</th>
              <th scope="col">Yours</th>
              <th scope="col">On the server</th>
            </tr>
          </thead>
          {differences.map((difference) => (
            <Versions
              key={difference.field}
              difference={difference}
              theirs={taken.has(difference.field)}
              onChoose={(whose) => choose(difference.field, whose)}
            />
          ))}
        </table>
      }
    >
      {discard}
      <Button small disabled={document === undefined} onClick={merge}>
        Merge and check again
      </Button>
    </Conflict>
  )
}

function Versions(props: {
  readonly difference: FieldDifference
  readonly theirs: boolean
  readonly onChoose: (whose: 'yours' | 'theirs') => void
}) {
  const { difference, theirs, onChoose } = props
  const { field, base, yours, changedBy } = difference
  const takesTheirs = changedBy === 'them' || (changedBy === 'conflict' && theirs)
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" colSpan={3}>
          <span>{field}</span>
          {changedBy === 'conflict' && (
            <Segment
              label={`${field}: which one`}
              value={theirs ? 'theirs' : 'yours'}
              options={{ yours: 'Yours', theirs: 'Server' }}
              onChange={onChoose}
            />
          )}
        </th>
      </tr>
      <tr>
        <td>{shown(base)}</td>
        <td className={classes(!takesTheirs && styles['taken'])}>{shown(yours)}</td>
        <td className={classes(takesTheirs && styles['taken'], changedBy !== 'you' && 'warn')}>
          {shown(difference.theirs)}
        </td>
      </tr>
    </tbody>
  )
}

const MOST_SHOWN = 120

function shown(value: Json | undefined): string {
  if (value === undefined) return 'none'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
}

/** The last writer of an object, as recorded by the server: `probes was changed by kubectl 40 s ago.` */
export function writerText(name: string, { metadata }: JsonObject, now: number): string {
  const fields = isJsonObject(metadata) ? metadata['managedFields'] : undefined
  const writes = (Array.isArray(fields) ? fields : []).flatMap((entry: unknown) => {
    if (!isJsonObject(entry)) return []
    const { manager, time, subresource } = entry
    return typeof manager === 'string' && typeof time === 'string' && subresource === undefined
      ? [{ manager, at: unixMsOf(time) }]
      : []
  })
  if (writes.length === 0) return `${name} was changed in the meantime.`
  const last = Math.max(...writes.map(({ at }) => at))
  // The server records whole seconds, so several managers may have written last.
  const managers = new Set(writes.filter(({ at }) => at === last).map(({ manager }) => manager))
  return `${name} was changed by ${[...managers].map(writerName).join(' or ')} ${format.age(Math.max(0, now - last))} ago.`
}

/** Your version of the object: the content of the text, valid or not. */
export function mineOf({ document, entry }: Pick<ReadEntry, 'document' | 'entry'>): object {
  if (document?.checked?.object !== undefined) return document.checked.object
  const value = document === undefined ? undefined : toJson(document.value)
  return isJsonObject(value) ? value : (entry.base ?? {})
}

const UNREADABLE = 'Your YAML cannot be parsed, so the two changes cannot be compared. Fix it, then merge.'

/** Whether the two changes touch the same fields. */
export function mergeText(differences: readonly Pick<FieldDifference, 'changedBy'>[]): string {
  const count = (by: FieldDifference['changedBy']): number =>
    differences.filter(({ changedBy }) => changedBy === by).length
  const [conflicts, same] = [count('conflict'), count('both')]
  const fields = (many: number): string => format.counted(many, 'field')
  if (conflicts > 0) return `Both sides changed ${fields(conflicts)}. Choose a value for each, then merge.`
  return same > 0
    ? `Both sides made the same change to ${fields(same)}. Nothing conflicts.`
    : 'The two changes touch different fields. Nothing conflicts.'
}
