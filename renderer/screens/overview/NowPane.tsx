import { useMemo } from 'react'
import { Button } from '../../components/Button.tsx'
import { useDump } from '../../state/dumps.ts'
import { NowLine } from '../../components/NowLine.tsx'
import { actionLabel, perform } from './actions.ts'
import { busiestFlow } from './busiestFlow.ts'
import { needAttention } from './levelRows.ts'
import { nowLine, type NowServer, type NowStatement } from './nowLine.ts'
import styles from './overview.module.css'

/** The worst true statement, with what can be done about it. */
export function NowPane(props: { readonly statement: NowStatement; readonly onShowServer: (server: string) => void }) {
  const { statement, onShowServer } = props
  const { title, evidence, level, actions, tone } = statement
  return (
    <div className={styles['now']}>
      <NowLine
        title={title}
        {...(evidence === undefined ? {} : { evidence })}
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

/** The worst true statement about one server; debug dumps are read only while a level is in trouble. */
export function ServerNow(props: { readonly now: NowServer; readonly onShowServer: (server: string) => void }) {
  const { now, onShowServer } = props
  const level = needAttention(now.rows)[0]?.name
  const dump = useDump(level === undefined ? undefined : now.id, level)
  const flow = useMemo(() => (level === undefined ? undefined : busiestFlow(dump, level)), [dump, level])
  return <NowPane statement={nowLine([{ ...now, flow }])} onShowServer={onShowServer} />
}
