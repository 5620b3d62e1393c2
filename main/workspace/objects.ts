import { API_VERSION } from '../../core/config/content.ts'
import { isJsonObject } from '../../core/config/jsonValues.ts'
import type { ProcedureHandlers, SourceHandlers } from '../../core/contract/contract.ts'
import { ProblemError } from '../../core/errors.ts'
import {
  changesToSend,
  type ApplyReport,
  type ElsewhereObjects,
  type ObjectChange,
} from '../../core/contract/objects.ts'
import type { SentFile, Target } from '../../core/contract/source.ts'
import { checkObject } from '../../core/config/checkObject.ts'
import type { Finding } from '../../core/config/finding.ts'
import type { Environment } from '../ports/environment.ts'
import type { Store } from '../store/store.ts'
import { applyInOrder, turnChanges, type Applying } from './applying.ts'
import { differencesOf } from './differences.ts'
import type { Effects } from './effects.ts'
import { createSourceJournal, gone } from './sourceJournal.ts'
import { editorOf, type ConnectedObjects } from './connectedObjects.ts'

type About = `${'editing' | 'objects' | 'journal' | 'drafts' | 'requests'}.${string}`
/** Procedures for the objects of a connected source. */
type ObjectProcedures = Pick<SourceHandlers['procedures'], Extract<keyof SourceHandlers['procedures'], About>>
/** Procedures for stored data, independent of the connected source. */
type KeptProcedures = Omit<Pick<ProcedureHandlers, Extract<keyof ProcedureHandlers, About>>, keyof ObjectProcedures>

/** Objects that are not those of the connected source. */
export interface Elsewhere {
  readClusterObjects(target: Target): Promise<ElsewhereObjects>
  readManifestFiles(files: readonly SentFile[]): Promise<ElsewhereObjects>
}

export interface ObjectsOptions {
  /** The objects of a connected source; throws `not-found` when there is no such connection. */
  readonly objectsOf: (connection: number) => ConnectedObjects
  readonly store: Store
  readonly environment: Pick<Environment, 'now' | 'random'>
  /** Watches what is applied. */
  readonly effects?: Pick<Effects, 'begin' | 'change'>
}

/** Reads, checks, changes and stores flow-control objects of connected sources. */
export function createObjects(options: ObjectsOptions): {
  readonly procedures: ObjectProcedures
  /** Throws `forbidden` while editing is off, and `unsupported` where it is impossible. */
  readonly assertEditing: (connection: number) => void
  /** Determines the outcomes that an ended console left open, once the objects have been read. */
  readonly resolveOnce: (objects: ConnectedObjects, signal: AbortSignal) => void
} {
  const { objectsOf, environment, store, effects } = options
  const now = (): string => new Date(environment.now()).toISOString()
  const journal = createSourceJournal(store, now)

  const newId = (): string => `${environment.now()}-${Math.floor(environment.random() * 2 ** 48).toString(36)}`
  const editable = (connection: number): ConnectedObjects => {
    const open = objectsOf(connection)
    editorOf(open)
    if (!open.mayApply()) {
      throw new ProblemError('forbidden', `Editing is off; switch it on for ${open.gateway.target} first.`)
    }
    return open
  }
  const applying = (open: ConnectedObjects): Applying => ({
    editor: editorOf(open),
    findings: (change) => ourFindings(change, open.version),
    mayGoOn: () => open.mayApply(),
  })
  const oneAtATime = createQueue()

  const apply: ObjectProcedures['objects.apply'] = async ({ connection, changes, label, force, watch }) => {
    changes.forEach(assertNamed)
    const open = editable(connection)
    const { target, targetKey } = open.gateway
    await journal.resolve(open)
    const user = open.user === undefined ? {} : { user: open.user }
    const recorder = journal.recordApply(open, {
      id: newId(),
      at: now(),
      target,
      targetKey,
      ...user,
      label: label ?? labelOf(changes),
    })
    const verdicts = await applyInOrder(changes, force, applying(open), recorder)
    const { entry } = recorder
    if (entry !== undefined) {
      // The forecast covers the whole edit.
      const whole = verdicts.every(({ outcome }) => outcome === 'accepted' || outcome === 'unchanged')
      await watching(effects?.change())
      await watching(effects?.begin(entry, whole ? watch : watch && { server: watch.server }))
    }
    return { at: now(), verdicts, ...(entry && { entry }) }
  }
  const turn = async (
    way: 'undo' | 'redo',
    { connection, id, force }: { readonly connection: number; readonly id: string; readonly force: boolean },
  ): Promise<ApplyReport> => {
    const open = editable(connection)
    const entry = (await journal.read(open)).find((one) => one.id === id)
    if (entry === undefined) throw gone()
    const changes = changesToSend(entry, way)
    if (changes.length === 0) {
      throw new ProblemError(
        'invalid-input',
        `Nothing of this entry can be ${way === 'undo' ? 'undone' : 'redone'} now.`,
      )
    }
    const recorder = journal.recordTurn(open, id, way)
    const verdicts = await turnChanges(changes, way, force, applying(open), recorder)
    if (recorder.entry !== undefined) await watching(effects?.change())
    return { at: now(), verdicts, ...(recorder.entry && { entry: recorder.entry }) }
  }

  return {
    assertEditing: (connection) => void editable(connection),
    resolveOnce(objects, signal) {
      let known = false
      objects.states.subscribe(({ state }) => {
        if (known || state !== 'current') return
        known = true
        // A store that cannot be written reports it itself.
        journal.resolve(objects).catch(() => undefined)
      }, signal)
    },
    procedures: {
      'editing.switch': async ({ connection, on }) => objectsOf(connection).switchEditing(on),
      'objects.check': async ({ connection, changes }) => {
        changes.forEach(assertNamed)
        const open = objectsOf(connection)
        const { editor, findings } = applying(open)
        const verdicts = []
        for (const change of changes) {
          const verdict = await editor.check(change)
          verdicts.push({ ...verdict, differences: differencesOf(verdict, findings(change)) })
        }
        return { at: now(), verdicts }
      },
      'objects.apply': (request) => oneAtATime(() => apply(request)),
      'objects.giveUp': async ({ connection }) => {
        const { editor } = objectsOf(connection).gateway
        if ('giveUp' in editor) editor.giveUp?.()
        return null
      },
      'journal.read': async ({ connection }) => journal.read(objectsOf(connection)),
      'journal.undo': (asked) => oneAtATime(() => turn('undo', asked)),
      'journal.redo': (asked) => oneAtATime(() => turn('redo', asked)),
      'drafts.read': async ({ connection }) => store.drafts.read(objectsOf(connection).gateway.targetKey),
    },
  }
}

