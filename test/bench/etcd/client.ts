import { execFile } from 'node:child_process'
import { type ClientHttp2Session, connect } from 'node:http2'
import { promisify } from 'node:util'
import { z } from 'zod'
import { buildGo } from '../goProgram.ts'

/** A Range of one key, framed. */
const RANGE = Buffer.from([0, 0, 0, 0, 5, 0x0a, 3, 0x6b, 0x65, 0x79])

/** One Range over a session. Rejects unless it ends with OK. */
export function getKey(session: ClientHttp2Session): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/etcdserverpb.KV/Range',
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    let status: unknown
    stream.on('trailers', (headers) => {
      status = headers['grpc-status']
    })
    stream.on('error', reject)
    stream.on('close', () => (status === '0' ? resolve() : reject(new Error(`ended with ${String(status)}`))))
    stream.resume()
    stream.end(RANGE)
  })
}

export const session = (url: string): Promise<ClientHttp2Session> =>
  new Promise((resolve, reject) => {
    const opened = connect(url)
    opened.once('error', reject)
    opened.once('connect', () => resolve(opened))
  })

/** Requests at a pace: how long each took in milliseconds, and the part of them that was answered while the pace lasted. */
export interface Paced {
  readonly took: readonly number[]
  readonly reached: number
}

const PacedSchema = z.object({ took: z.array(z.number()), reached: z.number() })

/**
 * Sends at a steady pace whatever the answers do. The client is a Go program without collections of garbage: one in Node would
 * send in bursts of a millisecond, and measure its own pauses. Throws when it cannot be built.
 */
export function pacer(): (url: string, perSecond: number, seconds: number) => Promise<Paced> {
  const built = buildGo('etcd', 'pace')
  if ('problem' in built) throw new Error(built.problem)
  return async (url, perSecond, seconds) => {
    const args = ['-url', url, '-rate', String(perSecond), '-seconds', String(seconds)]
    const { stdout } = await promisify(execFile)(built.binary, args, { maxBuffer: 64 << 20 })
    const { took, reached } = PacedSchema.parse(JSON.parse(stdout))
    return { took: took.map((ns) => ns / 1e6), reached }
  }
}

/** Requests a second with so many under way. */
export async function saturated(url: string, parallel: number, seconds: number): Promise<number> {
  const opened = await session(url)
  const started = performance.now()
  let done = 0
  const worker = async (): Promise<void> => {
    while (performance.now() - started < seconds * 1_000) {
      await getKey(opened)
      done += 1
    }
  }
  await Promise.all(Array.from({ length: parallel }, worker))
  const perSecond = done / ((performance.now() - started) / 1_000)
  opened.destroy()
  return perSecond
}
