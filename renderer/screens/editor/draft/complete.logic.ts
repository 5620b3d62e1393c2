import type { Kind } from '../../../../core/config/objects.ts'

/** A field of a manifest, for completion: its possible content, and one sentence about it. */
interface FieldShape {
  readonly about: string
  /** Fields of a map. */
  readonly fields?: Readonly<Record<string, FieldShape>>
  readonly list?: FieldShape
  readonly values?: readonly string[]
  /** Its value is the name of a level. */
  readonly level?: true
}

const scalar = (about: string, values?: readonly string[]): FieldShape => ({
  about,
  ...(values !== undefined && { values }),
})
const words = (about: string, values: readonly string[] = ['*']): FieldShape => ({ about, list: scalar('', values) })

const METADATA: FieldShape = {
  about: 'Name and annotations.',
  fields: {
    name: scalar('Name of the object.'),
    labels: { about: 'Labels.' },
    annotations: {
      about: 'Annotations.',
      fields: {
        'apf.kubernetes.io/autoupdate-spec': scalar('Whether the server keeps the spec as built in.', [
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
    queues: scalar('Number of queues; 64 by default.'),
    handSize: scalar('Queues that a flow is dealt; 8 by default.'),
    queueLengthLimit: scalar('Maximum requests per queue; 50 by default.'),
  },
}

const SHARES = scalar('Weight of the level among all levels.')
const LENDABLE = scalar('Percent of the nominal seats that others may borrow.')

const LEVEL: FieldShape = {
  about: 'What the level is.',
  fields: {
    type: scalar('Limited; Exempt only for the level exempt.', ['Limited', 'Exempt']),
    limited: {
      about: 'Limits of the level.',
      fields: {
        nominalConcurrencyShares: SHARES,
        lendablePercent: LENDABLE,
        borrowingLimitPercent: scalar('Percent of the nominal seats that it may borrow; absent: no limit.'),
        limitResponse: {
          about: 'What happens to a request while no seat is free.',
          fields: { type: scalar('Queue or Reject.', ['Queue', 'Reject']), queuing: QUEUING },
        },
      },
    },
    exempt: {
      about: 'Fields of the level exempt.',
      fields: { nominalConcurrencyShares: SHARES, lendablePercent: LENDABLE },
    },
  },
}

const VERBS = ['*', 'get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']
const SUBJECT: FieldShape = {
  about: '',
  fields: {
    kind: scalar('Subject of the rule.', ['User', 'Group', 'ServiceAccount']),
    user: { about: 'A user.', fields: { name: scalar('Name, or * for any.') } },
    group: {
      about: 'A group.',
      fields: {
        name: scalar('Name, or * for any.', [
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
      fields: { namespace: scalar('Its namespace.'), name: scalar('Its name, or * for any.') },
    },
  },
}

const SCHEMA: FieldShape = {
  about: 'What the schema matches, and its level.',
  fields: {
    priorityLevelConfiguration: {
      about: 'The level of matching requests.',
      fields: { name: { about: 'Name of a level.', level: true } },
    },
    matchingPrecedence: scalar('1 to 10000; the lowest is evaluated first.'),
    distinguisherMethod: {
      about: 'What distinguishes flows.',
      fields: { type: scalar('ByUser or ByNamespace.', ['ByUser', 'ByNamespace']) },
    },
    rules: {
      about: 'A request matches if one of the rules matches.',
      list: {
        about: '',
        fields: {
          subjects: { about: 'Senders of the requests.', list: SUBJECT },
          resourceRules: {
            about: 'Requests of resources.',
            list: {
              about: '',
              fields: {
                verbs: words('Verbs, or *.', VERBS),
                apiGroups: words('API groups, or *; "" is the core group.', ['"*"', '""', 'apps', 'batch']),
                resources: words('Resources, or *.', ['"*"', 'pods', 'events', 'nodes', 'leases', 'secrets']),
                namespaces: words('Namespaces, or *.', ['"*"', 'kube-system', 'default']),
                clusterScope: scalar('Also requests without a namespace.', ['true', 'false']),
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

export const manifestShape = (kind: Kind): FieldShape => ({
  about: '',
  fields: {
    apiVersion: scalar('Version of the group.', ['flowcontrol.apiserver.k8s.io/v1']),
    kind: scalar('Kind of the object.', [kind]),
    metadata: METADATA,
    spec: kind === 'FlowSchema' ? SCHEMA : LEVEL,
  },
})

export interface YamlPlace {
  /** Keys from the root; entries of lists add no step. */
  readonly path: readonly string[]
  /** `value`: after the colon of the last step, or in an entry of its list. */
  readonly part: 'key' | 'value'
  /** Offset at which the word under the cursor begins. */
  readonly from: number
}

const LINE = /^( *)((?:- +)*)(?:("[^"]*"\s*|[^\s:#"'[\]{},][^:#]*):(?:\s|$))?/

/** No key or value to complete is longer; finding its beginning costs the square of this. */
const LONGEST_WORD = 300

/** A key whose value may follow at a greater indentation. */
interface Opened {
  readonly column: number
  readonly key: string
}

/**
 * The place of an offset, determined by indentation alone, so that it works while the text has errors. Supports only
 * block style and one-line lists in brackets.
 */
export function placeAt(text: string, offset: number): YamlPlace {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  const before = text.slice(start, offset)
  const [, spaces = '', dashes = '', key] = LINE.exec(before) ?? []
  const column = spaces.length + dashes.length
  const parents = openedAt(text.slice(0, start))
    .filter((one) => one.column < column)
    .map((one) => one.key)
  const word = /"[^"]*$|[^\s:,[\]{}"'-][^\s:,[\]{}]*$/.exec(before.slice(-LONGEST_WORD))?.[0] ?? ''
  const from = offset - word.length
  if (key !== undefined) return { path: [...parents, unquoted(key)], part: 'value', from }
  return { path: parents, part: dashes === '' ? 'key' : 'value', from }
}

/** Keys that are open at the end of a text, outermost first. */
function openedAt(text: string): readonly Opened[] {
  let opened: readonly Opened[] = []
  for (const line of text.split('\n')) {
    const [, spaces = '', dashes = '', key] = LINE.exec(line) ?? []
    if (key === undefined || line.trimStart().startsWith('#')) continue
    const column = spaces.length + dashes.length
    opened = [...opened.filter((one) => one.column < column), { column, key: unquoted(key) }]
  }
  return opened
}

const unquoted = (key: string): string => key.trimEnd().replace(/^"(.*)"$/, '$1')

export interface Completion {
  readonly label: string
  readonly about: string
  /** A key is followed by its colon. */
  readonly kind: 'key' | 'value'
}

export function completionsAt(shape: FieldShape, place: YamlPlace, levels: readonly string[]): readonly Completion[] {
  const field = place.path.reduce<FieldShape | undefined>((at, key) => (at?.list ?? at)?.fields?.[key], shape)
  if (field === undefined) return []
  const inner = field.list ?? field
  const keys = Object.entries(inner.fields ?? {}).map(([label, { about }]): Completion => ({
    label,
    about,
    kind: 'key',
  }))
  const values = (field.level === true ? levels : (inner.values ?? [])).map((label): Completion => ({
    label,
    about: '',
    kind: 'value',
  }))
  return place.part === 'key' ? keys : [...values, ...(field.list === undefined ? [] : keys)]
}
