import { useEffect, useMemo, useState } from 'react'
import type { PermissionReport, ServerHealth } from '../../core/contract/source.ts'
import { client } from './client.ts'
import { useConnected } from './connection.ts'

/** Health of one server of the connected source. */
export function useHealth(server: string | undefined): ServerHealth | undefined {
  return useConnected()?.servers.find((entry) => entry.id === server)
}

/** The permission report of one server, asked for once when it is needed to show a fix. */
export function usePermissionReport(server: string, needed: boolean): PermissionReport | undefined {
  const [report, setReport] = useState<PermissionReport>()
  const spec = useConnected()?.spec
  const target = useMemo(() => (spec?.kind === 'scrape' ? spec.target : undefined), [spec])
  useEffect(() => {
    if (!needed || target === undefined) return undefined
    let gone = false
    client()
      .call('sources.permissions', { target })
      .then(
        (reports) => !gone && setReport(reports.find((entry) => entry.server === server) ?? reports[0]),
        // Without a report the pane still says which call was refused.
        () => undefined,
      )
    return () => {
      gone = true
    }
  }, [server, needed, target])
  return report
}
