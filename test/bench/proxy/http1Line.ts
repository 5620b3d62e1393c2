import { connect, type Socket } from 'node:net'
import { DIFFERENT, pathOf, userOf, type Answered, type Line } from './line.ts'

const request = (i: number, port: number): Buffer =>
  Buffer.from(
    [
      `GET ${pathOf(i)} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      `X-Remote-User: ${userOf(i)}`,
      'Accept: application/json',
      'User-Agent: load',
      'Accept-Encoding: gzip',
      '',
      '',
    ].join('\r\n'),
  )
const OK = Buffer.from('HTTP/1.1 200')
const HEAD_END = Buffer.from('\r\n\r\n')

/** Makes connections that do little themselves: requests are written beforehand, of answers only the length is read. */
export function http1Lines(port: number, answered: Answered): () => Line {
  const requests = Array.from({ length: DIFFERENT }, (_, i) => request(i, port))
  return () => new Http1Line(port, requests, answered)
}

class Http1Line implements Line {
  readonly ready: Promise<void>
  private readonly socket: Socket
  private readonly requests: readonly Buffer[]
  private readonly answered: Answered
  private sentAt = 0
  private missing = 0
  private head: Buffer = Buffer.alloc(0)
  private ok = false

  constructor(port: number, requests: readonly Buffer[], answered: Answered) {
    this.requests = requests
    this.answered = answered
    this.socket = connect(port, '127.0.0.1')
    this.socket.setNoDelay(true)
    this.ready = new Promise((resolve, reject) => this.socket.once('connect', resolve).once('error', reject))
    this.socket.on('data', (piece) => this.read(piece))
    this.socket.on('close', () => {
      if (this.sentAt > 0) this.answered(this, 0, false)
    })
  }

  send(i: number): void {
    this.sentAt = performance.now()
    this.socket.write(this.requests[i % this.requests.length] ?? '')
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
    this.answered(this, ms, this.ok)
  }
}
