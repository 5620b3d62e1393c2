import { useEffect, useMemo, useState } from 'react'
import type { PermissionReport, ServerHealth } from '../../core/contract/source.ts'
import { onAnswer } from './answer.ts'
import { client } from './client.ts'
import { useConnected } from './connection.ts'
import { refusalOf } from './limits.ts'
import { usePastPart } from './past.ts'

/**
 * Health of the servers of the connected source at the shown instant: for the past as it was recorded, which may cover
 * fewer servers or none. The next attempt of a past is over.
 */
export function useShownServers(): readonly ServerHealth[] {
  const present = useConnected()?.servers ?? NONE
  const moment = usePastPart((past) => past.moment)
  return useMemo(() => moment?.health.map(withoutNextTry) ?? present, [moment, present])
}
const NONE: readonly ServerHealth[] = []

function withoutNextTry(health: ServerHealth): ServerHealth {
  const { nextTryAt: _, ...rest } = health
  return rest
}

/** Health of one of them. */
export const useHealth = (server: string | undefined): ServerHealth | undefined =>
  useShownServers().find((entry) => entry.id === server)

/** The permission report of one server, read once when it is needed to show a fix. */
export function usePermissionReport(server: string, needed: boolean): PermissionReport | undefined {
  const [report, setReport] = useState<PermissionReport>()
  const spec = useConnected()?.spec
  const target = useMemo(() => (spec?.kind === 'scrape' ? spec.target : undefined), [spec])
  useEffect(() => {
    if (!needed || target === undefined || refusalOf('sources.permissions') !== undefined) return undefined
    // Without a report the pane still names the refused call.
    return onAnswer(
      () => client().call('sources.permissions', { target }),
      (reports) => setReport(reports.find((entry) => entry.server === server) ?? reports[0]),
    )
  }, [server, needed, target])
  return report
}
