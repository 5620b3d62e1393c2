import { API_VERSION } from '../../core/config/content.ts'
import { isJsonObject } from '../../core/config/jsonValues.ts'
import type { ProcedureHandlers, StreamHandlers } from '../../core/contract/contract.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import {
  changesToSend,
  type ApplyReport,
  type ElsewhereObjects,
  type ObjectChange,
} from '../../core/contract/objects.ts'
import type { Target, UploadedFile } from '../../core/contract/source.ts'
import { checkObject } from '../../core/config/checkObject.ts'
import type { Finding } from '../../core/config/finding.ts'
import type { Environment } from '../ports/environment.ts'
import type { Store } from '../store/store.ts'
import type { Subscribable } from '../ports/topic.ts'
import { applyInOrder, turnChanges, type Applying } from './applying.ts'
import { differencesOf } from './differences.ts'
import { createJournalDesk, gone } from './journalDesk.ts'
import { createObjectDesk, editorOf, type OpenDesk } from './objectDesk.ts'
import type { Session } from './session.ts'

type ObjectProcedures = Pick<
  ProcedureHandlers,
  Extract<keyof ProcedureHandlers, `${'editing' | 'objects' | 'journal' | 'drafts' | 'requests'}.${string}`>
>

/** Objects that are not those of the connected source. */
export interface Elsewhere {
  readClusterObjects(target: Target): Promise<ElsewhereObjects>
  readManifestFiles(files: readonly UploadedFile[]): Promise<ElsewhereObjects>
}

export interface ObjectsOptions {
  readonly sessions: Subscribable<Session | undefined>
  /** Ends with the workspace. */
  readonly signal: AbortSignal
  readonly store: Store
  readonly environment: Pick<Environment, 'now' | 'random'>
  readonly elsewhere: Elsewhere
}

/** Reads, checks, changes and remembers flow-control objects of whatever is connected. */
export function createObjects(options: ObjectsOptions): {
  readonly procedures: ObjectProcedures
  readonly stream: StreamHandlers['objects']
  /** Throws `forbidden` while editing is off, and `unsupported` where it is impossible. */
  readonly assertEditing: () => void
} {
  const { sessions, environment, store, elsewhere } = options
  const now = (): string => new Date(environment.now()).toISOString()
  const desk = createObjectDesk(sessions, environment, options.signal)
  const journal = createJournalDesk(store, now)
  // What a console that ended left open is found out as soon as the objects are known.
  let resolvedFor = 0
  desk.states.subscribe(({ connection, state }) => {
    const { open } = desk
    if (open === undefined || state !== 'current' || resolvedFor === connection) return
    resolvedFor = connection
    // A store that cannot be written says so itself.
    journal.resolve(open).catch(() => undefined)
  }, options.signal)

  const newId = (): string => `${environment.now()}-${Math.floor(environment.random() * 2 ** 48).toString(36)}`
  const connected = (): OpenDesk => {
    if (desk.open === undefined)
      throw new ProblemError('unsupported', 'Nothing is connected that has flow-control objects.')
    return desk.open
  }
  const editable = (): OpenDesk => {
    const open = connected()
    editorOf(open)
    if (!open.mayApply()) {
      throw new ProblemError('forbidden', `Editing is off; switch it on for ${open.door.target} first.`)
    }
    return open
  }
  const applying = (open: OpenDesk): Applying => ({
    editor: editorOf(open),
    findings: (change) => ourFindings(change, open.version),
    mayGoOn: () => open.mayApply(),
  })
  const oneAtATime = createQueue()

  const apply: ObjectProcedures['objects.apply'] = async ({ changes, label, force }) => {
    changes.forEach(assertNamed)
    const open = editable()
    const { target, targetKey } = open.door
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
    return { at: now(), verdicts, ...(recorder.entry && { entry: recorder.entry }) }
  }
  const turn = async (way: 'undo' | 'redo', id: string, force: boolean): Promise<ApplyReport> => {
    const open = editable()
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
    return { at: now(), verdicts, ...(recorder.entry && { entry: recorder.entry }) }
  }

  return {
    stream: (_params, emit, signal) => desk.states.subscribe(emit, signal),
    assertEditing: () => void editable(),
    procedures: {
      'editing.switch': ({ on }) => desk.switchEditing(on),
      'objects.check': async ({ changes }) => {
        changes.forEach(assertNamed)
        const open = connected()
        const { editor, findings } = applying(open)
        const verdicts = []
        for (const change of changes) {
          const verdict = await editor.check(change)
          verdicts.push({ ...verdict, differences: differencesOf(verdict, findings(change)) })
        }
        return { at: now(), verdicts }
      },
      'objects.apply': (request) => oneAtATime(() => apply(request)),
      'objects.giveUp': async () => {
        const { editor } = connected().door
        if ('giveUp' in editor) editor.giveUp?.()
        return null
      },
      'objects.elsewhere': ({ from }) =>
        from.kind === 'cluster' ? elsewhere.readClusterObjects(from.target) : elsewhere.readManifestFiles(from.files),
      'journal.read': async () => {
        const { open } = desk
        return open === undefined ? [] : journal.read(open)
      },
      'journal.undo': ({ id, force }) => oneAtATime(() => turn('undo', id, force)),
      'journal.redo': ({ id, force }) => oneAtATime(() => turn('redo', id, force)),
      'drafts.read': async () => {
        const key = desk.open?.door.targetKey
        return key === undefined ? { entries: [] } : store.drafts.read(key)
      },
      'drafts.write': async ({ targetKey, draft }) => {
        await store.drafts.write(targetKey, { entries: draft.entries, savedAt: now() })
        return null
      },
      'requests.read': () => store.requestTests.read(),
      'requests.change': (change) => store.requestTests.change(change),
    },
  }
}

/** Two windows may ask at once: what is applied is applied one after the other. */
function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work, work)
    last = next
    return next
  }
}

/** What is sent under a name has to be the object of that name and kind, or another one would be changed. */
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

/** What our own validation says of a change, by the rules of the server's version; nothing of a deletion. */
const ourFindings = ({ object }: ObjectChange, version = ''): readonly Finding[] =>
  object === null ? [] : checkObject(object, version).findings
