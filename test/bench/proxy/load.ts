/**
 * A client that does little itself: `load.ts PORT PROTOCOL rate RATE SECONDS LINES` sends at a rate, whatever comes
 * back; `load.ts PORT PROTOCOL count REQUESTS LINES` sends as fast as the answers come. `PROTOCOL` is `http1`, or the
 * folder of the certificate that HTTP/2 trusts. Prints one line of JSON; ends with its input.
 */
import { readAuthority } from './certificate.ts'
import { http1Lines } from './http1Line.ts'
import { http2Lines } from './http2Line.ts'
import type { Answered, Line } from './line.ts'

const [port = '', protocol = 'http1', mode, ...numbers] = process.argv.slice(2)
const [first = 0, second = 0, third = 0] = numbers.map(Number)

function makeLines(count: number, answered: Answered): readonly Line[] {
  const make =
    protocol === 'http1'
      ? http1Lines(Number(port), answered)
      : http2Lines(Number(port), readAuthority(protocol), answered)
  return Array.from({ length: count }, make)
}

async function atRate(rate: number, seconds: number, count: number): Promise<Record<string, unknown>> {
  const times: number[] = []
  let failed = 0
  let late = 0
  const idle: Line[] = []
  const lines = makeLines(count, (line, ms, ok) => {
    if (ok) times.push(ms)
    else failed += 1
    idle.push(line)
  })
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
  return { requests: sorted.length, failed, late, p50: at(0.5), p90: at(0.9), p99: at(0.99) }
}

async function asFast(requests: number, count: number): Promise<Record<string, unknown>> {
  let sent = 0
  let served = 0
  const over = Promise.withResolvers<void>()
  const lines = makeLines(count, (line, _ms, ok) => {
    if (!ok) return over.reject(new Error('a request was not answered 200'))
    served += 1
    if (sent < requests) line.send(sent++)
    else if (served >= requests) over.resolve()
  })
  await Promise.all(lines.map(({ ready }) => ready))
  const started = performance.now()
  for (const line of lines) line.send(sent++)
  await over.promise
  const perSecond = served / ((performance.now() - started) / 1_000)
  lines.forEach((line) => line.end())
  return { requests: served, perSecond }
}

// The caller has ended: nothing waits for the result.
process.stdin.on('end', () => process.exit()).resume()
const result = mode === 'rate' ? await atRate(first, second, third) : await asFast(first, second)
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit())
