import type { Kind } from '../../../../../core/config/objects.ts'

/** A field of a manifest, for completion: what may stand in it, and one sentence about it. */
export interface FieldShape {
  readonly about: string
  /** Of a map. */
  readonly fields?: Readonly<Record<string, FieldShape>>
  /** A list of such entries. */
  readonly list?: FieldShape
  readonly values?: readonly string[]
  /** Its value is the name of a level. */
  readonly level?: true
}

const text = (about: string, values?: readonly string[]): FieldShape => ({
  about,
  ...(values !== undefined && { values }),
})
const words = (about: string, values: readonly string[] = ['*']): FieldShape => ({ about, list: text('', values) })

const METADATA: FieldShape = {
  about: 'Name and annotations.',
  fields: {
    name: text('Name of the object.'),
    labels: { about: 'Labels.' },
    annotations: {
      about: 'Annotations.',
      fields: {
        'apf.kubernetes.io/autoupdate-spec': text('Whether the server keeps the spec as built in.', [
          '"true"',
          '"false"',
        ]),
      },
    },
  },
}

const QUEUING: FieldShape = {
  about: 'How requests wait.',
  fields: {
    queues: text('Number of queues; 64 by default.'),
    handSize: text('Queues that a flow is dealt; 8 by default.'),
    queueLengthLimit: text('Requests that a queue holds; 50 by default.'),
  },
}

const SHARES = text('Weight of the level among all levels.')
const LENDABLE = text('Percent of the nominal seats that others may borrow.')

const LEVEL: FieldShape = {
  about: 'What the level is.',
  fields: {
    type: text('Limited; Exempt only for the level exempt.', ['Limited', 'Exempt']),
    limited: {
      about: 'Limits of the level.',
      fields: {
        nominalConcurrencyShares: SHARES,
        lendablePercent: LENDABLE,
        borrowingLimitPercent: text('Percent of the nominal seats that it may borrow; absent: no limit.'),
        limitResponse: {
          about: 'What happens to a request that finds no seat.',
          fields: { type: text('Queue or Reject.', ['Queue', 'Reject']), queuing: QUEUING },
        },
      },
    },
    exempt: { about: 'Of the level exempt.', fields: { nominalConcurrencyShares: SHARES, lendablePercent: LENDABLE } },
  },
}

const VERBS = ['*', 'get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']
const SUBJECT: FieldShape = {
  about: '',
  fields: {
    kind: text('Who it is about.', ['User', 'Group', 'ServiceAccount']),
    user: { about: 'A user.', fields: { name: text('Name, or * for any.') } },
    group: {
      about: 'A group.',
      fields: {
        name: text('Name, or * for any.', [
          'system:authenticated',
          'system:unauthenticated',
          'system:serviceaccounts',
          'system:nodes',
          'system:masters',
        ]),
      },
    },
    serviceAccount: {
      about: 'A service account.',
      fields: { namespace: text('Its namespace.'), name: text('Its name, or * for any.') },
    },
  },
}

const SCHEMA: FieldShape = {
  about: 'What the schema matches, and where it leads.',
  fields: {
    priorityLevelConfiguration: {
      about: 'The level that it leads to.',
      fields: { name: { about: 'Name of a level.', level: true } },
    },
    matchingPrecedence: text('1 to 10000; the lowest is evaluated first.'),
    distinguisherMethod: {
      about: 'What tells flows apart.',
      fields: { type: text('ByUser or ByNamespace.', ['ByUser', 'ByNamespace']) },
    },
    rules: {
      about: 'A request matches when one of the rules does.',
      list: {
        about: '',
        fields: {
          subjects: { about: 'Who sends it.', list: SUBJECT },
          resourceRules: {
            about: 'Requests of resources.',
            list: {
              about: '',
              fields: {
                verbs: words('Verbs, or *.', VERBS),
                apiGroups: words('API groups, or *; "" is the core group.', ['"*"', '""', 'apps', 'batch']),
                resources: words('Resources, or *.', ['"*"', 'pods', 'events', 'nodes', 'leases', 'secrets']),
                namespaces: words('Namespaces, or *.', ['"*"', 'kube-system', 'default']),
                clusterScope: text('Also requests without a namespace.', ['true', 'false']),
              },
            },
          },
          nonResourceRules: {
            about: 'Requests of other paths.',
            list: {
              about: '',
              fields: {
                verbs: words('HTTP methods in lower case, or *.', ['"*"', 'get', 'head', 'post']),
                nonResourceURLs: words('Paths; * at the end for all below.', [
                  '/healthz',
                  '/livez',
                  '/readyz',
                  '/metrics',
                ]),
              },
            },
          },
        },
      },
    },
  },
}

/** The shape of a manifest of the group. */
export const manifestShape = (kind: Kind): FieldShape => ({
  about: '',
  fields: {
    apiVersion: text('Version of the group.', ['flowcontrol.apiserver.k8s.io/v1']),
    kind: text('Kind of the object.', [kind]),
    metadata: METADATA,
    spec: kind === 'FlowSchema' ? SCHEMA : LEVEL,
  },
})
