import type { ClientHttp2Session } from 'node:http2'
import { framed, HEAD_BYTES, MessageScanner } from '../../main/etcd/messages.ts'

// A small client of etcd for tests that count and measure: requests as bytes, one call at a time.

/** A message with fields, by their numbers: texts and bytes, or whole numbers. */
export const message = (...fields: readonly (readonly [field: number, value: string | Buffer | number])[]): Buffer =>
  framed(
    Buffer.concat(
      fields.flatMap(([field, value]) => {
        if (typeof value === 'number') return [Buffer.from([field << 3]), varint(value)]
        const bytes = Buffer.from(value)
        return [Buffer.from([(field << 3) | 2]), varint(bytes.length), bytes]
      }),
    ),
  )

function varint(value: number): Buffer {
  const bytes: number[] = []
  let left = value
  for (; left >= 0x80; left = Math.floor(left / 128)) bytes.push((left & 0x7f) | 0x80)
  return Buffer.from([...bytes, left])
}

/** A Range over a prefix. */
export const list = (prefix: string): Buffer =>
  message([1, prefix], [2, prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)])

export const put = (key: string, bytes: number): Buffer => message([1, key], [2, Buffer.alloc(bytes, 'x')])

export const login = (name: string, password: string): Buffer => message([1, name], [2, password])

export interface Answer {
  /** Of gRPC; `reset` where there was none. */
  readonly status: string
  readonly ms: number
  readonly payload: Buffer
}

export type Metadata = Readonly<Record<string, string>>

const head = (method: string, metadata: Metadata): Metadata => ({
  ':method': 'POST',
  ':path': `/etcdserverpb.${method}`,
  'content-type': 'application/grpc',
  te: 'trailers',
  ...metadata,
})

/** One call from its first byte to its end. */
export function call(
  session: ClientHttp2Session,
  method: string,
  body: Buffer,
  metadata: Metadata = {},
): Promise<Answer> {
  const began = performance.now()
  return new Promise((resolve) => {
    const stream = session.request(head(method, metadata))
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    let status = 'reset'
    const read = (headers: Readonly<Record<string, unknown>>): void => {
      if (typeof headers['grpc-status'] === 'string') status = headers['grpc-status']
    }
    stream.on('response', read)
    stream.on('trailers', read)
    stream.on('error', () => undefined)
    stream.on('close', () =>
      resolve({ status, ms: performance.now() - began, payload: Buffer.concat(chunks).subarray(HEAD_BYTES) }),
    )
    stream.end(body)
  })
}

/** Grants a lease of ten minutes and opens the stream that keeps it alive. */
export async function keepAlive(
  session: ClientHttp2Session,
  id: number,
  metadata: Metadata = {},
): Promise<{
  /** Milliseconds until etcd has kept it alive once more. Rejects when the stream is over. */
  beat(): Promise<number>
}> {
  const { status } = await call(session, 'Lease/LeaseGrant', message([1, 600], [2, id]), metadata)
  if (status !== '0') throw new Error(`the lease was not granted: ${status}`)
  const stream = session.request(head('Lease/LeaseKeepAlive', metadata))
  const scanner = new MessageScanner({})
  let answered: () => void = () => undefined
  stream.on('error', () => undefined)
  stream.on('data', (chunk: Buffer) => {
    scanner.push(chunk)
    if (scanner.whole) answered()
  })
  return {
    async beat() {
      const began = performance.now()
      await new Promise<void>((resolve, reject) => {
        answered = resolve
        stream.once('close', () => reject(new Error('the stream of keep-alives is over')))
        stream.write(message([1, id]))
      })
      stream.removeAllListeners('close')
      return performance.now() - began
    },
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms))

/** The value below which so many of a hundred are. */
export const percentile = (values: readonly number[], percent: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length * percent) / 100)] ?? Number.NaN
