import type { JsonObject } from '../../core/config/jsonValues.ts'
import { ProblemError, type Problem } from '../../core/errors.ts'
import type { Kind } from '../../core/config/objects.ts'
import { createObjectVersions } from '../../core/config/content.ts'
import {
  noObjects,
  NOTHING_READ,
  type LastWrite,
  type ObjectGateway,
  type Waiting,
  type WriteAccess,
} from '../ports/objectGateway.ts'
import type { ObjectsReading } from '../../core/source/sourceEvent.ts'
import type { Environment } from '../ports/environment.ts'
import { reviewSelf, userInRefusal, testObjects } from './accessReview.ts'
import { askAny, createClusterApi, objectUrl, type ClusterApi } from './clusterApi.ts'
import type { Connection } from './connection.ts'
import { getJson, gitVersion } from './http.ts'
import { lastWriteOf } from './fieldOwners.ts'
import { createObjectRequests, createPatience, type Patience } from './objectRequests.ts'
import { roleYaml } from './ownFlow.ts'
import { createReflector, type Reflection } from './reflector.ts'
import { createObjectWriter } from './writeObjects.ts'

/** Changes within this time are reported together. */
const GATHER_MS = 40

/**
 * The flow-control objects of a cluster: read by list and watch, written with the same credentials. A connection to
 * metrics pages only has no objects.
 */
export function createClusterObjects(connection: Connection, environment: Environment): ObjectGateway {
  const api = createClusterApi(connection)
  if (api === undefined) return noObjects(connection.name, NO_API)
  const target = `${connection.name} (${connection.cluster ?? api.first})`
  const versions = createObjectVersions()
  let tell: () => void = () => undefined
  let version: string | undefined
  let learning = false
  const learnVersion = async (): Promise<void> => {
    if (learning) return
    learning = true
    try {
      version = (await readVersion(api)) ?? version
    } finally {
      learning = false
    }
    tell()
  }
  const lastWrites = new Map<string, LastWrite>()
  const see = (kind: Kind) => (object: JsonObject & { readonly metadata: { readonly name: string } }) => {
    versions.see(object)
    const write = lastWriteOf(object)
    if (write !== undefined) lastWrites.set(`${kind}/${object.metadata.name}`, write)
  }
  const { relistMs } = connection
  const common = { api, environment, onChange: () => tell(), ...(relistMs !== undefined && { relistMs }) }
  const levels = createReflector({
    ...common,
    kind: 'PriorityLevelConfiguration',
    see: see('PriorityLevelConfiguration'),
    // Once per list is enough.
    onListed: () => void learnVersion(),
  })
  const schemas = createReflector({ ...common, kind: 'FlowSchema', see: see('FlowSchema'), onListed: () => undefined })
  const reading = (): ObjectsReading => compose(levels.now, schemas.now, version)
  let tellWaiting: (waiting: Waiting | undefined) => void = () => undefined
  const patience = createPatience({ ...environment, onWaiting: (waiting) => tellWaiting(waiting) })
  const pause = (ms: number): Promise<void> => new Promise((resolve) => void environment.after(ms, () => resolve()))

  return {
    origin: 'cluster',
    target,
    targetKey: `cluster ${target}`,
    start(signal, onReading) {
      let asked = false
      tell = () => {
        if (asked || signal.aborted) return
        asked = true
        environment.after(GATHER_MS, () => {
          asked = false
          if (!signal.aborted) onReading(reading())
        })
      }
      onReading(reading())
      // Also for a server whose objects may not be read.
      void learnVersion()
      levels.start(signal)
      schemas.start(signal)
    },
    tryNow() {
      levels.tryNow()
      schemas.tryNow()
    },
    lastWrite: ({ kind, name }) => lastWrites.get(`${kind}/${name}`),
    editor: {
      access: () => writeAccess(api, patience),
      ...createObjectWriter({ requests: createObjectRequests(api, patience), versions, pause }),
      onWaiting(listener) {
        tellWaiting = listener
      },
      giveUp: () => patience.giveUp(),
    },
  }
}

