import { findingFor } from '../../core/verdict/cause.ts'
import { useFindings } from '../state/findings.ts'
import styles from './States.module.css'

/** The remedies of the first causes of these levels, as the Overview and Diagnosis say them; nothing while there is none. */
export function Remedies({ levels }: { readonly levels: ReadonlySet<string> }) {
  const findings = useFindings(levels.size > 0)
  const found = Array.from(levels, (level) => findingFor(findings, { level })?.remedy.text)
  return [...new Set(found)].map(
    (text) =>
      text !== undefined && (
        <p key={text} className={styles['remedy']}>
          <b>Remedy.</b> {text}
        </p>
      ),
  )
}
