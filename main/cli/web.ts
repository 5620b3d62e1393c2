import { join } from 'node:path'
import { toProblem } from '../../core/errors.ts'
import type { SourceSpec } from '../../core/contract/source.ts'
import { writeAddressFile, type WebServer } from '../server/webServer.ts'
import { connectFirst } from '../workspace/workspace.ts'
import type { ConnectedSource } from '../workspace/connectedSource.ts'
import { type Console, type ExitCode, problemLines, portProblem } from './console.ts'
import { texts } from './options.ts'
import { createPageConsole } from './servePages.ts'
import { cadenceFrom, simulationFrom, SOURCE_OPTIONS, sourceFrom } from './sourceOptions.ts'
import { PORTS, readNumber, UsageError, type Command, type Given } from './usage.ts'

export const web: Command = {
  options: {
    ...SOURCE_OPTIONS,
    port: { type: 'string' },
    open: { type: 'boolean' },
    ...texts('serve-simulation', 'metrics-port'),
    'all-clusters': { type: 'boolean' },
  },
  run: runWeb,
}

async function runWeb(given: Given, console: Console): Promise<ExitCode> {
  const port = readNumber(given, 'port', PORTS) ?? 0
  const simulationPort = readNumber(given, 'serve-simulation', PORTS)
  const metricsPort = readNumber(given, 'metrics-port', PORTS)
  const engines = new Set<() => Promise<string>>()
  const simulates = simulationPort === undefined ? undefined : serveSimulation(simulationPort, console)
  // Live data from the start; any source that the operator connects replaces it.
  const named = (await sourceFrom(given, true, console)) ?? simulationFrom(given)
  if (given.flag('all-clusters') && named.kind !== 'prometheus') {
    throw new UsageError('--all-clusters goes with --prometheus.')
  }
  const spec: SourceSpec = named.kind === 'prometheus' && given.flag('all-clusters') ? { ...named, fleet: true } : named
  const { workspace, serve, serveMetrics } = createPageConsole(console, {
    onConnected(source) {
      simulates?.(source)
      const { metrics } = source
      if (metrics === undefined) return
      engines.add(metrics)
      source.ended.addEventListener('abort', () => void engines.delete(metrics), { once: true })
    },
  })
  try {
    const server = await serve(port, { renewal: console.renewal.ways })
    const metrics = await (metricsPort === undefined
      ? undefined
      : serveMetrics(metricsPort, { engine: () => [...engines].at(-1)?.() }))
    // The page can be opened while the source is still connecting, and also when it cannot be connected.
    void connectFirst(workspace.handlers, spec, cadenceFrom(given, true)).catch((error: unknown) => {
      for (const line of problemLines(toProblem(error))) console.tell(line)
    })
    console.renewal.listen(() => {
      offerAddress(server, console, false).catch((error: unknown) => console.tell(toProblem(error).message))
    })
    await offerAddress(server, console, given.flag('open'))
    if (metrics !== undefined) console.print([`Metrics: ${metrics.url}`])
    const { ways } = console.renewal
    if (ways.length > 0) console.print([`For a new address, ${ways.join(', or ')}. Ctrl+C stops the console.`])
    await ended(console.signal)
    await server.close()
    await metrics?.close()
    return 0
  } finally {
    await workspace.close()
  }
}

/**
 * Gives the operator a one-time address: printed on a terminal; anywhere else, and for `--open`, in a file that only
 * this user can read. Rejects with a `ProblemError` when the file is the only way and cannot be written.
 */
async function offerAddress(server: WebServer, console: Console, opens: boolean): Promise<void> {
  const address = server.newAddress()
  if (console.printsToTerminal) console.print([`APF Console: ${address.url}`])
  if (console.printsToTerminal && !opens) return
  const folders = [...(console.runtimeDir ? [console.runtimeDir] : []), join(console.stateDir, 'web')]
  try {
    const file = await writeAddressFile(folders, address)
    if (!console.printsToTerminal) console.print([`Address file: ${file}`])
    if (opens) console.openBrowser(file)
  } catch (error) {
    if (!console.printsToTerminal) throw error
    console.tell(toProblem(error).message)
  }
}

/** Resolves once the signal is aborted. */
export const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/**
 * Serves each connected simulated server over HTTP for as long as it is connected; one after the other, because they
 * share the port. A failure is reported and ends nothing.
 */
export function serveSimulation(
  port: number,
  { print, tell }: Pick<Console, 'print' | 'tell'>,
): (source: SimulationThatServes) => void {
  let before = Promise.resolve()
  const serve = async (source: SimulationThatServes): Promise<void> => {
    if (source.serveSimulation === undefined || source.ended.aborted) return
    print([`Simulated server: ${await source.serveSimulation(port)}/metrics`])
    await ended(source.ended)
    // Settles once the port is free.
    await source.end()
  }
  return (source) => {
    before = before
      .then(() => serve(source))
      .catch((error: unknown) => tell(toProblem(portProblem(error, 'serve-simulation', port)).message))
  }
}

type SimulationThatServes = Pick<ConnectedSource, 'serveSimulation' | 'ended' | 'end'>