/** Reads and stores what does not belong to a connected source. */
export const keptProcedures = (
  store: Store,
  elsewhere: Elsewhere,
  { now }: Pick<Environment, 'now'>,
): KeptProcedures => ({
  'objects.elsewhere': ({ from }) =>
    from.kind === 'cluster' ? elsewhere.readClusterObjects(from.target) : elsewhere.readManifestFiles(from.files),
  'drafts.write': async ({ targetKey, draft }) => {
    await store.drafts.write(targetKey, { entries: draft.entries, savedAt: new Date(now()).toISOString() })
    return null
  },
  'requests.read': () => store.requestTests.read(),
  'requests.change': (change) => store.requestTests.change(change),
})

/** An applied change remains applied, whether or not its effect can be recorded; the store reports why it cannot. */
const watching = async (written: Promise<void> | undefined): Promise<void> => written?.catch(() => undefined)

/** Two windows may send changes at the same time: they are applied one after the other. */
function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work, work)
    last = next
    return next
  }
}

/** The object that is sent under a name must have that name and kind; otherwise another object would be changed. */
function assertNamed({ kind, name, object }: ObjectChange): void {
  if (object === null) return
  const { apiVersion, kind: ofKind, metadata } = object
  const called = isJsonObject(metadata) ? metadata['name'] : undefined
  if (apiVersion === API_VERSION && ofKind === kind && called === name) return
  throw new ProblemError(
    'invalid-input',
    `The change of ${kind} ${name} holds something else: it needs apiVersion ${API_VERSION}, kind ${kind} and metadata.name ${name}.`,
  )
}

function labelOf(changes: readonly ObjectChange[]): string {
  const [first] = changes
  if (first === undefined) return ''
  const { kind, name, object, base } = first
  const what = object === null ? 'Delete' : base === undefined ? 'Create' : 'Change'
  const more = changes.length > 1 ? ` and ${changes.length - 1} more` : ''
  return `${what} ${kind} ${name}${more}`.slice(0, 200)
}

/** The findings of our own validation for a change, by the rules of the server's version; none for a deletion. */
const ourFindings = ({ object }: ObjectChange, version = ''): readonly Finding[] =>
  object === null ? [] : checkObject(object, version).findings
