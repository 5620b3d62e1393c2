import { Button } from '../../components/Button.tsx'
import { NowLine } from '../../components/NowLine.tsx'
import { actionLabel, perform } from './actions.ts'
import { nowLine } from './nowLine.ts'
import type { NowServer, NowStatement } from './nowStatement.ts'
import styles from './overview.module.css'
import { useBusiestFlow } from './useBusiestFlow.ts'

/** The worst true statement, with what can be done about it. */
export function NowPane(props: { readonly statement: NowStatement; readonly onShowServer: (server: string) => void }) {
  const { statement, onShowServer } = props
  const { title, evidence, details, level, actions, tone } = statement
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
              actions: actions.map((action, index) => (
                <Button
                  key={actionLabel(action)}
                  primary={index === 0 && tone === 'trouble'}
                  onClick={() => perform(action, onShowServer)}
                >
                  {actionLabel(action)}
                </Button>
              )),
            })}
      />
    </div>
  )
}

/** The worst true statement about these servers; who causes it is read only while a level is in trouble. */
export function ServersNow(props: {
  readonly servers: readonly NowServer[]
  /** Ends the evidence. */
  readonly note?: string
  readonly onShowServer: (server: string) => void
}) {
  return <NowPane statement={nowLine(useBusiestFlow(props.servers), props.note)} onShowServer={props.onShowServer} />
}
