import {
  AUTOUPDATE_ANNOTATION,
  EXEMPT,
  type FlowSchema,
  type Kind,
  type LimitedSpec,
  type PolicyRules,
  type PriorityLevelConfiguration,
  type ObjectSet,
} from '../config/objects.ts'
import type { TypedObject } from '../config/decode.ts'
import { group, isSuggested, schemaOf, serviceAccounts } from '../config/builtIn.ts'
import type { ObjectRef } from '../guard/finding.ts'
import { editManifest, renameManifest } from '../manifest/edit.ts'
import { writeManifest } from '../manifest/write.ts'
import { freeName, textOf, withText, type DraftEntries } from './draft.ts'

/** A starting point: objects that work without changes, for a purpose that many clusters have. */
export interface Preset {
  readonly id: string
  readonly label: string
  /** One sentence: its purpose. */
  readonly about: string
  /** The first one is opened. */
  readonly objects: readonly TypedObject[]
}

const limitedLevel = (name: string, limited: LimitedSpec): TypedObject => ({
  kind: 'PriorityLevelConfiguration',
  object: { metadata: { name }, spec: { type: 'Limited', limited } },
})
const queueing = ([queues, handSize, queueLengthLimit]: readonly [
  number,
  number,
  number,
]): LimitedSpec['limitResponse'] => ({ type: 'Queue', queuing: { queues, handSize, queueLengthLimit } })

const schema = (
  name: string,
  matchingPrecedence: number,
  levelName: string,
  rules: PolicyRules,
  distinguisher?: 'ByUser' | 'ByNamespace',
): TypedObject => ({
  kind: 'FlowSchema',
  object: schemaOf({ name }, matchingPrecedence, levelName, distinguisher, rules),
})
/** All requests for resources, with and without a namespace. */
export const EVERY_RESOURCE = {
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  clusterScope: true,
  namespaces: ['*'],
}

export const PRESETS: readonly Preset[] = [
  {
    id: 'list-events',
    label: 'Isolate lists of events',
    about: 'Lists of events by service accounts get a small level of their own, so they do not delay other requests.',
    objects: [
      schema(
        'list-events',
        8_900,
        'list-events',
        {
          subjects: [group('system:serviceaccounts')],
          resourceRules: [
            {
              verbs: ['list'],
              apiGroups: ['', 'events.k8s.io'],
              resources: ['events'],
              clusterScope: true,
              namespaces: ['*'],
            },
          ],
        },
        'ByUser',
      ),
      limitedLevel('list-events', {
        nominalConcurrencyShares: 5,
        lendablePercent: 50,
        borrowingLimitPercent: 0,
        limitResponse: queueing([16, 4, 50]),
      }),
    ],
  },
  {
    id: 'health-for-strangers',
    label: 'Unauthenticated health checks',
    about:
      'Load balancers that probe without credentials are never delayed. Any client can use it, and nothing limits it.',
    objects: [
      schema('health-for-strangers', 1_000, EXEMPT, {
        subjects: [group('system:unauthenticated')],
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/readyz'] }],
      }),
    ],
  },
  {
    id: 'tenant',
    label: 'A level for one tenant',
    about: 'The service accounts of one namespace share a level of their own. Replace “tenant” with your namespace.',
    objects: [
      schema(
        'tenant',
        8_900,
        'tenant',
        { subjects: [serviceAccounts('tenant', '*')], resourceRules: [EVERY_RESOURCE] },
        'ByUser',
      ),
      limitedLevel('tenant', {
        nominalConcurrencyShares: 10,
        lendablePercent: 50,
        borrowingLimitPercent: 100,
        limitResponse: queueing([32, 4, 50]),
      }),
    ],
  },
  {
    id: 'writes',
    label: 'Separate writes from reads',
    about: 'Writes of service accounts get a level of their own, so that a flood of lists does not delay them.',
    objects: [
      schema(
        'service-account-writes',
        8_950,
        'writes',
        {
          subjects: [group('system:serviceaccounts')],
          resourceRules: [{ ...EVERY_RESOURCE, verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] }],
        },
        'ByUser',
      ),
      limitedLevel('writes', {
        nominalConcurrencyShares: 40,
        lendablePercent: 50,
        limitResponse: queueing([128, 6, 50]),
      }),
    ],
  },
  {
    id: 'console',
    label: 'A level for this console',
    about:
      'The console can still read metrics and dumps when all other levels are full. Insert the account that it runs as.',
    objects: [
      schema('apf-console', 300, 'apf-console', {
        subjects: [serviceAccounts('apf-console', 'apf-console')],
        resourceRules: [
          {
            verbs: ['get', 'list', 'watch'],
            apiGroups: ['flowcontrol.apiserver.k8s.io'],
            resources: ['flowschemas', 'prioritylevelconfigurations'],
            clusterScope: true,
          },
        ],
        nonResourceRules: [
          { verbs: ['get'], nonResourceURLs: ['/metrics', '/version', '/debug/api_priority_and_fairness/*'] },
        ],
      }),
      limitedLevel('apf-console', {
        nominalConcurrencyShares: 2,
        lendablePercent: 0,
        borrowingLimitPercent: 0,
        limitResponse: queueing([1, 1, 20]),
      }),
    ],
  },
]

