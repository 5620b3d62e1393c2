/**
 * A client that does little itself: `load.ts PORT rate RATE SECONDS CONNECTIONS` sends at a rate, whatever comes back;
 * `load.ts PORT count REQUESTS CONNECTIONS` sends as fast as the answers come. Prints one line of JSON.
 */
import { connect, type Socket } from 'node:net'

const [port = '', mode, ...numbers] = process.argv.slice(2)
const [first = 0, second = 0, third = 0] = numbers.map(Number)

const request = (i: number): Buffer =>
  Buffer.from(
    [
      `GET /api/v1/namespaces/n${i % 50}/pods/one HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      `X-Remote-User: user-${i % 200}`,
      'Accept: application/json',
      'User-Agent: load',
      'Accept-Encoding: gzip',
      '',
      '',
    ].join('\r\n'),
  )
const REQUESTS = Array.from({ length: 1_000 }, (_, i) => request(i))
const OK = Buffer.from('HTTP/1.1 200')
const HEAD_END = Buffer.from('\r\n\r\n')

/** One connection with one request at a time. */
class Line {
  private readonly socket: Socket
  private readonly answered: (ms: number, ok: boolean) => void
  private sentAt = 0
  private missing = 0
  private head: Buffer = Buffer.alloc(0)
  private ok = false
  readonly ready: Promise<void>

  constructor(answered: (line: Line, ms: number, ok: boolean) => void) {
    this.answered = (ms, ok) => answered(this, ms, ok)
    this.socket = connect(Number(port), '127.0.0.1')
    this.socket.setNoDelay(true)
    this.ready = new Promise((resolve, reject) => this.socket.once('connect', resolve).once('error', reject))
    this.socket.on('data', (piece) => this.read(piece))
    this.socket.on('close', () => {
      if (this.sentAt > 0) this.answered(0, false)
    })
  }

  send(i: number): void {
    this.sentAt = performance.now()
    this.socket.write(REQUESTS[i % REQUESTS.length] ?? '')
  }

  end(): void {
    this.sentAt = 0
    this.socket.destroy()
  }

  private read(piece: Buffer): void {
    if (this.missing > 0) {
      this.missing -= piece.length
    } else {
      this.head = this.head.length === 0 ? piece : Buffer.concat([this.head, piece])
      const end = this.head.indexOf(HEAD_END)
      if (end < 0) return
      const text = this.head.toString('latin1', 0, end)
      this.ok = this.head.subarray(0, OK.length).equals(OK)
      this.missing = end + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0) - this.head.length
      this.head = Buffer.alloc(0)
    }
    if (this.missing > 0) return
    const ms = performance.now() - this.sentAt
    this.sentAt = 0
    this.answered(ms, this.ok)
  }
}

async function atRate(rate: number, seconds: number, connections: number): Promise<Record<string, unknown>> {
  const times: number[] = []
  let failed = 0
  let late = 0
  const idle: Line[] = []
  const lines = Array.from(
    { length: connections },
    () =>
      new Line((line, ms, ok) => {
        if (ok) times.push(ms)
        else failed += 1
        idle.push(line)
      }),
  )
  await Promise.all(lines.map(({ ready }) => ready))
  idle.push(...lines)
  const started = performance.now()
  let sent = 0
  await new Promise<void>((resolve) => {
    const tick = (): void => {
      const due = Math.floor(((performance.now() - started) / 1_000) * rate)
      while (sent < due) {
        const line = idle.pop()
        if (line === undefined) {
          late += 1
          break
        }
        line.send(sent++)
      }
      if (performance.now() - started < seconds * 1_000) setTimeout(tick, 1)
      else setTimeout(resolve, 200)
    }
    tick()
  })
  lines.forEach((line) => line.end())
  // The first second warms up.
  const sorted = times.slice(rate).toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { requests: sorted.length, failed, late, p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999) }
}

async function asFast(requests: number, connections: number): Promise<Record<string, unknown>> {
  let sent = 0
  let served = 0
  const lines: Line[] = []
  const over = new Promise<void>((resolve, reject) => {
    const next = (line: Line): void => {
      if (sent < requests) line.send(sent++)
      else line.end()
    }
    const answered = (line: Line, _ms: number, ok: boolean): void => {
      if (!ok) return reject(new Error('a request was not answered 200'))
      served += 1
      if (served >= requests) resolve()
      next(line)
    }
    for (let i = 0; i < connections; i++) lines.push(new Line(answered))
  })
  await Promise.all(lines.map(({ ready }) => ready))
  const started = performance.now()
  for (const line of lines) line.send(sent++)
  await over
  return { requests: served, perSecond: served / ((performance.now() - started) / 1_000) }
}

const result = mode === 'rate' ? await atRate(first, second, third) : await asFast(first, second)
process.stdout.write(`${JSON.stringify(result)}\n`)
