import { memo, useMemo } from 'react'
import type { Classification } from '../../../../core/classify/classification.ts'
import { whatWouldChange } from '../../../../core/classify/nearby.ts'
import type { ObjectSet } from '../../../../core/config/objects.ts'
import type { RequestSample } from '../../../../core/contract/objects.ts'
import { Copy } from '../../../components/Button.tsx'
import { LevelName } from '../../../components/LevelChip.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { takeRequest } from '../../../state/request.ts'
import styles from './request.module.css'

/** Requests close to this one that other schemas take. */
export const NearbyPane = memo(function NearbyPane(props: {
  readonly objects: ObjectSet
  readonly request: RequestSample
}) {
  const { objects, request } = props
  const nearby = useMemo(() => whatWouldChange(objects, request), [objects, request])
  return (
    <Pane title="What would change the answer">
      {nearby.length === 0 ? (
        <p className={styles['remark']}>No similar request matches another schema.</p>
      ) : (
        <ul className={styles['list']}>
          {nearby.map(({ change, flowSchema, priorityLevel, request: other }) => (
            <li key={flowSchema}>
              <button
                type="button"
                className={styles['item']}
                title={`matched by ${flowSchema}`}
                onClick={() => takeRequest(other)}
              >
                <span className={styles['change']}>{change}</span>
                <span className={styles['there']}>
                  <LevelName name={priorityLevel} />
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </Pane>
  )
})

const HEADERS = [
  ['PriorityLevel-UID', 'priorityLevel'],
  ['FlowSchema-UID', 'flowSchema'],
] as const

/** The two headers by which the answer of a server tells schema and level. */
export const HeadersPane = memo(function HeadersPane({ answer }: { readonly answer: Classification }) {
  const { uids, bypasses } = answer
  return (
    <Pane title="Response headers" note="X-Kubernetes-PF-…">
      {bypasses ? (
        <p className={styles['remark']}>None: flow control does not apply to this request.</p>
      ) : (
        <dl className={styles['uids']}>
          {HEADERS.map(([name, member]) => (
            <div key={name} className={styles['pairOf']}>
              <dt>{name}</dt>
              <dd>
                {uids[member] === '' ? (
                  'not known for these objects'
                ) : (
                  <span className={styles['uid']}>
                    <span className="mono">{uids[member]}</span>
                    <Copy text={uids[member]} label="Copy" />
                  </span>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Pane>
  )
})
