import { useId, useState } from 'react'
import type { FieldPath } from '../../../../core/manifest/json.ts'
import { monoInputClass } from '../../../components/Field.tsx'
import { FindingLines } from './formParts.tsx'
import { readTokens, tokensText } from './rules.logic.ts'
import type { ObjectForm } from './useObjectForm.ts'
import styles from './form.module.css'

/** A list of words: verbs, groups, resources. What is being typed stays as typed; the list in the text follows it. */
export function TokenField(props: {
  readonly form: ObjectForm
  readonly path: FieldPath
  readonly label: string
  /** API groups, of which one has an empty name. */
  readonly groups?: boolean
}) {
  const { form, path, label, groups = false } = props
  const id = useId()
  const said = tokensText(form.at(path))
  const [typed, setTyped] = useState(said)
  // Somebody else changed the text: undo, the YAML.
  const follows = JSON.stringify(readTokens(typed, groups)) === JSON.stringify(readTokens(said, groups))
  const findings = form.findings(path, true)
  const error = findings.some(({ severity }) => severity === 'error')
  return (
    <div className={styles['tokens']}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={monoInputClass}
        aria-invalid={error ? true : undefined}
        autoComplete="off"
        spellCheck={false}
        readOnly={form.readOnly}
        value={follows ? typed : said}
        onChange={({ target }) => {
          setTyped(target.value)
          form.set(path, readTokens(target.value, groups))
        }}
      />
      <FindingLines findings={findings} />
    </div>
  )
}
