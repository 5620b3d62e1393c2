import type { MetricsServerOptions, startMetricsServer } from '../live/metricsServer.ts'
import { startWebServer, type WebServer, type WebServerOptions } from '../server/webServer.ts'
import { createWorkspace, type Workspace, type WorkspaceOptions } from '../workspace/workspace.ts'
import { portProblem, type Console } from './console.ts'

/** A workspace whose pages are served by this process. Rejects with `ProblemError` when the server cannot listen. */
export interface PageConsole {
  readonly workspace: Workspace
  readonly serve: (port: number, how: Pick<WebServerOptions, 'renewal' | 'access'>) => Promise<WebServer>
  readonly serveMetrics: (
    port: number,
    what: Pick<MetricsServerOptions, 'engine' | 'probes'>,
  ) => ReturnType<typeof startMetricsServer>
}

export function createPageConsole(console: Console, more: Pick<WorkspaceOptions, 'onConnected'> = {}): PageConsole {
  const workspace = createWorkspace({
    ...console,
    mode: 'web',
    warn: console.tell,
    open: console.openSource,
    ...more,
  })
  const { handlers, lineTo } = workspace
  const refusedPort =
    (option: string, port: number) =>
    (error: unknown): never => {
      throw portProblem(error, option, port)
    }
  return {
    workspace,
    serve: (port, how) =>
      startWebServer({ root: console.pageRoot, handlers, lineTo, port, ...how }).catch(refusedPort('port', port)),
    async serveMetrics(port, what) {
      // Loaded on first use: few consoles serve metrics of their own.
      const server = await import('../live/metricsServer.ts')
      return server
        .startMetricsServer({ port, version: console.version, ...what })
        .catch(refusedPort('metrics-port', port))
    },
  }
}
