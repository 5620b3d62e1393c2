import type { PermissionReport, Target } from '../../core/contract/source.ts'
import { openConnection } from './connection.ts'
import type { Consent } from './consent.ts'
import { permissionReport } from './permissions.ts'

export { listContexts } from './contexts.ts'

/** A report for each server of the target. Rejects with `ProblemError` when the target cannot be opened at all. */
export async function permissionReports(
  target: Target,
  consent: Consent,
  now: () => number = Date.now,
): Promise<PermissionReport[]> {
  const connection = await openConnection(target, now, { consent })
  const reach = target.kind === 'kubeconfig' ? 'cluster' : 'pages'
  try {
    return await Promise.all(connection.servers.map((server) => permissionReport(server, connection, reach, now)))
  } finally {
    connection.close()
  }
}
