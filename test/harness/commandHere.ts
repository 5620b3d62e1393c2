import { homedir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createOutput } from '../../main/cli/console.ts'
import { run } from '../../main/cli/run.ts'
import { createConsent } from '../../main/cluster/consent.ts'
import { namedByOperator } from '../../main/cluster/namedByOperator.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { openInThread } from '../../main/threads/sourceThread.ts'
import { whatIfInThread } from '../../main/threads/whatIf.ts'
import { systemAccess } from '../../main/workspace/access.ts'
import { stateFolder } from '../../main/workspace/stateFolder.ts'
import type { Finished } from './command.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Told only where the machine is busy; in `progress` instead of in what a command told. */
const PROGRESS = /, about \d+ s left\.\n$/
export const progress: string[] = []

/**
 * Runs a command to its end in this process, without any input. A process of its own takes seconds to start on a busy
 * machine, which tests of many command lines would wait for again and again.
 */
export async function runHere(...args: readonly string[]): Promise<Finished> {
  let output = ''
  let told = ''
  const stateDir = stateFolder(process.platform, homedir(), process.env)
  const consent = createConsent({
    named: namedByOperator(args, process.env),
    operator: undefined,
    now: () => systemEnvironment.now(),
  })
  const end = new AbortController()
  const recording = join(ROOT, 'assets/demo/recording.ndjson.br')
  const code = await run(args, {
    environment: systemEnvironment,
    access: systemAccess(recording, stateDir, consent),
    openSource: openInThread({
      file: join(ROOT, 'main/threads/thread.ts'),
      stateDir,
      recording,
      words: args,
      consent,
    }),
    whatIf: whatIfInThread({
      file: join(ROOT, 'main/threads/whatIfThread.ts'),
      scenarioFolder: join(ROOT, 'assets/scenarios'),
    }),
    version: '0.0.0',
    program: 'apf-console',
    pageRoot: join(ROOT, 'out/renderer'),
    scenarioFolder: join(ROOT, 'assets/scenarios'),
    stateDir,
    platform: process.platform,
    signal: end.signal,
    ...createOutput(
      (text) => void (output += text),
      (text) => {
        if (PROGRESS.test(text)) progress.push(text)
        else told += text
      },
    ),
    readStdin: () => Promise.resolve(Buffer.alloc(0)),
    stdin: () => Readable.from([]),
    openBrowser: () => undefined,
    printsToTerminal: false,
    renewal: { ways: [], listen: () => undefined },
    runtimeDir: undefined,
  })
  end.abort()
  return { code, output, told }
}
