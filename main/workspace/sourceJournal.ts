import { manifestOf, versionOf } from '../../core/config/content.ts'
import type { JsonObject } from '../../core/config/jsonValues.ts'
import { objectOf } from '../../core/config/objects.ts'
import { ProblemError } from '../../core/errors.ts'
import type { AppliedChange, JournalEntry, ObjectChange, Way } from '../../core/contract/objects.ts'
import { FIELD_MANAGER, type Done, type ObjectGateway } from '../ports/objectGateway.ts'
import type { ObjectsReading } from '../../core/source/sourceEvent.ts'
import { openStore, type Kept, type Store } from '../store/store.ts'
import type { Recorder } from './applying.ts'
import {
  carriedOut,
  followed,
  foundByNext,
  isOf,
  isOpen,
  type Named,
  notCarriedOut,
  resolved,
  withChange,
} from './journal.ts'
import type { ConnectedObjects } from './connectedObjects.ts'

export interface SourceJournal {
  /** Newest first, each change with its outcome. */
  read(open: ConnectedObjects): Promise<JournalEntry[]>
  /**
   * Determines, from the objects, the outcome of changes whose console ended before recording it. Outcomes that cannot
   * be determined now stay open. Rejects when the journal cannot be read or written.
   */
  resolve(open: ConnectedObjects): Promise<void>
  /** Records a new entry; `entry` is its content so far. */
  recordApply(
    open: ConnectedObjects,
    entry: Omit<JournalEntry, 'changes'>,
  ): Recorder & { readonly entry: JournalEntry | undefined }
  /** Records how an entry is undone or redone. */
  recordTurn(
    open: ConnectedObjects,
    id: string,
    way: 'undo' | 'redo',
  ): Recorder & {
    readonly entry: JournalEntry | undefined
    already(change: Named, resourceVersion: string | undefined): Promise<void>
  }
}

