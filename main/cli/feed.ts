import { FeedSpecSchema } from '../../core/contract/live.ts'
import { createFeedSource } from '../sources/liveFeed.ts'
import type { Console, ExitCode } from './console.ts'
import { givenObjects } from './liveObjects.ts'
import { engineFields, kubeconfigOf, LIVE_OPTIONS, runLive } from './liveTraffic.ts'
import { PORTS, readNumber, UsageError, type Given, type Command } from './usage.ts'

/** What an audit log, an audit webhook or a request log tells, until it is stopped. */
export const feed: Command = {
  options: {
    ...LIVE_OPTIONS,
    'audit-file': { type: 'string' },
    'audit-webhook-port': { type: 'string' },
    httplog: { type: 'string' },
    once: { type: 'boolean' },
  },
  run: runFeed,
}

async function runFeed(given: Given, console: Console): Promise<ExitCode> {
  const cluster = kubeconfigOf(given)
  const spec = FeedSpecSchema.parse({
    kind: 'feed',
    feed: feedOf(given),
    ...(Object.keys(cluster).length > 0 && { cluster }),
    ...engineFields(given),
  })
  const { config, draft } = await givenObjects(given, console)
  const made = await createFeedSource(spec, {
    environment: console.environment,
    stateDir: console.stateDir,
    consent: console.access.consent,
    given: config,
    everyRow: given.flag('json') || draft !== undefined,
  })
  return runLive({
    given,
    console,
    spec,
    made,
    draft,
    greeting: (traffic) => [`Feed: ${traffic.state().title}`],
    ...(given.flag('once') && { over: () => made.ok && made.source.ended?.() === true }),
  })
}

function feedOf(given: Given) {
  const [audit, log] = [given.value('audit-file'), given.value('httplog')]
  const port = readNumber(given, 'audit-webhook-port', PORTS)
  const named = [audit, log, port].filter((one) => one !== undefined)
  if (named.length !== 1) {
    throw new UsageError('feed needs one of --audit-file FILE, --audit-webhook-port N and --httplog FILE.')
  }
  const follow = !given.flag('once')
  if (port !== undefined) {
    if (!follow) throw new UsageError('--once is for files: nobody knows which post of a webhook is the last.')
    return { kind: 'audit-webhook', port } as const
  }
  return audit === undefined
    ? ({ kind: 'httplog', path: log ?? '', follow } as const)
    : ({ kind: 'audit-file', path: audit, follow } as const)
}
