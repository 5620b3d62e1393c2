import { type ClientHttp2Session, connect } from 'node:http2'

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

/** Milliseconds of each request, sent at a steady pace whatever the answers do. */
export async function paced(url: string, perSecond: number, seconds: number): Promise<readonly number[]> {
  const opened = await session(url)
  const took: number[] = []
  const under: Promise<void>[] = []
  const started = performance.now()
  for (let sent = 0; sent < perSecond * seconds;) {
    const due = Math.min(perSecond * seconds, ((performance.now() - started) / 1_000) * perSecond)
    for (; sent < due; sent++) {
      const at = performance.now()
      under.push(getKey(opened).then(() => void took.push(performance.now() - at)))
    }
    // A pace that spins would take a processor from those that are measured.
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await Promise.all(under)
  opened.destroy()
  return took
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
