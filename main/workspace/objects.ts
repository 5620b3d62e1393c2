import { join } from 'node:path'
import { z } from 'zod'
import { API_VERSION, isJsonObject } from '../../core/config/content.ts'
import type { ProcedureHandlers, StreamHandlers } from '../../core/contract/contract.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import {
  JournalEntrySchema,
  RequestTestSchema,
  type ApplyReport,
  type ElsewhereObjects,
  type JournalEntry,
  type ObjectChange,
  type RequestTest,
} from '../../core/contract/objects.ts'
import type { Target, UploadedFile } from '../../core/contract/source.ts'
import type { Environment } from '../sources/source.ts'
import { applyInOrder, turnEntry, type Applying } from './applying.ts'
import { differencesOf } from './differences.ts'
import { createDrafts } from './drafts.ts'
import { entriesOf, withEntry, withoutTarget, type Turn } from './journal.ts'
import { createObjectDesk, editorOf, type OpenDesk } from './objectDesk.ts'
import { ourFindings } from './ourFindings.ts'
import type { Session } from './session.ts'
import { createStateFile } from './stateFile.ts'
import type { Subscribable } from './topic.ts'

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
  readonly stateDir: string
  readonly environment: Pick<Environment, 'now' | 'random'>
  readonly elsewhere: Elsewhere
  readonly warn: (sentence: string) => void
}

/** Reads, checks, changes and remembers flow-control objects of whatever is connected. */
export function createObjects(options: ObjectsOptions): {
  readonly procedures: ObjectProcedures
  readonly stream: StreamHandlers['objects']
  /** Throws `forbidden` while editing is off, and `unsupported` where it is impossible. */
  readonly assertEditing: () => void
} {
  const { sessions, environment, stateDir, warn, elsewhere } = options
  const now = (): string => new Date(environment.now()).toISOString()
  const desk = createObjectDesk(sessions, environment, options.signal)
  const file = <T>(name: string, schema: z.ZodType<T>, initial: T) =>
    createStateFile({ path: join(stateDir, name), schema, initial, warn })
  const journal = file<JournalEntry[]>('journal.json', z.array(JournalEntrySchema), [])
  const tests = file<RequestTest[]>('requests.json', z.array(RequestTestSchema), [])
  const drafts = createDrafts(join(stateDir, 'drafts'), () => environment.now(), warn)
  sessions.subscribe((session) => {
    // What was applied to a simulation that is no more cannot be taken back.
    if (session?.objects.fleeting === true) {
      const { targetKey } = session.objects
      void journal.change((known) => withoutTarget(known, targetKey))
    }
  }, options.signal)

  const newId = (): string => `${environment.now()}-${Math.floor(environment.random() * 2 ** 48).toString(36)}`
  const remember = (entry: JournalEntry) => journal.change((known) => withEntry(known, entry))

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
    let entry: JournalEntry | undefined
    const verdicts = await applyInOrder(changes, force, applying(open), async (change) => {
      const id = entry?.id ?? newId()
      const done = [...(entry?.changes ?? []), change]
      const user = open.user === undefined ? {} : { user: open.user }
      entry = {
        id,
        at: now(),
        target,
        targetKey,
        ...user,
        label: label ?? labelOf(changes),
        changes: done,
        state: 'applied',
      }
      await remember(entry)
    })
    return { at: now(), verdicts, ...(entry && { entry }) }
  }
  const turn = async (way: Turn, id: string, force: boolean): Promise<ApplyReport> => {
    const open = editable()
    const entry = entriesOf(await journal.read(), open.door.targetKey).find((one) => one.id === id)
    if (entry === undefined)
      throw new ProblemError('not-found', 'The journal of this target has no such entry any more.')
    if (entry.state !== (way === 'undo' ? 'applied' : 'undone')) {
      const is = way === 'undo' ? 'taken back already' : 'in force already'
      throw new ProblemError('invalid-input', `This change is ${is}.`)
    }
    const partId = newId()
    const onPart = async ({ turned, left }: { turned?: JournalEntry; left?: JournalEntry }): Promise<void> => {
      await journal.change((known) => {
        // Once all of it is turned, the part that stood for itself until then is the whole entry again.
        const rest = left === undefined ? known.filter((one) => one.id !== partId) : withEntry(known, left)
        return turned === undefined ? rest : withEntry(rest, turned)
      })
    }
    const { verdicts, ...parts } = await turnEntry(entry, way, force, applying(open), {
      newId: () => partId,
      onPart,
    })
    await onPart(parts)
    return { at: now(), verdicts, ...(parts.turned && { entry: parts.turned }) }
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
      'objects.elsewhere': ({ from }) =>
        from.kind === 'cluster' ? elsewhere.readClusterObjects(from.target) : elsewhere.readManifestFiles(from.files),
      'journal.read': async () => {
        const key = desk.open?.door.targetKey
        return key === undefined ? [] : entriesOf(await journal.read(), key)
      },
      'journal.undo': ({ id, force }) => oneAtATime(() => turn('undo', id, force)),
      'journal.redo': ({ id, force }) => oneAtATime(() => turn('redo', id, force)),
      'drafts.read': async () => {
        const key = desk.open?.door.targetKey
        return key === undefined ? { entries: [] } : drafts.read(key)
      },
      'drafts.write': async ({ targetKey, draft }) => {
        await drafts.write(targetKey, draft)
        return null
      },
      'requests.read': () => tests.read(),
      'requests.write': async (given) => {
        await tests.change(() => given.tests)
        return null
      },
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
