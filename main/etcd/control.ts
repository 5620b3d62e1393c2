import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { z } from 'zod'
import { ETCD_MODES, EtcdChangeSchema, type EtcdRequest, JsonSchema } from '../../core/contract/etcd.ts'
import { type ErrorCode, ProblemError, toProblem } from '../../core/contract/errors.ts'
import { quoted } from '../../core/config/finding.ts'
import { type Json, toJson } from '../../core/manifest/json.ts'
import { type Kind, KINDS } from '../../core/qos/document.ts'
import { MONITOR_KINDS } from '../../core/qos/traffic.ts'
import { gather, readWithin, UnreadableFile, writeAtomically } from '../files/files.ts'
import { listenOnLoopback, LOOPBACK, quickAnswers } from '../listen/connections.ts'
import { secretCheck } from '../listen/secrets.ts'
import { entryOf, type Management } from './management.ts'

/** The service that the specification names (QoS specification 8); each method is one POST with a JSON object. */
export const SERVICE = '/etcdqospb.QoS/'

const Nothing = z.object({})

/** Most records of one monitor (QoS specification 8). */
export const MOST_MONITORED = 99
export const MonitorSchema = z.object({
  type: z.enum(MONITOR_KINDS),
  threshold: z.number().nonnegative(),
  limit: z.number().int().min(1).max(MOST_MONITORED),
})

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

/** `ClassAdd` and the others of a class, and the same of a rule. */
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

const METHODS: Readonly<Record<string, Handler>> = {
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
  Advise: method(Nothing, (management) => management.advise()),
  Export: method(z.object({ revision: z.number().int().optional() }), (management, { revision }) =>
    revision === undefined ? management.document() : management.documentAt(revision),
  ),
  History: method(z.object({ limit: z.number().int().min(1).max(500) }), (management, { limit }) =>
    management.history(limit),
  ),
}

/** A rule set of 100 rules with 1,000 prefixes each is smaller. */
const MOST_BODY_BYTES = 16 * 1024 * 1024
const MOST_CONNECTIONS = 64
/** A monitor whose reader is so far behind misses records. */
const MOST_UNREAD_BYTES = 1024 * 1024

const STATUSES: Readonly<Partial<Record<ErrorCode, number>>> = {
  'invalid-input': 400,
  unauthorized: 401,
  forbidden: 409,
  'not-found': 404,
  'unknown-procedure': 404,
  'too-large': 413,
  unsupported: 501,
}

/** What a command needs to reach a proxy. */
const AddressSchema = z.object({ url: z.string(), token: z.string(), pid: z.number() })
export type ControlAddress = z.infer<typeof AddressSchema>

export interface ControlServer {
  readonly url: string
  close(): Promise<void>
}

export interface ControlOptions {
  /** 0 takes a free one. */
  readonly port: number
  readonly management: Management
  /** Folder and name under which the address is found. */
  readonly folder: string
  readonly name: string
}

/**
 * Answers the commands of this user, on loopback. Its address and a token stand in a file that only this user can read.
 * Rejects with the error of `listen` when the port is taken.
 */
export async function startControl({ port, management, folder, name }: ControlOptions): Promise<ControlServer> {
  const token = randomBytes(24).toString('base64url')
  const listener = await listenOnLoopback(port, quickAnswers(MOST_CONNECTIONS))
  const isToken = secretCheck(token)
  const hosts = new Set([`${LOOPBACK}:${listener.port}`, `localhost:${listener.port}`])
  listener.server.on('request', (request, response) => {
    void answer(request, response).catch((error: unknown) => fail(response, error))
  })
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { headers, url = '' } = request
    // A foreign name that resolves to this address (DNS rebinding) stops here, and so does a page in a browser.
    if (!hosts.has(headers.host ?? '') || headers.origin !== undefined)
      throw new ProblemError('unauthorized', 'Only commands on this machine are answered here.')
    if (!isToken((headers.authorization ?? '').replace(/^Bearer /, '')))
      throw new ProblemError(
        'unauthorized',
        'The token is wrong; it stands in the file of the proxy in the state folder.',
      )
    if (!listener.room.admit(request, response))
      throw new ProblemError('throttled', 'Too many requests at once; try again.')
    if (request.method !== 'POST' || !url.startsWith(SERVICE))
      throw new ProblemError('unknown-procedure', `Methods are called as POST ${SERVICE}METHOD.`)
    const input = await bodyOf(request)
    const wanted = url.slice(SERVICE.length)
    if (wanted === 'Monitor') return monitor(management, input, (socket) => listener.room.release(socket), response)
    const handler = Object.hasOwn(METHODS, wanted) ? METHODS[wanted] : undefined
    if (handler === undefined) throw new ProblemError('unknown-procedure', `There is no method ${SERVICE}${wanted}.`)
    send(response, 200, await handler(management, input))
  }
  const file = addressFile(folder, name)
  const url = `http://${LOOPBACK}:${listener.port}`
  const address: ControlAddress = { url, token, pid: process.pid }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeAtomically(file, JSON.stringify(address))
  return {
    url,
    async close() {
      await rm(file, { force: true })
      await listener.close()
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<Json> {
  try {
    const bytes = await gather('The request', request, { mostBytes: MOST_BODY_BYTES })
    const value: Json = JSON.parse(bytes.toString('utf8') || '{}')
    return value
  } catch (error) {
    if (error instanceof UnreadableFile) throw new ProblemError('too-large', error.message)
    throw new ProblemError('invalid-input', 'The request is not JSON.')
  }
}

function monitor(
  management: Management,
  input: Json,
  release: (socket: ServerResponse['socket'] & object) => void,
  response: ServerResponse,
): void {
  const read = MonitorSchema.safeParse(input)
  if (!read.success)
    throw new ProblemError(
      'invalid-input',
      `A monitor has a type (${MONITOR_KINDS.join(', ')}), a threshold of at least 0 and a limit from 1 to ${MOST_MONITORED}.`,
    )
  const { type, threshold, limit } = read.data
  // Nothing may come for hours.
  if (response.socket !== null) release(response.socket)
  let left = limit
  const stop = management.monitor(type, threshold, (record: EtcdRequest) => {
    if (left === 0 || response.writableLength > MOST_UNREAD_BYTES) return
    left -= 1
    response.write(`${JSON.stringify(record)}\n`)
    if (left === 0) response.end()
  })
  response.once('close', stop)
  response.writeHead(200, { 'Content-Type': 'application/x-ndjson' }).flushHeaders()
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
    .end(JSON.stringify(value))
}

function fail(response: ServerResponse, error: unknown): void {
  const problem = toProblem(error)
  if (response.headersSent) response.destroy()
  else send(response, STATUSES[problem.code] ?? 500, problem)
}

const addressFile = (folder: string, name: string): string => join(folder, `${name}.json`)

/** Whether a proxy may have this name. */
export const isProxyName = (name: string): boolean => /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(name)

/** Names under which an address stands; the proxy may have ended without taking it away. */
export async function proxyNames(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder).catch(() => [])
  return files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length))
}

/** The address of a proxy; `undefined` where none stands. */
export async function addressOf(folder: string, name: string): Promise<ControlAddress | undefined> {
  try {
    const text = (await readWithin(addressFile(folder, name), { mostBytes: 64 * 1024 })).toString('utf8')
    return AddressSchema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** The folder of rules and addresses of proxies within the state folder. */
export const proxiesFolder = (stateDir: string): string => join(stateDir, 'etcd')

/** The file of the rules that a proxy of this name keeps. */
export const rulesFile = (folder: string, name: string): string => join(folder, `${name}.db`)
