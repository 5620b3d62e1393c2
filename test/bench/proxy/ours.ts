/**
 * The proxy as the live source opens it: the engine with the built-in objects, as many rows kept as it keeps, changes
 * taken once a second. `ours.ts PORT [FOLDER]`: where the upstream listens, and where the certificate is; with it, it
 * serves HTTP/2. Prints its own port. Each line on its input is answered with the bytes of its heap and buffers and
 * with its resident memory after collection, with the requests so far, and with the occupied seats.
 */
import { createInterface } from 'node:readline'
import { ProxySpecSchema } from '../../../core/contract/live.ts'
import { KEPT_REQUESTS } from '../../../core/bounds.ts'
import { mandatoryLevels, mandatorySchemas, suggestedLevels, suggestedSchemas } from '../../../core/config/builtIn.ts'
import { AS_UPSTREAM, profileFor } from '../../../core/engine/profiles.ts'
import { RequestLog, UNTOLD } from '../../../core/live/requestLog.ts'
import { createLiveRun } from '../../../main/live/liveRun.ts'
import { openProxy } from '../../../main/proxy/open.ts'
import { collectGarbage } from '../engine/garbage.ts'
import { readCertificate } from './certificate.ts'
import { allNamed } from '../../harness/consent.ts'

const run = createLiveRun('enforce', {
  engine: {
    mode: 'priority-and-fairness',
    maxRequestsInFlight: 400,
    maxMutatingRequestsInFlight: 200,
    profile: profileFor('v1.36.3'),
    corrections: AS_UPSTREAM,
    startUnixMs: Date.now(),
  },
  clock: {
    now: () => performance.now(),
    after(ms, callback) {
      const timer = setTimeout(callback, ms)
      return () => clearTimeout(timer)
    },
  },
  log: new RequestLog(KEPT_REQUESTS, UNTOLD),
})
run.configure({ levels: [...mandatoryLevels, ...suggestedLevels], schemas: [...mandatorySchemas, ...suggestedSchemas] })
setInterval(() => run.log.takeChanges(), 1_000).unref()

const [port = '', folder] = process.argv.slice(2)
const url = `http://127.0.0.1:${port}`
const proxy = await openProxy(
  ProxySpecSchema.parse({ kind: 'proxy', upstream: { kind: 'url', url }, identity: 'headers' }),
  {
    run,
    names: { level: (uid) => uid, schema: (uid) => uid },
    now: Date.now,
    consent: allNamed,
    env: process.env,
    ...(folder !== undefined && { listen: { tls: readCertificate(folder) } }),
  },
)
const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`)
print(Number(new URL(proxy.url).port))

createInterface({ input: process.stdin })
  .on('line', () => {
    run.settle()
    const seats = run.engine.snapshot().levels.reduce((sum, { seatsInUse }) => sum + seatsInUse, 0)
    print({ bytes: collectGarbage(), rss: process.memoryUsage().rss, requests: run.log.count, seats })
  })
  .on('close', () => process.exit())
