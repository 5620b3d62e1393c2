import { sameContent, versionOf } from '../../core/config/content.ts'
import type { JsonObject } from '../../core/config/jsonValues.ts'
import type { ChangeVerdict, ObjectChange, ObjectsState } from '../../core/contract/objects.ts'
import type { Problem } from '../../core/errors.ts'
import type { ObjectsReading } from '../../core/source/sourceEvent.ts'

/** Field manager of the console's changes (`metadata.managedFields`). */
export const FIELD_MANAGER = 'apf-console'

/** The server's verdict on one change; the caller compares it with our own validation. */
export type ServerVerdict = Omit<ChangeVerdict, 'differences'>

/** A change that was applied: the whole object before and after, `null` where there was or is none. */
export interface Done {
  readonly from: JsonObject | null
  readonly to: JsonObject | null
}

export interface Applied {
  readonly verdict: ServerVerdict
  /** Present when the server applied the change. */
  readonly done?: Done
  /** There was no response, so the change may still be applied. */
  readonly open?: true
}

/** Whether the credentials may change the objects, and the user that they belong to. */
export type WriteAccess =
  | { readonly ok: true; readonly user?: string; readonly groups?: readonly string[] }
  /** `why` is a sentence; `role` the YAML that would allow it. */
  | { readonly ok: false; readonly why: string; readonly role?: string }

/** A pause after which a request is sent again. */
export interface Waiting {
  /** Unix milliseconds at which the next try is sent. */
  readonly until: number
  /** Number of that try, from 2. */
  readonly attempt: number
  readonly most: number
}

/** Changes objects, one at a time. Errors are part of the verdict. */
export interface ObjectEditor {
  /** Rejects with `ProblemError` when the server does not answer. */
  access(): Promise<WriteAccess>
  /** The current object, read from the server; rejects with `ProblemError`. */
  read(change: Pick<ObjectChange, 'kind' | 'name'>): Promise<JsonObject | null>
  /** The verdict that the server would return; changes nothing. */
  check(change: ObjectChange): Promise<ServerVerdict>
  /**
   * `force` takes ownership of fields of other field managers. `announce` is awaited with the object before and after
   * the change right before the change is sent, and only then; nothing is sent when it rejects.
   */
  apply(change: ObjectChange, force: boolean, announce: (about: Done) => Promise<void>): Promise<Applied>
  /**
   * Reports pauses in which a request that flow control rejected waits to be sent again; `undefined` when there is no
   * pause.
   */
  onWaiting?(listener: (waiting: Waiting | undefined) => void): void
  /** Ends such pauses. */
  giveUp?(): void
}

/** The latest change of an object, as its server reports it. */
export interface LastWrite {
  /** Field manager. */
  readonly by: string
  /** RFC 3339. */
  readonly at?: string
}

/** The flow-control objects of a source. */
export interface ObjectGateway {
  readonly origin: ObjectsState['origin']
  /** The displayed name of what is edited; `targetKey` is its stable name in the journal and among drafts. */
  readonly target: string
  readonly targetKey: string
  /** Reads until the signal aborts; reports the current reading immediately and after every change. */
  start(signal: AbortSignal, onReading: (reading: ObjectsReading) => void): void
  /** Drops the backoff and tries now; absent where nothing is tried again. */
  tryNow?(): void
  /** The editor, or a sentence that states why nothing can be applied. */
  readonly editor: ObjectEditor | { readonly impossible: string }
  /** The latest change of an object, where the server reports it. */
  lastWrite?(of: Pick<ObjectChange, 'kind' | 'name'>): LastWrite | undefined
  /** Every connection starts with new objects, so changes of an earlier connection cannot be undone. */
  readonly fleeting?: boolean
}

export const NOTHING_READ: ObjectsReading['objects'] = { levels: [], schemas: [] }

/** A gateway without objects. */
export function noObjects(target: string, why: string): ObjectGateway {
  const problem: Problem = { code: 'unsupported', message: why }
  return {
    origin: 'none',
    target,
    targetKey: 'none',
    start: (_signal, onReading) => onReading({ state: 'unavailable', problem, objects: NOTHING_READ }),
    editor: { impossible: why },
  }
}

/** A gateway to objects that never change and cannot be changed. */
export const stillObjects = (about: {
  readonly target: string
  readonly targetKey: string
  readonly reading: ObjectsReading
  /** Why they cannot be changed, and what to do instead. */
  readonly impossible: string
}): ObjectGateway => ({
  origin: 'files',
  target: about.target,
  targetKey: about.targetKey,
  start: (_signal, onReading) => onReading(about.reading),
  editor: { impossible: about.impossible },
})

/** A verdict with an outcome, the given members and nothing else. */
export function verdictOf(
  { kind, name }: Pick<ObjectChange, 'kind' | 'name'>,
  outcome: ServerVerdict['outcome'],
  more: Partial<Omit<ServerVerdict, 'kind' | 'name' | 'outcome'>> = {},
): ServerVerdict {
  return { kind, name, outcome, causes: [], conflicts: [], warnings: [], ...more }
}

/** Someone else changed, created or deleted the object meanwhile; `theirs` is its current state. */
export function changedMeanwhile(change: ObjectChange, theirs: JsonObject | undefined): ServerVerdict {
  const { kind, name, base } = change
  const what =
    theirs === undefined
      ? 'was deleted by somebody else after the draft was begun'
      : base === undefined
        ? 'exists already, perhaps made by somebody else after the draft was begun'
        : 'was changed by somebody else after the draft was begun'
  return verdictOf(change, 'conflict', {
    problem: {
      code: 'invalid-input',
      message: `${kind} ${name} ${what}; nothing was done. Compare the draft with the object as it is now, and apply again.`,
    },
    ...(theirs !== undefined && { theirs }),
  })
}

/**
 * The verdict that is certain before anything is sent: there is nothing to do, or someone else changed the object
 * meanwhile. `saidTheSame` returns whether another version of the object has the same content as the current one: only
 * its status may have been written.
 */
export function judgeBeforehand(
  change: ObjectChange,
  present: JsonObject | undefined,
  saidTheSame: (base: NonNullable<ObjectChange['base']>) => boolean = () => false,
): ServerVerdict | undefined {
  const { object: wish, base } = change
  if (present === undefined) {
    if (wish === null) return verdictOf(change, 'unchanged')
    return base === undefined ? undefined : changedMeanwhile(change, undefined)
  }
  const now = versionOf(present)
  const known =
    base !== undefined && base.uid === now?.uid && (base.resourceVersion === now.resourceVersion || saidTheSame(base))
  if (known) return undefined
  if (wish !== null && sameContent(wish, present)) return verdictOf(change, 'unchanged', { object: present })
  return changedMeanwhile(change, present)
}
