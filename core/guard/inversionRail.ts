import type { FlowSchema, ObjectSet } from '../config/objects.ts'
import { levelOf } from '../classify/configuration.ts'
import { identityOf, accountName } from '../classify/identity.ts'
import type { RequestDigest } from '../request/match.ts'
import { digestRequest } from '../classify/classification.ts'
import { type GuardFinding, type GuardRemedy, levelRef, schemaRef } from './finding.ts'
import type { Rail, Side } from './changes.ts'
import { listed } from '../text/text.ts'

/** Loops that the edit creates, or moves to another level. */
export const inversionRail: Rail = ({ before, after }) => {
  const accounts = serverAccountsOf(after.objects)
  const known = new Set(loopsIn(before, accounts).map(keyOf))
  const made = loopsIn(after, accounts).filter((loop) => !known.has(keyOf(loop)))
  return byLevel(made).map((loops) => loopFinding(loops, after, 'warns'))
}

const keyOf = ({ level, caller, answerer }: Loop): string => `${level} ${caller} ${answerer}`

export type Loops = readonly [Loop, ...Loop[]]

/** Loops of one level and kind together. */
export function byLevel(loops: readonly Loop[]): readonly Loops[] {
  const groups = new Map<string, [Loop, ...Loop[]]>()
  for (const loop of loops) {
    const key = `${loop.kind} ${loop.level}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [loop])
    else group.push(loop)
  }
  return [...groups.values()]
}

export function loopFinding(loops: Loops, side: Side, severity: 'warns' | 'expected'): GuardFinding {
  const [{ kind, level, caller, answerer }] = loops
  const schemas = [...new Set(loops.flatMap(({ callerSchema, answererSchema }) => [callerSchema, answererSchema]))]
  return {
    code: `inversion/${kind}`,
    severity,
    objects: [levelRef(level), ...schemas.map(schemaRef)],
    message: `Requests of ${level} can wait for requests of the same level: ${caller} holds a seat while ${answerer} may have to wait for one.`,
    remedy: remedyFor(kind, level, side),
    evidence: evidenceOf(loops),
  }
}

/** The requests that each caller may wait for. */
function evidenceOf(loops: Loops): readonly string[] {
  const callers = new Map<string, string[]>()
  for (const { caller, callerSchema, answerer, answererSchema } of loops) {
    const key = `${caller} (${callerSchema})`
    callers.set(key, [...(callers.get(key) ?? []), `${answerer} (${answererSchema})`])
  }
  return [...callers].map(([caller, answerers]) => `${caller} needs ${listed(answerers)}`)
}

const OWN_SCHEMA = 'access-reviews'
/** Before all schemas for whole groups of users, after those for nodes and leader elections. */
const OWN_PRECEDENCE = 700
const OWN_LEVEL = 'system'

function remedyFor(kind: LoopKind, level: string, { configuration, objects }: Side): GuardRemedy {
  if (kind === 'webhook') {
    return {
      sentence: `Add a schema that sends the service accounts of admission webhooks to a level other than ${level}.`,
    }
  }
  const sentence = `Add a schema that sends access and token reviews by service accounts to a level other than ${level}.`
  const taken = objects.schemas.some(({ metadata }) => metadata.name === OWN_SCHEMA)
  return taken || level === OWN_LEVEL || !configuration.levels.has(OWN_LEVEL)
    ? { sentence }
    : { sentence, fix: { action: 'add', kind: 'FlowSchema', object: reviewsSchema() } }
}

/** The proposal of KEP-1040 for them. */
const reviewsSchema = (): FlowSchema => ({
  metadata: { name: OWN_SCHEMA },
  spec: {
    priorityLevelConfiguration: { name: OWN_LEVEL },
    matchingPrecedence: OWN_PRECEDENCE,
    distinguisherMethod: { type: 'ByUser' },
    rules: [
      {
        subjects: [{ kind: 'Group', group: { name: 'system:serviceaccounts' } }],
        resourceRules: [
          {
            verbs: ['create'],
            apiGroups: ['authorization.k8s.io', 'authentication.k8s.io'],
            resources: ['subjectaccessreviews', 'localsubjectaccessreviews', 'tokenreviews'],
            clusterScope: true,
            namespaces: ['*'],
          },
        ],
      },
    ],
  },
})

/**
 * Requests that are made while another one is served (KEP-1040, “priority inversions”): a server of an aggregated API
 * sends the API server an access review of its caller, a webhook reads the objects for its decision. If they wait for
 * the seats that their callers hold, both wait until one gives up.
 */
interface Loop {
  readonly kind: LoopKind
  readonly level: string
  /** The holder of the seat, with its schema. */
  readonly caller: string
  readonly callerSchema: string
  /** The sender of the request of the same level that the caller’s response waits for. */
  readonly answerer: string
  readonly answererSchema: string
}
type LoopKind = 'review' | 'webhook'

interface Actor {
  readonly label: string
  readonly digest: RequestDigest
}

function actor(label: string, user: string, method: string, url: string): Actor {
  const read = digestRequest({ user, groups: [...identityOf(user).groups], method, url })
  if (!read.ok) throw new Error(`${label}: ${read.problem}`)
  return { label, digest: read.digest }
}

const APPLICATION = accountName('default', 'app')
const PERSON = 'alice'
const METRICS = '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods'
const PODS = '/api/v1/namespaces/default/pods'

/** Callers of a server that sends requests back. */
const CALLERS: Readonly<Record<LoopKind, readonly Actor[]>> = {
  review: [
    actor(
      'the pod autoscaler reading metrics',
      accountName('kube-system', 'horizontal-pod-autoscaler'),
      'GET',
      METRICS,
    ),
    actor('a service account reading an aggregated API', APPLICATION, 'GET', METRICS),
    actor('a person reading an aggregated API', PERSON, 'GET', METRICS),
  ],
  webhook: [
    actor(
      'the replica set controller creating a pod',
      accountName('kube-system', 'replicaset-controller'),
      'POST',
      PODS,
    ),
    actor('a service account creating a pod', APPLICATION, 'POST', PODS),
    actor('a person creating a pod', PERSON, 'POST', PODS),
  ],
}

const reviewsOf = (who: string, user: string): readonly Actor[] => [
  actor(`the access reviews of ${who}`, user, 'POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews'),
  actor(`the token reviews of ${who}`, user, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews'),
]
const readsOf = (who: string, user: string): readonly Actor[] => [
  actor(`the reads of ${who}`, user, 'GET', '/api/v1/namespaces/default/configmaps'),
]

const ANSWERERS: Readonly<Record<LoopKind, readonly Actor[]>> = {
  review: [
    ...reviewsOf('metrics-server', accountName('kube-system', 'metrics-server')),
    ...reviewsOf('a server in another namespace', accountName('extensions', 'apiserver')),
  ],
  webhook: readsOf('an admission webhook', accountName('webhooks', 'admission')),
}

/** Names of service accounts that suggest a server which the API server calls. */
const SOUNDS_LIKE_SERVER = /webhook|admission|api-?server|adapter|metrics/

/** Service accounts with such a name in a configuration, as `namespace/name`. */
export function serverAccountsOf({ schemas }: ObjectSet): readonly string[] {
  const accounts = schemas
    .flatMap(({ spec }) => spec.rules ?? [])
    .flatMap(({ subjects }) => subjects)
    .flatMap(({ serviceAccount }) =>
      serviceAccount !== undefined && SOUNDS_LIKE_SERVER.test(serviceAccount.name)
        ? [`${serviceAccount.namespace}/${serviceAccount.name}`]
        : [],
    )
  return [...new Set(accounts)]
}

function answerersAmong(accounts: readonly string[]): Readonly<Record<LoopKind, readonly Actor[]>> {
  const named = accounts.map((name) => ({ name, user: accountName(...split(name)) }))
  return {
    review: [...ANSWERERS.review, ...named.flatMap(({ name, user }) => reviewsOf(name, user))],
    webhook: [...ANSWERERS.webhook, ...named.flatMap(({ name, user }) => readsOf(name, user))],
  }
}

const split = (name: string): readonly [namespace: string, name: string] => {
  const slash = name.indexOf('/')
  return [name.slice(0, slash), name.slice(slash + 1)]
}

/**
 * Levels whose requests can wait for other requests of the same level. In a level without limits nothing waits.
 * `accounts` are servers to check in addition to the usual ones.
 */
export function loopsIn({ configuration }: Side, accounts: readonly string[]): readonly Loop[] {
  const placeOf = ({ label, digest }: Actor) => {
    const schema = configuration.schemaOf(digest)
    const { plan } = levelOf(configuration, schema)
    return { label, schema: schema.metadata.name, level: plan.name, exempt: plan.exempt }
  }
  const answerers = answerersAmong(accounts)
  return (['review', 'webhook'] as const).flatMap((kind) => {
    const answering = answerers[kind].map(placeOf)
    return CALLERS[kind].map(placeOf).flatMap((caller) =>
      answering.flatMap((answer): readonly Loop[] => {
        const { level, exempt, label, schema } = caller
        if (exempt || level !== answer.level) return []
        return [
          {
            kind,
            level,
            caller: label,
            callerSchema: schema,
            answerer: answer.label,
            answererSchema: answer.schema,
          },
        ]
      }),
    )
  })
}
