import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { z } from 'zod'
import { PROXY_NAME } from '../../core/contract/etcd.ts'
import { type ErrorCode, ProblemError, toProblem } from '../../core/errors.ts'
import type { Json } from '../../core/manifest/json.ts'
import { gather, readWithin, UnreadableFile, writeAtomically } from '../files/files.ts'
import { ownFolder } from '../files/ownFolder.ts'
import { listenOnLoopback, quickAnswers } from '../listen/connections.ts'
import { LOOPBACK } from '../../core/live/proxyReach.ts'
import { secretCheck } from '../listen/secrets.ts'
import { type GrpcControl, startGrpcControl } from './grpcControl.ts'
import type { Management } from './management.ts'
import { METHODS, SERVICE, startMonitor } from './methods.ts'

/** A rule set of 100 rules with 1,000 prefixes each is smaller. */
const MOST_BODY_BYTES = 16 * 1024 * 1024
const MOST_CONNECTIONS = 64
/** A monitor whose reader is this far behind misses records. */
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
const AddressSchema = z.object({
  url: z.string(),
  /** `127.0.0.1:2382`: the gRPC address of the same methods. */
  grpc: z.string().optional(),
  token: z.string(),
  pid: z.number(),
})
export type ControlAddress = z.infer<typeof AddressSchema>

export interface ControlServer {
  readonly url: string
  /** `127.0.0.1:2382`. */
  readonly grpc: string
  close(): Promise<void>
}

export interface ControlOptions {
  /** 0 selects a free port. */
  readonly port: number
  /** Port of gRPC; 0 selects a free port. */
  readonly grpcPort: number
  readonly management: Management
  /** Folder and name of the file that contains the address. */
  readonly folder: string
  readonly name: string
}

/**
 * Serves the commands of this user, on loopback. The address and a token are in a file that only this user can read.
 * Rejects with the error of `listen` when the port is in use.
 */
export async function startControl({
  port,
  grpcPort,
  management,
  folder,
  name,
}: ControlOptions): Promise<ControlServer> {
  ownFolder(folder)
  const token = randomBytes(24).toString('base64url')
  const listener = await listenOnLoopback(port, quickAnswers(MOST_CONNECTIONS))
  const isToken = secretCheck(token)
  let grpc: GrpcControl
  try {
    grpc = await startGrpcControl({ port: grpcPort, management, isToken })
  } catch (error) {
    await listener.close()
    throw error
  }
  const hosts = new Set([`${LOOPBACK}:${listener.port}`, `localhost:${listener.port}`])
  listener.server.on('request', (request, response) => {
    void answer(request, response).catch((error: unknown) => fail(response, error))
  })
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { headers, url = '' } = request
    // Rejects a foreign name that resolves to this address (DNS rebinding), and pages in a browser.
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
  const address: ControlAddress = { url, grpc: grpc.address, token, pid: process.pid }
  await writeAtomically(file, JSON.stringify(address))
  return {
    url,
    grpc: grpc.address,
    async close() {
      await rm(file, { force: true })
      await grpc.close()
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
  const stop = startMonitor(management, input, {
    emit: (record) => void response.write(`${JSON.stringify(record)}\n`),
    end: () => void response.end(),
    behind: () => response.writableLength > MOST_UNREAD_BYTES,
  })
  // No record may arrive for hours.
  if (response.socket !== null) release(response.socket)
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
export const isProxyName = (name: string): boolean => PROXY_NAME.test(name)

/** Names of the proxies that have an address file; a proxy may have ended without removing its file. */
export async function proxyNames(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder).catch(() => [])
  return files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length))
}

/** The address of a proxy; `undefined` if there is none. */
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

/** The file in which a proxy of this name keeps its rules. */
export const rulesFile = (folder: string, name: string): string => join(folder, `${name}.db`)
