import { z } from 'zod'
import {
  ETCD_MODES,
  EtcdChangeSchema,
  EtcdMonitorSchema,
  type EtcdRequest,
  JsonSchema,
  MONITOR_KINDS,
  MOST_MONITORED,
} from '../../core/contract/etcd.ts'
import { ProblemError } from '../../core/errors.ts'
import { quoted } from '../../core/config/finding.ts'
import { type Json, toJson } from '../../core/manifest/json.ts'
import { type Kind, KINDS } from '../../core/qos/document.ts'
import { RANKINGS } from '../../core/qos/traffic.ts'
import { entryOf, type Management } from './management.ts'

/** The service that the specification names (QoS specification 8), over HTTP and over gRPC. */
export const SERVICE = '/etcdqospb.QoS/'

const Nothing = z.object({})

/** Entries of each ranking in a state. */
const MOST_TOP = 10
type Handler = (management: Management, input: Json) => Promise<Json> | Json

const method =
  <S extends z.ZodType>(schema: S, carryOut: (management: Management, input: z.infer<S>) => unknown): Handler =>
  async (management, input) => {
    const read = schema.safeParse(input)
    if (!read.success) {
      const [issue] = read.error.issues
      throw new ProblemError('invalid-input', `${issue?.path.join('.') || 'The request'}: ${issue?.message ?? ''}`)
    }
    return toJson(await carryOut(management, read.data))
  }

const Named = z.object({ name: z.string() })
const Written = z.object({ name: z.string(), members: z.record(z.string(), JsonSchema) })

/** `ClassAdd` and the other methods of a class, and the same methods of a rule. */
const methodsOf = (kind: Kind, prefix: string): Readonly<Record<string, Handler>> => ({
  [`${prefix}Add`]: method(Written, (management, written) => management.change({ action: 'add', kind, ...written })),
  [`${prefix}Update`]: method(Written, (management, written) =>
    management.change({ action: 'update', kind, ...written }),
  ),
  [`${prefix}Delete`]: method(Named, (management, { name }) => management.change({ action: 'remove', kind, name })),
  [`${prefix}Get`]: method(Named, (management, { name }) => {
    const found = entryOf(management.document(), kind, name)
    if (found === undefined) throw new ProblemError('not-found', `There is no ${kind} ${quoted(name)}.`)
    return found
  }),
  [`${prefix}List`]: method(Nothing, (management) => management.document()[KINDS[kind]]),
})

/** Each method receives a JSON object and returns JSON; rejects with `ProblemError`. */
export const METHODS: Readonly<Record<string, Handler>> = {
  ...methodsOf('class', 'Class'),
  ...methodsOf('rule', 'Rule'),
  Change: method(EtcdChangeSchema, (management, change) => management.change(change)),
  Import: method(z.object({ document: z.record(z.string(), JsonSchema) }), (management, { document }) =>
    management.change({ action: 'import', document }),
  ),
  SetMode: method(z.object({ mode: z.enum(ETCD_MODES) }), (management, { mode }) =>
    management.change({ action: 'mode', mode }),
  ),
  State: method(Nothing, (management) => management.state()),
  RuleTest: method(z.record(z.string(), JsonSchema), (management, record) => management.test(record)),
  Preview: method(z.object({ change: EtcdChangeSchema.optional() }), (management, { change }) =>
    management.preview(change),
  ),
  TrackerList: method(
    z.object({ by: z.enum(RANKINGS).default('scan'), top: z.number().int().min(1).max(MOST_TOP).default(MOST_TOP) }),
    (management, { by, top }) => {
      const state = management.state()
      return { tracker: state.tracker, top: state.top[by].slice(0, top) }
    },
  ),
  Requests: method(EtcdMonitorSchema, (management, wanted) => management.requests(wanted)),
  Advise: method(Nothing, (management) => management.advise()),
  Export: method(z.object({ revision: z.number().int().optional() }), (management, { revision }) =>
    revision === undefined ? management.document() : management.documentAt(revision),
  ),
  History: method(z.object({ limit: z.number().int().min(1).max(500) }), (management, { limit }) =>
    management.history(limit),
  ),
}

export interface Monitored {
  readonly emit: (record: EtcdRequest) => void
  /** The requested number of records was emitted. */
  readonly end: () => void
  /** Whether the reader is so far behind that it misses records. */
  readonly behind: () => boolean
}

/** Emits requests as they end. Returns a function that stops it. Throws `ProblemError` for an invalid monitor. */
export function startMonitor(management: Management, input: Json, { emit, end, behind }: Monitored): () => void {
  const read = EtcdMonitorSchema.safeParse(input)
  if (!read.success || (read.data.type === undefined ? read.data.rule : read.data.threshold) === undefined)
    throw new ProblemError(
      'invalid-input',
      `A monitor has a type (${MONITOR_KINDS.join(', ')}) and a threshold of at least 0, or a rule, and a limit from 1 to ${MOST_MONITORED}.`,
    )
  const { limit, ...filter } = read.data
  let left = limit
  return management.monitor(filter, (record) => {
    if (left === 0 || behind()) return
    left -= 1
    emit(record)
    if (left === 0) end()
  })
}
