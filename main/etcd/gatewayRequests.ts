import { isMap, type Json, type JsonMap } from '../../core/manifest/json.ts'
import type { Bytes } from '../../core/qos/keys.ts'
import type { KeyOperation, RangeOptions, TxnElement } from '../../core/qos/request.ts'
import type { ReadRequest } from './requests.ts'

// The JSON gateway of etcd: each POST stands for a call of gRPC, with its message as JSON, bytes in base64.

/** Methods of gRPC by the path of the gateway after its version; those that rules cover. */
const METHODS: Readonly<Record<string, string>> = {
  'kv/range': 'KV/Range',
  'kv/put': 'KV/Put',
  'kv/deleterange': 'KV/DeleteRange',
  'kv/txn': 'KV/Txn',
  'kv/compaction': 'KV/Compact',
  'lease/grant': 'Lease/LeaseGrant',
  'lease/revoke': 'Lease/LeaseRevoke',
  'kv/lease/revoke': 'Lease/LeaseRevoke',
  'lease/timetolive': 'Lease/LeaseTimeToLive',
  'kv/lease/timetolive': 'Lease/LeaseTimeToLive',
  'lease/leases': 'Lease/LeaseLeases',
  'kv/lease/leases': 'Lease/LeaseLeases',
  'cluster/member/add': 'Cluster/MemberAdd',
  'cluster/member/remove': 'Cluster/MemberRemove',
  'cluster/member/update': 'Cluster/MemberUpdate',
  'cluster/member/list': 'Cluster/MemberList',
  'cluster/member/promote': 'Cluster/MemberPromote',
  'maintenance/alarm': 'Maintenance/Alarm',
  'maintenance/status': 'Maintenance/Status',
  'maintenance/defragment': 'Maintenance/Defragment',
  'maintenance/hash': 'Maintenance/Hash',
  'maintenance/hashkv': 'Maintenance/HashKV',
  'maintenance/snapshot': 'Maintenance/Snapshot',
  'maintenance/transfer-leadership': 'Maintenance/MoveLeader',
  'maintenance/downgrade': 'Maintenance/Downgrade',
  'auth/enable': 'Auth/AuthEnable',
  'auth/disable': 'Auth/AuthDisable',
  'auth/status': 'Auth/AuthStatus',
  'auth/authenticate': 'Auth/Authenticate',
  'auth/user/add': 'Auth/UserAdd',
  'auth/user/get': 'Auth/UserGet',
  'auth/user/list': 'Auth/UserList',
  'auth/user/delete': 'Auth/UserDelete',
  'auth/user/changepw': 'Auth/UserChangePassword',
  'auth/user/grant': 'Auth/UserGrantRole',
  'auth/user/revoke': 'Auth/UserRevokeRole',
  'auth/role/add': 'Auth/RoleAdd',
  'auth/role/get': 'Auth/RoleGet',
  'auth/role/list': 'Auth/RoleList',
  'auth/role/delete': 'Auth/RoleDelete',
  'auth/role/grant': 'Auth/RoleGrantPermission',
  'auth/role/revoke': 'Auth/RoleRevokePermission',
  'lock/lock': 'Lock/Lock',
  'lock/unlock': 'Lock/Unlock',
  'election/campaign': 'Election/Campaign',
  'election/proclaim': 'Election/Proclaim',
  'election/leader': 'Election/Leader',
  'election/observe': 'Election/Observe',
  'election/resign': 'Election/Resign',
}

/** The method that a POST to this path stands for; `undefined` for one that no rule covers. */
export function gatewayMethod(path: string): string | undefined {
  const [, called = ''] = /^\/v3(?:alpha|beta)?\/(.*)$/.exec(path) ?? []
  return Object.hasOwn(METHODS, called) ? METHODS[called] : undefined
}

/** A member that has the name of its field, or that in camel case. Throws for both: servers choose differently. */
function memberOf(map: JsonMap, name: string): Json | undefined {
  const camel = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  if (camel === name) return map[name] ?? undefined
  if (map[name] !== undefined && map[camel] !== undefined) throw new TypeError(`both ${name} and ${camel}`)
  return map[name] ?? map[camel] ?? undefined
}

function mapOf(value: Json | undefined): JsonMap {
  if (value === undefined) return {}
  if (!isMap(value)) throw new TypeError('not a message')
  return value
}

function textOf(map: JsonMap, name: string): string {
  const value = memberOf(map, name) ?? ''
  if (typeof value !== 'string') throw new TypeError(`${name} is not a text`)
  return value
}

/** As servers decode them: base64 of either alphabet, with padding or without. */
const bytesOf = (map: JsonMap, name: string): Bytes => Buffer.from(textOf(map, name), 'base64').toString('latin1')

