import { useMemo } from 'react'
import { Button } from '../../components/Button.tsx'
import { NowLine } from '../../components/NowLine.tsx'
import { TryFix, useCanTry } from '../../components/TryFix.tsx'
import type { Finding } from '../../../core/contract/diagnosis.ts'
import { useFindings } from '../../state/findings.ts'
import { useDump } from '../../state/dumps.ts'
import { findingFor, likelyCause } from '../../../core/verdict/cause.ts'
import { headline } from '../../../core/verdict/headline.ts'
import { needAttention } from '../../../core/verdict/levelRows.ts'
import { withBusiest } from '../../../core/verdict/now.ts'
import type { NowServer, NowStatement } from '../../../core/verdict/levelStatements.ts'
import { actionLabel, canPerform, perform } from './actions.ts'
import { format } from '../../theme/format.ts'

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
    <NowLine
      steady
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
  )
}

/** The worst true statement about these servers; its cause is read only while a level is in trouble. */
export function ServersNow(props: {
  readonly servers: readonly NowServer[]
  /** Ends the evidence. */
  readonly note?: string
  readonly onShowServer: (server: string) => void
}) {
  const worst = needAttention(props.servers.flatMap(({ rows }) => rows))[0]
  const dump = useDump(worst?.server, worst?.name)
  const seen = useMemo(
    () => props.servers.map((one) => (one.id === worst?.server ? withBusiest(one, dump) : one)),
    [props.servers, worst?.server, dump],
  )
  const findings = useFindings(worst !== undefined)
  const cause = likelyCause(findings)
  const servers = cause === undefined ? seen : seen.map((one) => ({ ...one, cause }))
  const statement = headline(servers, format, props.note)
  const [server] = servers.length === 1 ? servers : []
  const remedy = findingFor(findings, { server: server?.id, level: statement.level })?.remedy
  return <NowPane statement={statement} onShowServer={props.onShowServer} remedy={remedy} />
}