export function createSourceJournal(store: Store, now: () => string): SourceJournal {
  /** Changes that this console is sending at the moment. */
  const inFlight = new Set<string>()
  const flightOf = (id: string, { kind, name }: Named): string => `${id} ${kind}/${name}`
  const flying = async (flight: string, write: () => Promise<void>): Promise<void> => {
    inFlight.add(flight)
    try {
      await write()
    } catch (error) {
      inFlight.delete(flight)
      throw error
    }
  }
  /** Journals of objects that end with their connection end with it too. */
  const fleeting = new WeakMap<ObjectGateway, Kept<JournalEntry>>()
  const journalOf = ({ gateway }: Pick<ConnectedObjects, 'gateway'>): Kept<JournalEntry> => {
    if (gateway.fleeting !== true) return store.journal
    const known = fleeting.get(gateway) ?? openStore(undefined).journal
    fleeting.set(gateway, known)
    return known
  }

  const isSending = async (id: string, change: AppliedChange): Promise<boolean> => {
    if (change.sending === undefined) return false
    const presence = await store.presence()
    if (change.sending.console === presence.own()) return inFlight.has(flightOf(id, change))
    return presence.runs(change.sending.console)
  }
  const outcomeOf = async (
    open: ConnectedObjects,
    entries: readonly JournalEntry[],
    entry: JournalEntry,
    change: AppliedChange,
  ): Promise<AppliedChange> => {
    if (!isOpen(change, await isSending(entry.id, change))) return change
    const first = change.sending === undefined ? change.state === 'not-applied' : change.sending.way === 'apply'
    const next = first ? foundByNext(entries, entry, change) : undefined
    if (next === 'unsettled') return change
    if (next !== undefined) return resolved(change, next.object)
    // A change that is only checked again needs no request of its own.
    const found = change.sending === undefined ? presentObject(open.reading, change) : await readNow(open, change)
    return found === undefined ? change : resolved(change, found.object)
  }
  const resolve = async (open: ConnectedObjects): Promise<void> => {
    const journal = journalOf(open)
    const { targetKey } = open.gateway
    const entries = await journal.read(targetKey)
    // Newest first: what later changes found determines the outcome of earlier ones.
    for (const [index, entry] of entries.entries()) {
      for (const change of entry.changes) {
        const outcome = await outcomeOf(open, entries, entry, change)
        if (JSON.stringify(outcome) === JSON.stringify(change)) continue
        const written = await journal.change(targetKey, entry.id, (known) => {
          const present = known?.changes.find((one) => isOf(one, change))
          // Another console may have recorded it first.
          return JSON.stringify(present) === JSON.stringify(change) ? known && withChange(known, outcome) : known
        })
        if (written !== undefined) entries[index] = written
      }
    }
  }

  const sending = async (way: Way): Promise<NonNullable<AppliedChange['sending']>> => ({
    way,
    at: now(),
    console: (await store.presence()).own(),
    pid: process.pid,
    fieldManager: FIELD_MANAGER,
  })

  return {
    async read(open) {
      await resolve(open)
      const entries = await journalOf(open).read(open.gateway.targetKey)
      return entries.map((entry) => ({
        ...entry,
        changes: entry.changes.map((change) => {
          const present = presentObject(open.reading, change)
          return present === undefined ? change : followed(change, present.object, open.gateway.lastWrite?.(change))
        }),
      }))
    },
    resolve,
    recordApply(open, about) {
      const journal = journalOf(open)
      const change = async (update: (known: JournalEntry | undefined) => JournalEntry | undefined): Promise<void> => {
        written = await journal.change(open.gateway.targetKey, about.id, update)
      }
      let written: JournalEntry | undefined
      return {
        get entry() {
          return written
        },
        async begin({ kind, name }, { from, to }) {
          const begun: AppliedChange = {
            kind,
            name,
            from: manifest(kind, from),
            to: manifest(kind, to),
            state: 'not-applied',
            sending: await sending('apply'),
          }
          await flying(flightOf(about.id, begun), () =>
            change((known) => ({ ...(known ?? about), changes: [...(known?.changes ?? []), begun] })),
          )
        },
        async end(of, outcome) {
          inFlight.delete(flightOf(about.id, of))
          if (outcome === 'lost') return
          await change((known) => {
            const begun = known?.changes.find((one) => isOf(one, of))
            if (known === undefined || begun === undefined) return known
            if (outcome !== undefined) return withChange(known, carriedOut(asDone(begun, outcome), 'apply'))
            const changes = known.changes.filter((one) => one !== begun)
            return changes.length === 0 ? undefined : { ...known, changes }
          })
        },
      }
    },
    recordTurn(open, id, way) {
      const journal = journalOf(open)
      let written: JournalEntry | undefined
      const change = async (of: Named, update: (known: AppliedChange) => AppliedChange): Promise<void> => {
        written = await journal.change(open.gateway.targetKey, id, (known) => {
          const one = known?.changes.find((each) => isOf(each, of))
          if (known === undefined || one === undefined) throw gone()
          return withChange(known, update(one))
        })
      }
      return {
        get entry() {
          return written
        },
        async begin(of) {
          const begun = await sending(way)
          await flying(flightOf(id, of), () =>
            change(of, (known) => {
              if (known.sending === undefined && known.state === (way === 'undo' ? 'applied' : 'undone')) {
                return { ...known, sending: begun }
              }
              throw new ProblemError(
                'cancelled',
                `Another console is changing ${of.kind} ${of.name} through this entry.`,
              )
            }),
          )
        },
        async end(of, outcome) {
          inFlight.delete(flightOf(id, of))
          if (outcome === 'lost') return
          await change(of, (known) =>
            outcome === undefined ? notCarriedOut(known) : carriedOut(atVersion(known, versionIn(outcome.to)), way),
          )
        },
        already: (of, resourceVersion) => change(of, (known) => carriedOut(atVersion(known, resourceVersion), way)),
      }
    },
  }
}

/** The journal has no such entry. */
export const gone = (): ProblemError =>
  new ProblemError('not-found', 'The journal of this target does not have this entry any more.')

const manifest = (kind: ObjectChange['kind'], object: JsonObject | null): JsonObject | null =>
  object === null ? null : manifestOf(kind, object)

const asDone = (change: AppliedChange, { from, to }: Done): AppliedChange =>
  atVersion({ ...change, from: manifest(change.kind, from), to: manifest(change.kind, to) }, versionIn(to))

const versionIn = (object: JsonObject | null): string | undefined =>
  object === null ? undefined : versionOf(object)?.resourceVersion

function atVersion({ resourceVersion: _before, ...change }: AppliedChange, version: string | undefined): AppliedChange {
  return { ...change, ...(version !== undefined && { resourceVersion: version }) }
}

/** The object as it was last read; `undefined` if it is unknown. */
export function presentObject(
  { state, objects }: ObjectsReading,
  ref: Named,
): { readonly object: JsonObject | null } | undefined {
  if (state !== 'current' && state !== 'stale') return undefined
  const found = objectOf(objects, ref)
  return { object: found === undefined ? null : { ...found } }
}

/** The current object on its server; `undefined` where it cannot be read. */
async function readNow(
  { gateway, reading }: ConnectedObjects,
  of: Named,
): Promise<{ readonly object: JsonObject | null } | undefined> {
  if ('impossible' in gateway.editor) return reading.state === 'current' ? presentObject(reading, of) : undefined
  try {
    return { object: await gateway.editor.read(of) }
  } catch {
    // The server does not answer: the change stays open.
    return undefined
  }
}
