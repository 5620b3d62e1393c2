import type { FoundContext } from '../../../core/contract/source.ts'
import { classes } from '../../components/classes.ts'
import { Pane } from '../../components/Pane.tsx'
import styles from './Connect.module.css'

/** Contexts of the kubeconfig files of this machine. */
export function FoundContexts(props: {
  readonly found: readonly FoundContext[] | undefined
  readonly chosen: string | undefined
  readonly onChoose: (context: FoundContext) => void
}) {
  const { found, chosen, onChoose } = props
  return (
    <Pane title="Found on this machine">
      <ul className={styles['list']}>
        {found?.map((context) => (
          <li key={`${context.file} ${context.context}`} className={styles['row']}>
            <button
              type="button"
              className={styles['pick']}
              aria-pressed={chosen === context.context || (chosen === '' && context.current)}
              title={context.problem ?? context.server}
              onClick={() => onChoose(context)}
            >
              <span className={classes('mono', styles['ellipsis'])}>{context.context}</span>
              <span className={classes(styles['quiet'], context.problem !== undefined && styles['warn'])}>
                {context.problem !== undefined ? 'unusable' : context.current ? 'current' : 'kubeconfig'}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <p className={styles['caption']}>
        {found?.length === 0
          ? 'No kubeconfig was found. Name one under “Direct to kube-apiserver”.'
          : 'Names come from files here. No address is contacted until you choose it.'}
      </p>
    </Pane>
  )
}
