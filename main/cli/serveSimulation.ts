import { toProblem } from '../../core/contract/errors.ts'
import type { SimulatedApiServer } from '../ports/source.ts'
import { startSimulatedHttpServer } from '../simulated/httpServer.ts'
import type { Console } from './console.ts'
import { portProblem } from './portProblem.ts'

/**
 * Lets each simulated server that is connected answer over HTTP as long as it is; one after the other, because they share
 * the port. That it cannot is told and ends nothing.
 */
export function serveSimulation(
  port: number,
  { print, tell }: Pick<Console, 'print' | 'tell'>,
): (server: SimulatedApiServer, ended: AbortSignal) => void {
  let before = Promise.resolve()
  return (server, ended) => {
    before = before
      .then(() => serve(server, port, ended, print))
      .catch((error: unknown) => tell(toProblem(portProblem(error, 'serve-simulation', port)).message))
  }
}

async function serve(
  server: SimulatedApiServer,
  port: number,
  ended: AbortSignal,
  print: Console['print'],
): Promise<void> {
  if (ended.aborted) return
  const http = await startSimulatedHttpServer({ server, port })
  print([`Simulated server: ${http.url}/metrics`])
  await new Promise<void>((resolve) => {
    if (ended.aborted) resolve()
    else ended.addEventListener('abort', () => resolve(), { once: true })
  })
  await http.close()
}