/** Numbers of more than 53 bits are strings. */
const numberOf = (map: JsonMap, name: string): number => Number(memberOf(map, name) ?? 0)

const ORDERS = ['NONE', 'ASCEND', 'DESCEND']
const TARGETS = ['KEY', 'VERSION', 'CREATE', 'MOD', 'VALUE']

function enumOf(map: JsonMap, name: string, words: readonly string[]): number {
  const value = memberOf(map, name) ?? 0
  return typeof value === 'string' ? words.indexOf(value) : Number(value)
}

const keysOf = (map: JsonMap) => ({ key: bytesOf(map, 'key'), rangeEnd: bytesOf(map, 'range_end') })

function rangeOf(map: JsonMap): KeyOperation {
  const flag = (name: string): boolean => memberOf(map, name) === true
  const given: { -readonly [K in keyof RangeOptions]: RangeOptions[K] } = {
    limit: numberOf(map, 'limit'),
    revision: numberOf(map, 'revision'),
    sortOrder: enumOf(map, 'sort_order', ORDERS),
    sortTarget: enumOf(map, 'sort_target', TARGETS),
    serializable: flag('serializable'),
    keysOnly: flag('keys_only'),
    countOnly: flag('count_only'),
    minModRevision: numberOf(map, 'min_mod_revision'),
    maxModRevision: numberOf(map, 'max_mod_revision'),
    minCreateRevision: numberOf(map, 'min_create_revision'),
    maxCreateRevision: numberOf(map, 'max_create_revision'),
  }
  // An option that has etcd's default is absent, as in a message.
  const options: RangeOptions = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== 0 && value !== false),
  )
  return { op: 'Range', ...keysOf(map), options }
}

const putOf = (map: JsonMap): KeyOperation => ({ op: 'Put', key: bytesOf(map, 'key') })
const deleteOf = (map: JsonMap): KeyOperation => ({ op: 'DeleteRange', ...keysOf(map) })

const ELEMENTS: readonly (readonly [string, (map: JsonMap) => TxnElement])[] = [
  ['request_range', rangeOf],
  ['request_put', putOf],
  ['request_delete_range', deleteOf],
  ['request_txn', txnOf],
]

function txnOf(map: JsonMap): TxnElement {
  const branch = (name: string): TxnElement[] => {
    const elements = memberOf(map, name) ?? []
    if (!Array.isArray(elements)) throw new TypeError(`${name} is not a list`)
    return elements.flatMap((element) =>
      ELEMENTS.flatMap(([member, read]) => {
        const found = memberOf(mapOf(element), member)
        return found === undefined ? [] : [read(mapOf(found))]
      }),
    )
  }
  return { op: 'Txn', success: branch('success'), failure: branch('failure') }
}

const READERS: Readonly<Record<string, (map: JsonMap) => ReadRequest>> = {
  'KV/Range': (map) => ({ body: rangeOf(map) }),
  'KV/Put': (map) => ({ body: putOf(map) }),
  'KV/DeleteRange': (map) => ({ body: deleteOf(map) }),
  'KV/Txn': (map) => ({ body: txnOf(map) }),
  'Auth/Authenticate': (map) => ({ name: textOf(map, 'name') }),
}

/** The parts of a request that rules read. Throws for one that servers may read differently. */
export function readGatewayRequest(method: string, body: string): ReadRequest {
  const json: Json = body.trim() === '' ? {} : JSON.parse(body)
  return READERS[method]?.(mapOf(json)) ?? {}
}

/** What a response of the gateway says of its call. */
export interface GatewayResponse {
  /** Status of gRPC; empty where there is none. */
  readonly status: string
  readonly scannedKeys: number | undefined
  readonly token: string | undefined
}

/** Reads a response, of which everything is there; throws for one that is no JSON. */
export function readGatewayResponse(method: string, ok: boolean, body: string): GatewayResponse {
  const map = mapOf(JSON.parse(body))
  if (!ok)
    return {
      status: typeof map['code'] === 'number' ? String(map['code']) : '',
      scannedKeys: undefined,
      token: undefined,
    }
  const token = map['token']
  return {
    status: '0',
    scannedKeys: method === 'KV/Put' ? 1 : scannedIn(map),
    token: typeof token === 'string' ? token : undefined,
  }
}

/** Keys that a response counts, those of a Txn added up (QoS specification 5). */
function scannedIn(map: JsonMap): number {
  const responses = map['responses']
  if (!Array.isArray(responses)) return numberOf(map, 'count') + numberOf(map, 'deleted')
  return responses.reduce<number>((sum, response) => {
    const one = mapOf(response)
    const part = (name: string): number => scannedIn(mapOf(memberOf(one, name)))
    const puts = memberOf(one, 'response_put') === undefined ? 0 : 1
    return sum + puts + part('response_range') + part('response_delete_range') + part('response_txn')
  }, 0)
}