/** An object with only the members that its kind requires. */
export function emptyObject(kind: Kind, name: string): TypedObject {
  if (kind === 'PriorityLevelConfiguration') {
    return limitedLevel(name, {
      nominalConcurrencyShares: 10,
      lendablePercent: 0,
      limitResponse: queueing([64, 8, 50]),
    })
  }
  return schema(name, 1_000, 'workload-low', {
    subjects: [{ kind: 'User', user: { name: 'somebody' } }],
    resourceRules: [EVERY_RESOURCE],
  })
}

/** A draft with new objects, and the first of them. */
interface Begun {
  readonly entries: DraftEntries
  readonly opened: ObjectRef
}

/** Adds objects under names that are free. A schema among them references the level that is added with it. */
export function withObjects(
  entries: DraftEntries,
  objects: ObjectSet,
  [first, ...others]: readonly [TypedObject, ...TypedObject[]],
): Begun {
  const names = new Map(
    [first, ...others].map(({ kind, object }) => {
      const { name } = object.metadata
      return [`${kind}/${name}`, freeName(entries, objects, kind, name)]
    }),
  )
  const nameOf = ({ kind, name }: ObjectRef): string => names.get(`${kind}/${name}`) ?? name
  let next = entries
  for (const { kind, object } of [first, ...others]) {
    const name = nameOf({ kind, name: object.metadata.name })
    next = withText(next, objects, { kind, name }, writeManifest(kind, renamed(object, name, nameOf)))
  }
  const { kind } = first
  return { entries: next, opened: { kind, name: nameOf({ kind, name: first.object.metadata.name }) } }
}

function renamed(
  object: FlowSchema | PriorityLevelConfiguration,
  name: string,
  nameOf: (ref: ObjectRef) => string,
): FlowSchema | PriorityLevelConfiguration {
  const metadata = { ...object.metadata, name }
  if (!('matchingPrecedence' in object.spec)) return { metadata, spec: object.spec }
  const { priorityLevelConfiguration: to } = object.spec
  const level = nameOf({ kind: 'PriorityLevelConfiguration', name: to.name })
  return { metadata, spec: { ...object.spec, priorityLevelConfiguration: { name: level } } }
}

/** Adds a copy of an object under another name; `undefined` when its text cannot be parsed. */
export function withCopy(entries: DraftEntries, objects: ObjectSet, ref: ObjectRef): Begun | undefined {
  const text = textOf(entries, objects, ref)
  if (text === undefined) return undefined
  const name = freeName(entries, objects, ref.kind, `${ref.name}-copy`)
  const copy = renameManifest(text, name)
  if (!copy.ok) return undefined
  const opened = { kind: ref.kind, name }
  return { entries: withText(entries, objects, opened, copy.text), opened }
}

/**
 * Leaves a suggested object with as little effect as it can have: deleted, its server would create it again (API
 * documentation, “Maintenance of suggested configuration objects”). `undefined` where that is not possible: other
 * objects, levels with flow schemas, and texts that cannot be parsed.
 */
export function withoutEffect(
  entries: DraftEntries,
  { objects, version }: { readonly objects: ObjectSet; readonly version: string },
  ref: ObjectRef,
): DraftEntries | undefined {
  const isUsed = objects.schemas.some(({ spec }) => spec.priorityLevelConfiguration.name === ref.name)
  if (!isSuggested(ref.kind, ref.name, version) || (ref.kind === 'PriorityLevelConfiguration' && isUsed))
    return undefined
  const [path, value] =
    ref.kind === 'FlowSchema' ? [['spec', 'rules'], []] : [['spec', 'limited', 'nominalConcurrencyShares'], 0]
  const kept = editManifest(
    textOf(entries, objects, ref) ?? '',
    ['metadata', 'annotations', AUTOUPDATE_ANNOTATION],
    'false',
  )
  const idle = kept.ok ? editManifest(kept.text, path, value) : kept
  return idle.ok ? withText(entries, objects, ref, idle.text) : undefined
}
