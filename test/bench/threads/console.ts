/**
 * A console without windows whose one page has all subscriptions of screens: `console.ts here|thread SPEC`, where
 * `SPEC` is the source as JSON. Prints the port on which the source takes requests, or `null`. Each line on its input
 * is answered with how long the process kept others waiting since the last one (milliseconds), and with the speed that
 * a simulation reached. The line `fast` sets its highest speed, `candidate` begins a candidate of fewer seats. Ends
 * with its input.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { builtInObjects } from '../../../core/config/builtIn.ts'
import { createClient } from '../../../core/contract/client.ts'
import { checked } from '../../../core/contract/shapes.ts'
import { CandidateWishSchema } from '../../../core/contract/live.ts'
import { serve } from '../../../core/contract/server.ts'
import { SPEED } from '../../../core/bounds.ts'
import { SourceSpecSchema } from '../../../core/contract/source.ts'
import { nsToMs } from '../../../core/units.ts'
import { systemEnvironment } from '../../../main/ports/environment.ts'
import { openInThread } from '../../../main/threads/sourceThread.ts'
import { systemAccess } from '../../../main/workspace/access.ts'
import { createWorkspace } from '../../../main/workspace/workspace.ts'
import { allNamed } from '../../harness/consent.ts'
import { memoryPorts } from '../../harness/ports.ts'

const [mode, given = ''] = process.argv.slice(2)
const spec = SourceSpecSchema.parse(JSON.parse(given))
const stateDir = mkdtempSync(path.join(tmpdir(), 'apf-console-bench-'))
process.on('exit', () => rmSync(stateDir, { recursive: true, force: true }))
const thread = openInThread({
  file: path.join(import.meta.dirname, '..', '..', '..', 'main', 'threads', 'thread.ts'),
  stateDir,
  recording: '',
  words: [],
  consent: allNamed,
})
let port: number | undefined
const workspace = createWorkspace({
  stateDir,
  environment: systemEnvironment,
  access: systemAccess('', stateDir, allNamed),
  ...(mode === 'thread' && { open: thread }),
  version: '0.0.0-bench',
  mode: 'web',
  platform: 'bench',
  warn: (sentence) => void process.stderr.write(`${sentence}\n`),
  onConnected: (source) => void ({ port } = source),
})
const page = createClient({
  ...systemEnvironment,
  reading: checked,
  connect: async () => {
    const [asking, serving] = memoryPorts()
    serve(serving, workspace.handlers, workspace)
    return asking
  },
})
const { id: connection } = await page.call('sources.connect', { spec })
let reached = 0
const ignore = (): void => undefined
page.subscribe('frames', { connection }, ignore)
page.subscribe('objects', { connection }, ignore)
page.subscribe('live', { connection }, ignore)
page.subscribe('liveState', { connection }, ignore)
page.subscribe('simulation', { connection }, ({ reachedSpeed }) => void (reached = reachedSpeed))
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()

const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`)
print(port ?? null)

async function take(line: string): Promise<void> {
  if (line === 'fast') await page.call('simulation.control', { connection, speed: SPEED.max })
  else if (line === 'candidate') {
    const wish = CandidateWishSchema.parse({ on: true, objects: builtInObjects('v1.36.3') })
    for (const { metadata, spec: of } of wish.on ? wish.objects.levels : []) {
      if (metadata.name === 'workload-low' && of.limited !== undefined) of.limited.nominalConcurrencyShares = 1
    }
    await page.call('live.candidate', { connection, wish })
  } else {
    print({ p50: nsToMs(delay.percentile(50)), p99: nsToMs(delay.percentile(99)), longest: nsToMs(delay.max), reached })
    delay.reset()
  }
}
createInterface({ input: process.stdin })
  .on('line', (line) => void take(line))
  .on('close', () => process.exit())
