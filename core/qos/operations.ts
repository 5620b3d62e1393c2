/** The vocabulary of rules, classes and requests (QoS specification 1). */

/** Logical operations, finer than gRPC methods: a Txn contains several (QoS specification 1.1). */
export const OPS = [
  'Range',
  'Put',
  'DeleteRange',
  'Txn',
  'Compact',
  'Authenticate',
  'LeaseGrant',
  'LeaseRevoke',
  'Snapshot',
  'Defragment',
  'HashKV',
  'Watch',
] as const
export type Op = (typeof OPS)[number]

/** Names of operations in etcd's own types and in the proposal. */
export const OP_ALIASES: ReadonlyMap<string, Op> = new Map([
  ['RequestRange', 'Range'],
  ['RangeRequest', 'Range'],
  ['RequestPut', 'Put'],
  ['PutRequest', 'Put'],
  ['RequestDelete', 'DeleteRange'],
  ['RequestDeleteRange', 'DeleteRange'],
  ['DeleteRequest', 'DeleteRange'],
])

/** Operations that name keys. */
export const KEYED_OPS: ReadonlySet<string> = new Set(['Range', 'Put', 'DeleteRange'])

const METHODS_BY_SERVICE: Readonly<Record<string, string>> = {
  KV: 'Range Put DeleteRange Txn Compact',
  Watch: 'Watch',
  Lease: 'LeaseGrant LeaseRevoke LeaseKeepAlive LeaseTimeToLive LeaseLeases',
  Cluster: 'MemberAdd MemberRemove MemberUpdate MemberList MemberPromote',
  Maintenance: 'Alarm Status Defragment Hash HashKV Snapshot MoveLeader Downgrade',
  Auth: 'AuthEnable AuthDisable AuthStatus Authenticate UserAdd UserGet UserList UserDelete UserChangePassword UserGrantRole UserRevokeRole RoleAdd RoleGet RoleList RoleDelete RoleGrantPermission RoleRevokePermission',
  Lock: 'Lock Unlock',
  Election: 'Campaign Proclaim Leader Observe Resign',
}

/** The gRPC methods of etcd, as `Service/Method` without the package. */
export const METHODS: readonly string[] = Object.entries(METHODS_BY_SERVICE).flatMap(([service, methods]) =>
  methods.split(' ').map((method) => `${service}/${method}`),
)

/** `KV/Range` of `/etcdserverpb.KV/Range`, as gRPC writes it. */
export const shortMethod = (written: string): string => written.replace(/^\/?(?:\w+\.)?/, '')

/** Streams that are never limited (QoS specification 10). */
export const UNLIMITED_METHODS: ReadonlySet<string> = new Set(['Watch/Watch', 'Lease/LeaseKeepAlive'])

/** The operation of a request whose operation has no name, such as MemberList. No selector can name it. */
export const OTHER = ''

/** The operation of a method, as opposed to those that a Txn contains. */
export function opOfMethod(method: string): Op | typeof OTHER {
  const name = method.slice(method.indexOf('/') + 1)
  return OPS.find((op) => op === name) ?? OTHER
}

/** Whether requests of a method can contain an operation, as a whole or as an element of a Txn. */
export const carries = (method: string, op: string): boolean =>
  opOfMethod(method) === op || (method === 'KV/Txn' && KEYED_OPS.has(op))

/** Kinds of conditions (QoS specification 1.2). */
export const CONDITION_KINDS = [
  'PercentOfStorageQuotaUsed',
  'ScanKeyNum',
  'RequestSize',
  'ResponseSize',
  'TotalTraffic',
  'RequestLatency',
] as const
export type ConditionKind = (typeof CONDITION_KINDS)[number]

export const CONDITION_ALIASES: ReadonlyMap<string, ConditionKind> = new Map([
  ['ConditionKindPercentDBQuotaUsed', 'PercentOfStorageQuotaUsed'],
  ['percentOfStorageQuotaUsed', 'PercentOfStorageQuotaUsed'],
  ['NumberOfScanKeyNum', 'ScanKeyNum'],
  ['NumberOfScanKey', 'ScanKeyNum'],
  ['numberOfScanKey', 'ScanKeyNum'],
  ['ConditionKindNumberOfScanKey', 'ScanKeyNum'],
  ['ConditionKindRequestSize', 'RequestSize'],
  ['ConditionKindResponseSize', 'ResponseSize'],
  ['ConditionKindTotalTrafficSize', 'TotalTraffic'],
  ['traffic', 'TotalTraffic'],
  ['ConditionKindRequestLatency', 'RequestLatency'],
  ['latency', 'RequestLatency'],
])

/** Kinds whose value is only known when the call has ended, and predicted before. */
export const PREDICTED_KINDS: ReadonlySet<ConditionKind> = new Set([
  'ScanKeyNum',
  'ResponseSize',
  'TotalTraffic',
  'RequestLatency',
])

/** Costs that a class can count (QoS specification 1). */
export const COSTS = [
  'requests',
  'failedRequests',
  'requestBytes',
  'totalBytes',
  'scannedKeys',
  'wallTimeMs',
  'cpuTimeMs',
] as const
export type CostKind = (typeof COSTS)[number]

/** Costs that are predicted, and corrected when the call has ended. */
export const PREDICTED_COSTS: ReadonlySet<CostKind> = new Set(['totalBytes', 'scannedKeys', 'wallTimeMs', 'cpuTimeMs'])
