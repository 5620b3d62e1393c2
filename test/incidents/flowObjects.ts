import { builtInObjects } from '../../core/config/builtIn.ts'
import { API_VERSION } from '../../core/config/content.ts'
import type { JsonObject } from '../../core/config/jsonValues.ts'
import { AUTOUPDATE_ANNOTATION, defaultLevel, type LimitedSpec } from '../../core/config/objects.ts'
import { DEFAULT_VERSION } from '../cluster/binaries.ts'
import { level } from '../cluster/flowControl.ts'

interface Queues {
  readonly queues: number
  readonly handSize: number
  readonly length: number
}

/** A level of its own: seats by shares, and queues. */
export const queueLevel = (
  name: string,
  shares: number,
  { queues, handSize, length }: Queues,
  more: object = {},
): JsonObject =>
  level(name, {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: shares,
      lendablePercent: 0,
      borrowingLimitPercent: 0,
      limitResponse: { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: length } },
      ...more,
    },
  })

export type Subject =
  Readonly<{ user: string }> | Readonly<{ group: string }> | Readonly<{ account: string; of: string }>

const subjectObject = (subject: Subject): JsonObject =>
  'user' in subject
    ? { kind: 'User', user: { name: subject.user } }
    : 'group' in subject
      ? { kind: 'Group', group: { name: subject.group } }
      : { kind: 'ServiceAccount', serviceAccount: { namespace: subject.of, name: subject.account } }

interface Catches {
  readonly subjects: readonly Subject[]
  readonly to: string
  readonly precedence: number
  readonly by?: 'ByUser' | 'ByNamespace'
  readonly verbs?: readonly string[]
  readonly groups?: readonly string[]
  readonly resources?: readonly string[]
  readonly namespaces?: readonly string[]
}

export const flowSchema = (name: string, how: Catches): JsonObject => ({
  apiVersion: API_VERSION,
  kind: 'FlowSchema',
  metadata: { name },
  spec: {
    priorityLevelConfiguration: { name: how.to },
    matchingPrecedence: how.precedence,
    distinguisherMethod: { type: how.by ?? 'ByUser' },
    rules: [
      {
        subjects: how.subjects.map(subjectObject),
        resourceRules: [
          {
            verbs: how.verbs ?? ['*'],
            apiGroups: how.groups ?? ['*'],
            resources: how.resources ?? ['*'],
            namespaces: how.namespaces ?? ['*'],
            clusterScope: true,
          },
        ],
      },
    ],
  },
})

/** A built-in level with another spec, which the server keeps. */
export function builtInLevel(name: string, edit: (limited: LimitedSpec) => LimitedSpec): JsonObject {
  const found = builtInObjects(DEFAULT_VERSION).levels.find(({ metadata }) => metadata.name === name)
  const { limited, ...spec } = (found && defaultLevel(found).spec) ?? {}
  if (limited === undefined) throw new Error(`no limited built-in level ${name}`)
  return {
    apiVersion: API_VERSION,
    kind: 'PriorityLevelConfiguration',
    metadata: { name, annotations: { [AUTOUPDATE_ANNOTATION]: 'false' } },
    spec: { ...spec, limited: { ...edit(limited) } },
  }
}
