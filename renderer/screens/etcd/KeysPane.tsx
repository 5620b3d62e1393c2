import type { EtcdRule } from '../../../core/contract/etcd.ts'
import { classes } from '../../components/classes.ts'
import { Pane } from '../../components/Pane.tsx'
import { keyBars, type RequestKeys } from './keyAxis.ts'
import styles from './etcd.module.css'

const WIDTH = 1_000

/** The keys of a request beside those that rules select. */
export const KeysPane = (props: { readonly request: RequestKeys; readonly rules: readonly EtcdRule[] }) => (
  <Pane title="Keys" note="half-open intervals, in the order of their bytes">
    <dl className={styles['keys']}>
      {keyBars(props.request, props.rules).map(({ name, text, from, to, meets }) => (
        <div key={`${name} ${text}`}>
          <dt>
            {name}
            {meets !== undefined && <span className={styles['small']}>{meets ? 'meets' : 'apart'}</span>}
          </dt>
          <dd>
            <svg viewBox={`0 0 ${WIDTH} 1`} preserveAspectRatio="none" aria-hidden="true">
              <rect
                className={classes(meets === undefined ? styles['asked'] : styles[meets ? 'met' : 'apart'])}
                x={from * WIDTH}
                width={Math.max(1, (to - from) * WIDTH)}
                height={1}
              />
            </svg>
            <span className="mono">{text}</span>
          </dd>
        </div>
      ))}
    </dl>
  </Pane>
)
