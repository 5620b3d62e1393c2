/**
 * Runs what a client with very long requests fills, in a process with a small heap: `longRequestsChild.ts proxy|audit|httplog REQUESTS`.
 * Prints what is left as a line of JSON.
 */
import http from 'node:http'
import { builtInObjects } from '../../core/config/builtIn.ts'
import { AS_UPSTREAM, profileFor } from '../../core/engine/profiles.ts'
import { KEPT_REQUESTS } from '../../core/bounds.ts'
import { readAuditEvent } from '../../core/feeds/auditEvent.ts'
import { createFeedRun } from '../../core/feeds/feedRun.ts'
import { readHttpLogLine } from '../../core/feeds/httpLog.ts'
import type { FeedIdentity } from '../../core/feeds/placing.ts'
import type { RequestLog } from '../../core/live/requestLog.ts'
import { textOf } from '../../core/run/keptText.ts'
import { portOf, proxied } from '../harness/proxied.ts'

const [kind = '', count = ''] = process.argv.slice(2)
const REQUESTS = Number(count)
const long = (n: number, length = 100_000): string => `${n}-${'x'.repeat(length)}`

const report = (log: RequestLog, more: object = {}): void => {
  const rows = log.before(KEPT_REQUESTS)
  const text = rows.reduce((sum, row) => sum + textOf(row), 0)
  process.stdout.write(`${JSON.stringify({ rows: rows.length, text, url: rows[0]?.url.slice(-40), ...more })}\n`)
}

function feed(identity: FeedIdentity): void {
  const startUnixMs = Date.UTC(2026, 10, 22)
  const run = createFeedRun({
    engine: {
      maxRequestsInFlight: 400,
      maxMutatingRequestsInFlight: 200,
      profile: profileFor('v1.36.3'),
      corrections: AS_UPSTREAM,
    },
    identity,
    startUnixMs,
    kept: KEPT_REQUESTS,
    untold: 2_000,
  })
  run.configure(builtInObjects('v1.36.3'))
  for (let n = 0; n < REQUESTS; n++) {
    // All within the five seconds for which a feed holds back what may be out of order; half of them never end.
    const at = new Date(startUnixMs + n / 10)
    const record =
      identity === 'audit'
        ? readAuditEvent({
            auditID: long(n, 1_000),
            stage: n % 2 === 0 ? 'ResponseComplete' : 'RequestReceived',
            verb: 'get',
            requestURI: `/api/v1/namespaces/${long(n, 30_000)}/pods/${long(n, 30_000)}`,
            user: { username: long(n, 20_000), groups: [long(n, 10_000), long(n, 10_000)] },
            userAgent: long(n, 1_000),
            sourceIPs: ['10.0.0.1'],
            requestReceivedTimestamp: at.toISOString(),
            stageTimestamp: at.toISOString(),
            responseStatus: { code: 200 },
            annotations: { 'authorization.k8s.io/decision': 'allow' },
          })
        : readHttpLogLine(
            `I1122 00:00:0${Math.floor(n / 2_500)}.${String((n % 2_500) * 400).padStart(6, '0')}       1 httplog.go:134] "HTTP" verb="GET" URI="/api/v1/namespaces/${long(n, 50_000)}/pods?q=${long(n, 50_000)}" latency="1ms" userAgent="${long(n, 1_000)}" audit-ID="${long(n, 1_000)}" srcIP="10.0.0.1:4711" apf_pl="global-default" apf_fs="global-default" apf_iseats=1 apf_fseats=0 apf_additionalLatency="0s" apf_execution_time="1ms" resp=200`,
            startUnixMs + 10_000,
          )
    run.take([record], startUnixMs + 10_000)
  }
  run.finish()
  const { arrived, unreadable } = run.counts
  report(run.log, { arrived, unreadable })
}

/** All of them come at once, and none is answered: they wait, for as long as a busy machine takes, or are refused. */
async function proxy(): Promise<void> {
  const upstream = http.createServer({ maxHeaderSize: 200_000 }, (request) => void request.resume())
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const { run, port } = await proxied([], portOf(upstream), { seats: 10, requestSeconds: 3_600 })
  const states = { asked: 0, refused: 0 }
  const agent = new http.Agent({ keepAlive: false })
  for (let n = 0; n < REQUESTS; n++) {
    await new Promise<void>((resolve) => {
      const request = http.get({
        port,
        agent,
        path: `/api/v1/namespaces/default/pods?q=${long(n)}`,
        headers: { 'x-remote-user': `user-${n}` },
      })
      states.asked += 1
      request.on('response', (response) => {
        states.refused += 1
        response.resume()
      })
      request.on('error', () => undefined)
      request.on('finish', () => setImmediate(resolve))
    })
  }
  while (run.log.count < states.asked) await new Promise(setImmediate)
  report(run.log, { ...states, crowdedOut: run.crowdedOut })
  process.exit(0)
}

if (kind === 'proxy') await proxy()
else feed(kind === 'audit' ? 'audit' : 'httplog')
