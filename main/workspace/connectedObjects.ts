import { ProblemError } from '../../core/errors.ts'
import type { Editing, ObjectsState } from '../../core/contract/objects.ts'
import type { ObjectsReading } from '../../core/source/sourceEvent.ts'
import { NOTHING_READ, type ObjectGateway, type ObjectEditor } from '../ports/objectGateway.ts'
import type { Environment } from '../ports/environment.ts'
import { createTopic, type Subscribable } from '../ports/topic.ts'
import type { Session } from './session.ts'

/** The objects of one connected source, and whether they may be changed: editing is off initially. */
export interface ConnectedObjects {
  readonly states: Subscribable<ObjectsState>
  readonly gateway: ObjectGateway
  readonly version: string | undefined
  readonly reading: ObjectsReading
  /** The user that the server attributes the console's requests to; known once editing was switched on. */
  readonly user: string | undefined
  /** Whether changes may be applied, with this source still connected. */
  mayApply(): boolean
  /** Throws `unsupported` where editing is impossible in general. */
  switchEditing(on: boolean): Promise<Editing>
}

/** Begins to read the objects; ends with the session. */
export function connectObjects(session: Session, environment: Pick<Environment, 'now'>): ConnectedObjects {
  const {
    connection: { id },
    objects: gateway,
    ended,
  } = session
  const { origin, target, targetKey } = gateway
  const states = createTopic<ObjectsState>()
  const reading = (): ObjectsReading => session.picture.objects ?? { state: 'loading', objects: NOTHING_READ }
  /** From a page, where no object source reports it. */
  let pageVersion: string | undefined
  let user: string | undefined
  let waiting: ObjectsState['waiting']
  let editing: Editing =
    'impossible' in gateway.editor ? { state: 'impossible', why: gateway.editor.impossible } : { state: 'off' }
  const versionNow = (): string | undefined => reading().version ?? pageVersion
  const tell = (): void => {
    const version = versionNow()
    const state = { connection: id, origin, target, targetKey, ...reading(), editing, ...(waiting && { waiting }) }
    if (!ended.aborted) states.publish(version === undefined ? state : { ...state, version })
  }
  const setEditing = (next: Editing): Editing => {
    editing = next
    tell()
    return next
  }
  session.frames.subscribe(({ frame }) => {
    const version = frame.servers.find((server) => server.version !== undefined)?.version
    if (version === pageVersion) return
    pageVersion = version
    if (reading().version === undefined) tell()
  }, ended)
  if ('onWaiting' in gateway.editor) {
    gateway.editor.onWaiting?.((next) => {
      waiting = next && { ...next, until: new Date(next.until).toISOString() }
      tell()
    })
  }
  session.readObjects(tell)
  tell()
  return {
    states,
    gateway,
    get reading() {
      return reading()
    },
    get version() {
      return versionNow()
    },
    get user() {
      return user
    },
    mayApply: () => !ended.aborted && editing.state === 'on',
    async switchEditing(on) {
      const editor = editorOf({ gateway })
      if (!on) return editing.state === 'on' ? setEditing({ state: 'off' }) : editing
      const access = await editor.access()
      if (ended.aborted) throw new ProblemError('cancelled', 'The source was disconnected meanwhile.')
      if (!access.ok) {
        const { why, role } = access
        return setEditing({ state: 'impossible', why, ...(role !== undefined && { role }) })
      }
      user = access.user ?? user
      return setEditing({
        state: 'on',
        since: new Date(environment.now()).toISOString(),
        ...(access.user !== undefined && { user: { name: access.user, groups: [...(access.groups ?? [])] } }),
      })
    },
  }
}

/** Throws `unsupported` where nothing can be applied. */
export function editorOf({ gateway }: Pick<ConnectedObjects, 'gateway'>): ObjectEditor {
  if ('impossible' in gateway.editor) throw new ProblemError('unsupported', gateway.editor.impossible)
  return gateway.editor
}