/**
 * Both kinds combined: known only when both are. While both are watched they are as new as the last change of either;
 * otherwise as old as the one that is not.
 */
function compose(
  levels: Reflection<'PriorityLevelConfiguration'>,
  schemas: Reflection<'FlowSchema'>,
  version: string | undefined,
): ObjectsReading {
  const problem = levels.problem ?? schemas.problem
  const known = { ...(version !== undefined && { version }) }
  if (levels.objects === undefined || schemas.objects === undefined) {
    return problem === undefined
      ? { state: 'loading', ...known, objects: NOTHING_READ }
      : { state: 'unavailable', ...known, problem: withRole(problem), objects: NOTHING_READ }
  }
  const seenAt = (problem === undefined ? Math.max : Math.min)(levels.seenAt ?? 0, schemas.seenAt ?? 0)
  const reported = problem === undefined ? strangeProblem([...levels.strange, ...schemas.strange]) : withRole(problem)
  return {
    state: problem === undefined ? 'current' : 'stale',
    ...known,
    asOf: new Date(seenAt).toISOString(),
    ...(reported && { problem: reported }),
    objects: { levels: [...levels.objects.values()], schemas: [...schemas.objects.values()] },
  }
}

function strangeProblem(names: readonly string[]): Problem | undefined {
  if (names.length === 0) return undefined
  return { code: 'bad-answer', message: `Left out objects that cannot be parsed: ${names.join(', ')}.` }
}

const ANONYMOUS = 'system:anonymous'
const READS = 'get, list and watch flowschemas and prioritylevelconfigurations'

/** Adds the missing role to a refusal, ready to apply. */
function withRole(problem: Problem): Problem {
  if (problem.code !== 'forbidden') return problem
  const user = userInRefusal(problem.details)
  const message = `The user${user === undefined ? '' : ` ${user}`} may not ${READS}; grant that with the role in the details.`
  // A role for anonymous users would grant the right to all clients.
  const role = user === undefined || user === ANONYMOUS ? undefined : roleYaml(user, ['objects'])
  return { code: 'forbidden', message, ...((role ?? problem.details) && { details: role ?? problem.details ?? '' }) }
}

/** A server creates this level again when it is missing. A single object costs one seat, a list perhaps ten. */
const ALWAYS_THERE = 'exempt'
const WRITES = 'create, update, patch and delete flowschemas and prioritylevelconfigurations'

/**
 * Whether the credentials may write, determined by access reviews; if the server answers none of them, the write itself
 * decides.
 */
async function writeAccess(api: ClusterApi, patience: Patience): Promise<WriteAccess> {
  const answer = await patience.ask(() =>
    askAny(api, async (context) => {
      // Whether the server answers at all: reviews alone do not distinguish that from a server without them.
      const url = objectUrl(context.base, 'PriorityLevelConfiguration', ALWAYS_THERE)
      const got = await getJson({ url, settings: context.settings })
      if (!got.ok && got.status !== 404) return got
      const identity = await reviewSelf(context)
      const { write } = await testObjects(context, identity?.user)
      return { ok: true, user: identity?.user, groups: identity?.groups, write } as const
    }),
  )
  if (!answer.ok) throw ProblemError.of(answer.problem)
  const { user, groups, write } = answer
  if (write.status !== 'forbidden') return { ok: true, ...(user !== undefined && { user }), ...(groups && { groups }) }
  return {
    ok: false,
    why: `The user${user === undefined ? '' : ` ${user}`} may not ${WRITES} (${write.found}).`,
    ...(user !== undefined && user !== ANONYMOUS && { role: roleYaml(user, ['edit']) }),
  }
}

export const NO_API =
  'The address is that of a metrics page, not of an API server. Use a kubeconfig to read the objects.'

/** gitVersion of the server; `undefined` when it does not report one. */
export async function readVersion(api: ClusterApi): Promise<string | undefined> {
  const answer = await askAny(api, ({ base, settings }) => getJson({ url: new URL(`${base}/version`), settings }))
  return answer.ok ? gitVersion(answer.value) : undefined
}
