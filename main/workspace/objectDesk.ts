import { ProblemError } from '../../core/contract/errors.ts'
import type { Editing, ObjectsState } from '../../core/contract/objects.ts'
import { NOTHING_READ, type ObjectDoor, type ObjectEditor, type ObjectsReading } from '../ports/objectDoor.ts'
import type { Environment } from '../ports/environment.ts'
import { createTopic, type Subscribable } from '../ports/topic.ts'
import type { Session } from './session.ts'

/** The objects of whatever is connected, and whether they may be changed. */
export interface ObjectDesk {
  readonly states: Subscribable<ObjectsState>
  /** What is connected now; `undefined` when nothing is. */
  readonly open: OpenDesk | undefined
  /** Throws `unsupported` where editing is impossible altogether. */
  switchEditing(on: boolean): Promise<Editing>
}

/** The desk as long as one source is connected. */
export interface OpenDesk {
  readonly door: ObjectDoor
  readonly version: string | undefined
  /** What is known of the objects now. */
  readonly reading: ObjectsReading
  /** Who the server takes the console for; known once editing was switched on. */
  readonly user: string | undefined
  /** Whether changes may be applied, still to this source. */
  mayApply(): boolean
}

const NOTHING: Omit<ObjectsState, 'editing'> = {
  connection: 0,
  origin: 'none',
  target: '',
  targetKey: 'none',
  state: 'unavailable',
  objects: NOTHING_READ,
}
const NOT_CONNECTED = 'Nothing is connected that has flow-control objects.'

/** Follows the sessions; ends with the signal. Editing is off whenever another source is connected. */
export function createObjectDesk(
  sessions: Subscribable<Session | undefined>,
  environment: Pick<Environment, 'now'>,
  signal: AbortSignal,
): ObjectDesk {
  const states = createTopic<ObjectsState>()
  let open: (OpenDesk & { setEditing(editing: Editing, user?: string): void; readonly editing: Editing }) | undefined

  const connect = ({ connection: { id }, objects: door, frames, ended, knowObjects }: Session): void => {
    let reading: ObjectsReading = { state: 'loading', objects: NOTHING_READ }
    /** As a page says it, where no object source does. */
    let pageVersion: string | undefined
    let user: string | undefined
    let waiting: ObjectsState['waiting']
    let editing: Editing =
      'impossible' in door.editor ? { state: 'impossible', why: door.editor.impossible } : { state: 'off' }
    const { origin, target, targetKey } = door
    const tell = (): void => {
      const version = reading.version ?? pageVersion
      const told = { connection: id, origin, target, targetKey, ...reading, editing, ...(waiting && { waiting }) }
      if (open === mine) states.publish(version === undefined ? told : { ...told, version })
    }
    const mine = {
      door,
      get reading() {
        return reading
      },
      get version() {
        return reading.version ?? pageVersion
      },
      get user() {
        return user
      },
      get editing() {
        return editing
      },
      mayApply: () => open === mine && editing.state === 'on',
      setEditing(next: Editing, as?: string) {
        editing = next
        user = as ?? user
        tell()
      },
    }
    open = mine
    frames.subscribe(({ frame }) => {
      const version = frame.servers.find((server) => server.version !== undefined)?.version
      if (version === pageVersion) return
      pageVersion = version
      if (reading.version === undefined) tell()
    }, ended)
    if ('onWaiting' in door.editor) {
      door.editor.onWaiting?.((next) => {
        waiting = next && { ...next, until: new Date(next.until).toISOString() }
        tell()
      })
    }
    door.start(ended, (next) => {
      reading = next
      // Objects of a moment ago serve as well: the page itself has to prove that a level is gone.
      const known = next.state === 'current' || next.state === 'stale'
      knowObjects(known && door.origin === 'cluster' ? next.objects : undefined)
      tell()
    })
    tell()
  }
  sessions.subscribe((session) => {
    open = undefined
    if (session !== undefined) connect(session)
    else states.publish({ ...NOTHING, editing: { state: 'impossible', why: NOT_CONNECTED } })
  }, signal)

  return {
    states,
    get open() {
      return open
    },
    async switchEditing(on) {
      const desk = open
      if (desk === undefined) throw new ProblemError('unsupported', NOT_CONNECTED)
      const editor = editorOf(desk)
      if (on) {
        const access = await editor.access()
        if (open !== desk) throw new ProblemError('cancelled', 'Another source was connected meanwhile.')
        if (access.ok)
          desk.setEditing(
            {
              state: 'on',
              since: new Date(environment.now()).toISOString(),
              ...(access.user !== undefined && { user: { name: access.user, groups: [...(access.groups ?? [])] } }),
            },
            access.user,
          )
        else
          desk.setEditing({
            state: 'impossible',
            why: access.why,
            ...(access.role !== undefined && { role: access.role }),
          })
      } else if (desk.editing.state === 'on') desk.setEditing({ state: 'off' })
      return desk.editing
    },
  }
}

/** Throws `unsupported` where nothing can be applied. */
export function editorOf({ door }: Pick<OpenDesk, 'door'>): ObjectEditor {
  if ('impossible' in door.editor) throw new ProblemError('unsupported', door.editor.impossible)
  return door.editor
}
