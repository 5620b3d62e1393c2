import { useEffect, useMemo, useState } from 'react'
import { LOOKED_AT_MS, onAnswer } from '../../state/answer.ts'
import { ask, useConnected, showsRequests } from '../../state/connection.ts'
import { Button } from '../../components/Button.tsx'
import { NowLine } from '../../components/NowLine.tsx'
import { TryFix, useCanTry } from '../../components/TryFix.tsx'
import type { Finding } from '../../../core/contract/diagnosis.ts'
import type { LiveRequest } from '../../../core/contract/live.ts'
import { client } from '../../state/client.ts'
import { askedOf, usePastPart, useSettledMoment } from '../../state/past.ts'
import { useFindings } from '../../state/findings.ts'
import { useDump } from '../../state/dumps.ts'
import { findingFor, likelyCause } from '../../../core/verdict/cause.ts'
import { headline } from '../../../core/verdict/headline.ts'
import { busiestInDump, busiestInRequests, type BusiestFlow, needAttention } from '../../../core/verdict/levelRows.ts'
import type { NowServer, NowStatement } from '../../../core/verdict/levelStatements.ts'
import { actionLabel, canPerform, perform } from './actions.ts'
import { format } from '../../theme/format.ts'
import styles from './overview.module.css'

/** The worst true statement, with the available actions. */
export function NowPane(props: {
  readonly statement: NowStatement
  readonly onShowServer: (server: string) => void
  /** Of the first cause. */
  readonly remedy?: Finding['remedy'] | undefined
}) {
  const { statement, onShowServer, remedy } = props
  const { title, evidence, details, level, tone } = statement
  const canTry = useCanTry(remedy)
  // A third button would leave the sentence too little room.
  const actions = statement.actions.filter(canPerform).slice(0, canTry ? 1 : undefined)
  return (
    <div className={styles['now']}>
      <NowLine
        title={title}
        {...(evidence === undefined ? {} : { evidence })}
        details={details}
        level={level}
        stale={tone === 'stale'}
        {...(actions.length === 0
          ? {}
          : {
              actions: (
                <>
                  <TryFix remedy={remedy} primary />
                  {actions.map((action, index) => (
                    <Button
                      key={actionLabel(action)}
                      primary={index === 0 && tone === 'trouble' && !canTry}
                      onClick={() => perform(action, onShowServer)}
                    >
                      {actionLabel(action)}
                    </Button>
                  ))}
                </>
              ),
            })}
      />
    </div>
  )
}

/** The worst true statement about these servers; the flow that causes it is read only while a level is in trouble. */
export function ServersNow(props: {
  readonly servers: readonly NowServer[]
  /** Ends the evidence. */
  readonly note?: string
  readonly onShowServer: (server: string) => void
}) {
  const seen = useBusiestFlow(props.servers)
  // Nothing is read while all levels flow.
  const findings = useFindings(needAttention(seen.flatMap(({ rows }) => rows)).length > 0)
  const cause = likelyCause(findings)
  const servers = cause === undefined ? seen : seen.map((one) => ({ ...one, cause }))
  const statement = headline(servers, format, props.note)
  const [server] = servers.length === 1 ? servers : []
  const remedy = findingFor(findings, { server: server?.id, level: statement.level })?.remedy
  return <NowPane statement={statement} onShowServer={props.onShowServer} remedy={remedy} />
}

/** Interval between two reads of the newest requests. */
const EVERY_MS = 5_000
const NEWEST = 2_000

/**
 * The servers, the worst one with the flow that has most of the requests in its worst level; nothing is read while all
 * levels flow.
 */
function useBusiestFlow(servers: readonly NowServer[]): readonly NowServer[] {
  const worst = needAttention(servers.flatMap(({ rows }) => rows))[0]
  const [server, level] = [worst?.server, worst?.name]
  const dump = useDump(server, level)
  const byDump = useMemo(() => (level === undefined ? undefined : busiestInDump(dump, level)), [dump, level])
  const byRequests = useNewestRequests(dump?.requests === undefined ? level : undefined)
  const flow = byDump ?? byRequests
  return flow === undefined ? servers : servers.map((one) => (one.id === server ? { ...one, flow } : one))
}

/** The newest requests of a connection, or the last ones before an instant of its past. */
async function newest(
  connection: number,
  past: number | undefined,
  at: number | undefined,
): Promise<{ readonly connection: number; readonly requests: readonly LiveRequest[] }> {
  if (past === undefined || at === undefined) return ask('live.page', { count: NEWEST })
  const { requests } = await client().call('past.requests', { connection: past, at, count: NEWEST })
  return { connection, requests }
}

/** From single requests, where the source shows them and no dump does. */
function useNewestRequests(level: string | undefined): BusiestFlow | undefined {
  const connected = useConnected()
  const past = usePastPart(askedOf)
  const instant = useSettledMoment()?.at
  const id = connected !== undefined && !connected.still && showsRequests(connected) ? connected.id : undefined
  const [found, setFound] = useState<BusiestFlow>()
  useEffect(() => {
    if (level === undefined || id === undefined || (past !== undefined && instant === undefined)) return undefined
    return onAnswer(
      () => newest(id, past, instant),
      (page) => {
        const at = page.requests.at(-1)?.at
        setFound(at === undefined || page.connection !== id ? undefined : busiestInRequests(page.requests, level, at))
      },
      {
        ...(past === undefined ? { everyMs: EVERY_MS } : { restMs: LOOKED_AT_MS }),
        // Without them the sentence names no flow.
        onProblem: () => setFound(undefined),
      },
    )
  }, [level, id, past, instant])
  return found !== undefined && found.level === level && id !== undefined ? found : undefined
}
