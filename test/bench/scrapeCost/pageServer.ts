/**
 * API servers as far as a scrape sees them, in a process of their own: three, with TLS, each with pages that change
 * from scrape to scrape. Prints `{ ports, ca }` and serves until its input ends.
 */
import { answerPage, startHostileServer } from '../../harness/hostileServer.ts'
import { createAuthority } from '../../harness/hostileServerCertificates.ts'
import { createPages } from './page.ts'

const SERVERS = 3
const authority = createAuthority()
const tls = authority.issue({ name: 'api', ips: ['127.0.0.1'] })
const pages = createPages({ levels: 30, schemas: 100, bytes: 1_850_000 })

const servers = await Promise.all(
  Array.from({ length: SERVERS }, () => {
    let step = 0
    return startHostileServer({ tls, behaviour: answerPage(() => pages(step++)) })
  }),
)
process.stdout.write(`${JSON.stringify({ ports: servers.map(({ port }) => port), ca: authority.cert })}\n`)
process.stdin.resume().on('end', () => process.exit())
