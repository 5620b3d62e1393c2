import { sameContent, versionOf } from '../../core/config/content.ts'
import type { JsonObject } from '../../core/config/jsonValues.ts'
import type { ChangeVerdict, ObjectChange, ObjectsState } from '../../core/contract/objects.ts'
import type { Problem } from '../../core/contract/errors.ts'
import type { ObjectsReading } from '../../core/source/sourceEvent.ts'

/** Name under which the console changes objects (`metadata.managedFields`). */
export const FIELD_MANAGER = 'apf-console'

/** What a server says of one change; where our own validation says something else is found by whoever asked. */
export type ServerVerdict = Omit<ChangeVerdict, 'differences'>

/** A change that was carried out: the whole object before and after, `null` where there was or is none. */
export interface Done {
  readonly from: JsonObject | null
  readonly to: JsonObject | null
}

export interface Applied {
  readonly verdict: ServerVerdict
  /** Present when the server carried the change out. */
  readonly done?: Done
  /** No answer, so that the change may still be carried out. */
  readonly open?: true
}

/** Whether the credentials may change the objects, and who they are. */
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

/** Changes objects, one at a time. What goes wrong is part of the verdict. */
export interface ObjectEditor {
  /** Rejects with `ProblemError` when the server does not answer. */
  access(): Promise<WriteAccess>
  /** The object as it is now, asked of the server; rejects with `ProblemError`. */
  read(change: Pick<ObjectChange, 'kind' | 'name'>): Promise<JsonObject | null>
  /** What the server would say; changes nothing. */
  check(change: ObjectChange): Promise<ServerVerdict>
  /**
   * `force` takes over what other field managers own. `announce` is awaited with the object before and after the change
   * right before it is sent, and only then; nothing is sent when it rejects.
   */
  apply(change: ObjectChange, force: boolean, announce: (about: Done) => Promise<void>): Promise<Applied>
  /** Reports pauses in which a request that flow control rejected waits to be sent again; `undefined` when none does. */
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
export interface ObjectDoor {
  readonly origin: ObjectsState['origin']
  /** What is edited, as it is named to the operator, and its stable name in the journal and among drafts. */
  readonly target: string
  readonly targetKey: string
  /** Reads until the signal aborts; tells what is known at once and whenever it changes. */
  start(signal: AbortSignal, onReading: (reading: ObjectsReading) => void): void
  /** Forget the backoff and try now. */
  tryNow(): void
  /** Why nothing can be applied, in a sentence, where that is so. */
  readonly editor: ObjectEditor | { readonly impossible: string }
  /** Who changed an object last, where the server reports it. */
  lastWrite?(of: Pick<ObjectChange, 'kind' | 'name'>): LastWrite | undefined
  /** The objects begin anew with every connection, so that what was applied before cannot be taken back. */
  readonly fleeting?: boolean
}

export const NOTHING_READ: ObjectsReading['objects'] = { levels: [], schemas: [] }

/** A door behind which there is nothing. */
export function noObjects(target: string, why: string): ObjectDoor {
  const problem: Problem = { code: 'unsupported', message: why }
  return {
    origin: 'none',
    target,
    targetKey: 'none',
    start: (_signal, onReading) => onReading({ state: 'unavailable', problem, objects: NOTHING_READ }),
    tryNow: () => undefined,
    editor: { impossible: why },
  }
}

/** A door to objects that stay what they are and cannot be changed. */
export const stillObjects = (about: {
  readonly target: string
  readonly targetKey: string
  readonly reading: ObjectsReading
  /** Why they cannot be changed, and what to do instead. */
  readonly impossible: string
}): ObjectDoor => ({
  origin: 'files',
  target: about.target,
  targetKey: about.targetKey,
  start: (_signal, onReading) => onReading(about.reading),
  tryNow: () => undefined,
  editor: { impossible: about.impossible },
})

/** A verdict with nothing in it but its outcome and what is given. */
export function verdictOf(
  { kind, name }: Pick<ObjectChange, 'kind' | 'name'>,
  outcome: ServerVerdict['outcome'],
  more: Partial<Omit<ServerVerdict, 'kind' | 'name' | 'outcome'>> = {},
): ServerVerdict {
  return { kind, name, outcome, causes: [], conflicts: [], warnings: [], ...more }
}

/** Somebody else changed, made or deleted the object meanwhile; `theirs` is how it is now. */
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
 * What can be said before anything is tried: there is nothing to do, or somebody else changed the object meanwhile.
 * `saidTheSame` tells whether another version of it said the same as the present one: its status may have been written.
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
