import { Button } from '../../components/Button.tsx'
import { NowLine } from '../../components/NowLine.tsx'
import { actionLabel, perform } from './actions.ts'
import type { NowStatement } from './nowLine.ts'
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
