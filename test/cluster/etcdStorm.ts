/**
 * A client that takes more than its share, in a process of its own, so that it does not share the thread of those that
 * are measured. `node etcdStorm.ts KIND URL SECONDS` prints how many of its calls were served, refused and neither.
 */
import { connect } from 'node:http2'
import { call, list, login, pause, put } from './etcdClient.ts'

const [kind = '', url = '', seconds = '1'] = process.argv.slice(2)
const STORMS: Readonly<
  Record<string, { readonly parallel: number; readonly next: (index: number) => [string, Buffer] }>
> = {
  lists: { parallel: 20, next: () => ['KV/Range', list('/registry/pods/')] },
  events: { parallel: 4, next: (index) => ['KV/Put', put(`/registry/events/${index}`, 5_000)] },
  passwords: { parallel: 32, next: () => ['Auth/Authenticate', login('root', 'secret')] },
}
const storm = STORMS[kind]
if (storm === undefined) throw new Error(`there is no storm ${kind}`)
const session = connect(url)
const end = performance.now() + Number(seconds) * 1_000
const counts = { served: 0, refused: 0, failed: 0 }
let index = 0
const worker = async (): Promise<void> => {
  while (performance.now() < end) {
    const { status } = await call(session, ...storm.next(index++))
    counts[status === '0' ? 'served' : status === '8' ? 'refused' : 'failed'] += 1
    // A rejected client retries, like one without any backoff, but does not spin.
    await pause(status === '8' ? 20 : kind === 'events' ? 5 : 0)
  }
}
// The first shows what such a call costs: one that is not known to be expensive is not limited, however many come at
// once.
await call(session, ...storm.next(index++))
counts.served += 1
await Promise.all(Array.from({ length: storm.parallel }, worker))
session.destroy()
process.stdout.write(JSON.stringify(counts))
