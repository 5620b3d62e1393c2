import { useState, type SyntheticEvent } from 'react'
import type { FlowName } from '../../../../core/sharding/overlap.ts'
import { Button } from '../../../components/Button.tsx'
import { inputClass } from '../../../components/Field.tsx'
import styles from './sharding.module.css'

/** A flow by schema and distinguisher: a user name or a namespace. */
export function AddFlow({
  schemas,
  onAdd,
}: {
  readonly schemas: readonly string[]
  readonly onAdd: (flow: FlowName) => void
}) {
  const [schema, setSchema] = useState<string>()
  const [distinguisher, setDistinguisher] = useState('')
  const named = schema ?? schemas[0] ?? ''
  const onSubmit = (event: SyntheticEvent): void => {
    event.preventDefault()
    if (named.trim() === '') return
    onAdd({ schema: named.trim(), distinguisher })
    setDistinguisher('')
  }
  return (
    <form className={styles['add']} onSubmit={onSubmit}>
      <input
        className={inputClass}
        aria-label="Flow schema"
        placeholder="flow schema"
        list="schemas-of-level"
        autoComplete="off"
        value={named}
        onChange={({ target }) => setSchema(target.value)}
      />
      <datalist id="schemas-of-level">
        {schemas.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </datalist>
      <input
        className={inputClass}
        aria-label="Flow distinguisher: user or namespace"
        placeholder="user or namespace, as the schema tells flows apart"
        autoComplete="off"
        value={distinguisher}
        onChange={({ target }) => setDistinguisher(target.value)}
      />
      <Button type="submit" disabled={named.trim() === ''}>
        Add flow
      </Button>
    </form>
  )
}
