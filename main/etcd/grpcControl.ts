import { constants, createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { type ErrorCode, ProblemError, toProblem } from '../../core/contract/errors.ts'
import { isMap, type Json, type JsonMap, toJson } from '../../core/manifest/json.ts'
import { KINDS } from '../../core/qos/document.ts'
import { keepRoom, LOOPBACK, quickAnswers } from '../listen/connections.ts'
import { closable, listen } from '../proxy/listen.ts'
import { answer, isOver } from './call.ts'
import { PROTO } from './etcdqospb.ts'
import type { Management } from './management.ts'
import { FirstMessage, framed } from './messages.ts'
import { METHODS, SERVICE, startMonitor } from './methods.ts'
import { ProtoFile } from './protobuf.ts'

const proto = new ProtoFile(PROTO)

const UNIMPLEMENTED = 12
const INTERNAL = 13
/** gRPC codes by problem code. */
const CODES: Readonly<Partial<Record<ErrorCode, number>>> = {
  'invalid-input': 3,
  'not-found': 5,
  'too-large': 8,
  throttled: 8,
  forbidden: 9,
  unsupported: 9,
  'unknown-procedure': UNIMPLEMENTED,
  unauthorized: 16,
}

const MOST_CONNECTIONS = 64
const MOST_MESSAGE_BYTES = 16 * 1024 * 1024
const SESSION_MEGABYTES = 32
/** A monitor whose reader is this far behind misses records. */
const MOST_UNREAD_BYTES = 1024 * 1024

export interface GrpcControl {
  /** `127.0.0.1:2382`. */
  readonly address: string
  close(): Promise<void>
}

export interface GrpcControlOptions {
  /** 0 selects a free port. */
  readonly port: number
  readonly management: Management
  readonly isToken: (given: string) => boolean
}

/**
 * The management API of a proxy over gRPC, on loopback, without TLS: the functions of `methods.ts`, with messages of
 * `etcdqospb.ts`. Callers send the token as the metadata `authorization: Bearer TOKEN`. Rejects with the error of
 * `listen`.
 */
export async function startGrpcControl({ port, management, isToken }: GrpcControlOptions): Promise<GrpcControl> {
  const server = createServer({
    maxSessionMemory: SESSION_MEGABYTES,
    settings: { maxConcurrentStreams: MOST_CONNECTIONS },
  })
  // A connection without a token is closed soon; the others belong to the user.
  const room = keepRoom(server, { limits: quickAnswers(MOST_CONNECTIONS) })
  server.on('sessionError', () => undefined)
  server.on('session', (session) => {
    session.on('error', () => session.destroy())
    session.on('stream', (stream, headers) => {
      stream.on('error', () => undefined)
      const authorized = isToken((headers.authorization ?? '').replace(/^Bearer /, ''))
      if (authorized) room.release(session.socket)
      serve(stream, headers, authorized ? management : undefined)
    })
  })
  const close = closable(server)
  const bound = await listen(server, LOOPBACK, port)
  return { address: `${LOOPBACK}:${bound}`, close }
}

/** `management` is absent for a caller that is not authorized. */
function serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, management: Management | undefined): void {
  if (headers['content-type']?.startsWith('application/grpc') !== true) {
    stream.respond({ ':status': 415 }, { endStream: true })
    stream.resume()
    return
  }
  const name = nameOf(headers[':path'] ?? '')
  const rpc = proto.rpcs.get(name)
  if (management === undefined)
    return fail(
      stream,
      new ProblemError(
        'unauthorized',
        'The token is wrong; send authorization: Bearer TOKEN with the token from the file of the proxy in the state folder.',
      ),
    )
  if (rpc === undefined)
    return fail(
      stream,
      new ProblemError(
        'unknown-procedure',
        `There is no method ${headers[':path'] ?? ''}; apf-console qos proto lists those of ${SERVICE.slice(1, -1)}.`,
      ),
    )
  const first = new FirstMessage(MOST_MESSAGE_BYTES)
  let read = false
  const carryOut = (): void => {
    if (read) return
    read = true
    Promise.resolve()
      .then(() => {
        const input = inputOf(first, rpc.input)
        return rpc.stream ? monitor(stream, management, input, rpc.output) : unary(stream, management, name, input)
      })
      .catch((error: unknown) => fail(stream, error))
  }
  stream.on('data', (chunk: Buffer) => {
    if (!read && first.push(chunk)) carryOut()
  })
  stream.once('end', carryOut)
}

/** The method in a path of our service; empty for any other path. */
const nameOf = (path: string): string => (path.startsWith(SERVICE) ? path.slice(SERVICE.length) : '')

function inputOf(first: FirstMessage, message: string): JsonMap {
  const found = first.read()
  if (found === undefined) throw new ProblemError('invalid-input', 'The request is no whole message of at most 16 MiB.')
  if (found.compressed) throw new ProblemError('unknown-procedure', 'Compressed requests are not supported.')
  try {
    return proto.decode(message, found.payload)
  } catch {
    throw new ProblemError('invalid-input', `The request is no etcdqospb.${message}.`)
  }
}

async function unary(stream: ServerHttp2Stream, management: Management, name: string, input: JsonMap): Promise<void> {
  const handler = METHODS[name]
  const output = proto.rpcs.get(name)?.output
  if (handler === undefined || output === undefined) throw new Error(`there is no handler of ${name}`)
  const result = await handler(management, jsonInput(input))
  if (isOver(stream)) return
  begin(stream)
  stream.end(framed(proto.encode(output, jsonOutput(name, result))))
}

/** An object to write, in the form that the handlers accept: its name, its members, and `null` for members to remove. */
function jsonInput(input: JsonMap): Json {
  const written = input['class'] ?? input['rule']
  if (written === undefined || !isMap(written)) return input
  const { name = '', ...members } = written
  const cleared = Array.isArray(input['clear']) ? input['clear'].map((member) => [String(member), null]) : []
  return { name, members: { ...members, ...Object.fromEntries(cleared) } }
}

/** Lists are wrapped in a message. */
function jsonOutput(name: string, result: Json): JsonMap {
  if (isMap(result)) return result
  const list = { ClassList: KINDS.class, RuleList: KINDS.rule, Advise: 'advice' }[name]
  return list === undefined ? {} : { [list]: result }
}

function monitor(stream: ServerHttp2Stream, management: Management, input: JsonMap, output: string): void {
  const stop = startMonitor(management, input, {
    emit: (record) => {
      const message = toJson(record)
      if (isMap(message)) stream.write(framed(proto.encode(output, message)))
    },
    end: () => void stream.end(),
    behind: () => isOver(stream) || stream.writableLength > MOST_UNREAD_BYTES,
  })
  stream.once('close', stop)
  begin(stream)
}

function begin(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
}

function fail(stream: ServerHttp2Stream, error: unknown): void {
  if (isOver(stream)) return
  if (stream.headersSent) return stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  const { code, message } = toProblem(error)
  answer(stream, CODES[code] ?? INTERNAL, message)
}
