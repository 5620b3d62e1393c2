import { connect, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2'
import { DIFFERENT, pathOf, userOf, type Answered, type Line } from './line.ts'

/** Streams that share a session: a client of Kubernetes has one for all its requests. */
const STREAMS = 16

/** Makes places for streams; every sixteenth of them opens another session. `ca` (PEM) is trusted. */
export function http2Lines(port: number, ca: string, answered: Answered): () => Line {
  const origin = `https://127.0.0.1:${port}`
  const requests = Array.from({ length: DIFFERENT }, (_, i) => request(i))
  let session: Session | undefined
  let lines = 0
  return () => {
    if (session === undefined || lines % STREAMS === 0) session = openSession(origin, ca)
    lines += 1
    return new Http2Line(session, requests, answered)
  }
}

interface Session {
  readonly session: ClientHttp2Session
  readonly ready: Promise<void>
}

function openSession(origin: string, ca: string): Session {
  const session = connect(origin, { ca })
  return {
    session,
    ready: new Promise((resolve, reject) => session.once('connect', () => resolve()).once('error', reject)),
  }
}

const request = (i: number): OutgoingHttpHeaders => ({
  ':path': pathOf(i),
  'x-remote-user': userOf(i),
  accept: 'application/json',
  'user-agent': 'load',
  'accept-encoding': 'gzip',
})

class Http2Line implements Line {
  readonly ready: Promise<void>
  private readonly session: ClientHttp2Session
  private readonly requests: readonly OutgoingHttpHeaders[]
  private readonly answered: Answered
  private over = false

  constructor({ session, ready }: Session, requests: readonly OutgoingHttpHeaders[], answered: Answered) {
    this.session = session
    this.ready = ready
    this.requests = requests
    this.answered = answered
  }

  send(i: number): void {
    const sentAt = performance.now()
    let ok = false
    const stream = this.session.request(this.requests[i % this.requests.length])
    stream.on('response', ({ ':status': status }) => (ok = status === 200))
    stream.on('end', () => this.tell(performance.now() - sentAt, ok))
    stream.on('error', () => this.tell(0, false))
    stream.resume()
  }

  end(): void {
    this.over = true
    this.session.destroy()
  }

  private tell(ms: number, ok: boolean): void {
    if (!this.over) this.answered(this, ms, ok)
  }
}
