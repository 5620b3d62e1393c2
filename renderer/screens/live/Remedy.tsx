import type { RejectReason } from '../../../core/frame/frame.ts'
import { REASON_TEXT } from '../../components/rejectReasons.ts'
import { Term } from '../../components/Term.tsx'
import styles from './live.module.css'

/** Why requests are refused with this reason, and what helps. */
export function Remedy({ reason }: { readonly reason: RejectReason }) {
  const { cause, remedy } = REASON_TEXT[reason]
  return (
    <p className={styles['remedy']}>
      <Term id={reason}>{reason}</Term> {cause}{' '}
      <span>
        <b aria-hidden="true">→ </b>
        {remedy}
      </span>
    </p>
  )
}
