import { createServer } from 'node:net'
import { type ErrorCode, ProblemError, toProblem } from '../../core/errors.ts'
import { isMap, type Json, type JsonMap, toJson } from '../../core/manifest/json.ts'
import { KINDS } from '../../core/qos/document.ts'
import { keepRoom, quickAnswers } from '../listen/connections.ts'
import { LOOPBACK } from '../../core/live/proxyReach.ts'
import { closable, listen } from '../proxy/listen.ts'
import { answer } from './call.ts'
import { PROTO } from './etcdqospb.ts'
import { acceptSession, type CallerEvents, type CallerStream, type Headers, INTERNAL_ERROR } from './http2.ts'
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
const SESSION = { maxSessionMemory: 32, settings: { maxConcurrentStreams: MOST_CONNECTIONS } }
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
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    acceptSession(socket, SESSION, {
      call(stream, headers) {
        const authorized = isToken((headers.authorization ?? '').replace(/^Bearer /, ''))
        if (authorized) room.release(socket)
        serve(stream, headers, authorized ? management : undefined)
      },
      opened: () => undefined,
      pinged: () => undefined,
      closed: () => undefined,
    })
  })
  // A connection without a token is closed soon; the others belong to the user.
  const room = keepRoom(server, { limits: quickAnswers(MOST_CONNECTIONS) })
  const close = closable(server)
  const bound = await listen(server, LOOPBACK, port)
  return { address: `${LOOPBACK}:${bound}`, close }
}

/** `management` is absent for a caller that is not authorized. */
function serve(stream: CallerStream, headers: Headers, management: Management | undefined): void {
  const call = new ControlCall(stream, headers[':path'] ?? '', management)
  stream.listen(call)
  if (headers['content-type']?.startsWith('application/grpc') === true) call.begin()
  else stream.respond({ ':status': 415 }, true)
}

class ControlCall implements CallerEvents {
  readonly #stream: CallerStream
  readonly #path: string
  readonly #management: Management | undefined
  readonly #first = new FirstMessage(MOST_MESSAGE_BYTES)
  #stop: (() => void) | undefined
  #read = false

  constructor(stream: CallerStream, path: string, management: Management | undefined) {
    this.#stream = stream
    this.#path = path
    this.#management = management
  }

  begin(): void {
    if (this.#management === undefined)
      return fail(
        this.#stream,
        new ProblemError(
          'unauthorized',
          'The token is wrong; send authorization: Bearer TOKEN with the token from the file of the proxy in the state folder.',
        ),
      )
    if (!proto.rpcs.has(nameOf(this.#path)))
      return fail(
        this.#stream,
        new ProblemError(
          'unknown-procedure',
          `There is no method ${this.#path}; apf-console qos proto lists those of ${SERVICE.slice(1, -1)}.`,
        ),
      )
    this.#stream.read()
  }

  received(chunk: Buffer): void {
    if (!this.#read && this.#first.push(chunk)) this.receivedAll()
  }

  receivedAll(): void {
    const name = nameOf(this.#path)
    const rpc = proto.rpcs.get(name)
    const management = this.#management
    if (this.#read || rpc === undefined || management === undefined) return
    this.#read = true
    const carryOut = async (): Promise<void> => {
      const input = inputOf(this.#first, rpc.input)
      if (!rpc.stream) return unary(this.#stream, management, name, input)
      this.#stop = monitor(this.#stream, management, input, rpc.output)
      if (this.#stream.gone) this.#stop()
    }
    carryOut().catch((error: unknown) => fail(this.#stream, error))
  }

  callerDrained(): void {}

  callerClosed(): void {
    this.#stop?.()
  }
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

async function unary(stream: CallerStream, management: Management, name: string, input: JsonMap): Promise<void> {
  const handler = METHODS[name]
  const output = proto.rpcs.get(name)?.output
  if (handler === undefined || output === undefined) throw new Error(`there is no handler of ${name}`)
  const result = await handler(management, jsonInput(input))
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

/** Returns a function that stops it. */
function monitor(stream: CallerStream, management: Management, input: JsonMap, output: string): () => void {
  const stop = startMonitor(management, input, {
    emit: (record) => {
      const message = toJson(record)
      if (isMap(message)) stream.write(framed(proto.encode(output, message)))
    },
    end: () => stream.end(),
    behind: () => stream.gone || stream.unsent > MOST_UNREAD_BYTES,
  })
  begin(stream)
  return stop
}

function begin(stream: CallerStream): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' })
  stream.trailers({ 'grpc-status': '0' })
}

function fail(stream: CallerStream, error: unknown): void {
  if (stream.responded) return stream.reset(INTERNAL_ERROR)
  const { code, message } = toProblem(error)
  answer(stream, CODES[code] ?? INTERNAL, message)
}
