import { format } from '../../theme/format.ts'
import { useState, type ReactNode } from 'react'
import { fieldOf, type FieldPath } from '../../../core/manifest/json.ts'
import { Button } from '../../components/Button.tsx'
import { FindingLines, type ScenarioForm } from './FormField.tsx'
import { findingsWithin } from './scenarioForm.logic.ts'
import styles from './scenarioEditor.module.css'

interface EntryProps {
  readonly form: ScenarioForm
  readonly path: FieldPath
  readonly name: string
  /** Its effect, in a few words; absent while that is unknown. */
  readonly does: string | undefined
  readonly isOpen: boolean
  readonly onToggle: (isOpen: boolean) => void
  readonly children: ReactNode
}

/** Open entries of a list, by index; they stay open when others before them are added or removed. */
export interface OpenEntries {
  readonly isOpen: (index: number) => boolean
  readonly set: (index: number, isOpen: boolean) => void
  /** Adds an entry at this index, open. */
  readonly insert: (index: number) => void
  readonly remove: (index: number) => void
}

const FEW = 3

/** Of a few entries the first is open at first. */
export function useOpenEntries(count: number): OpenEntries {
  const [open, setOpen] = useState<readonly number[]>(count <= FEW ? [0] : [])
  return {
    isOpen: (index) => open.includes(index),
    set: (index, isOpen) => setOpen((all) => [...all.filter((one) => one !== index), ...(isOpen ? [index] : [])]),
    insert: (index) => setOpen((all) => [...all.map((one) => (one >= index ? one + 1 : one)), index]),
    remove: (index) => setOpen((all) => all.flatMap((one) => (one === index ? [] : [one > index ? one - 1 : one]))),
  }
}

/** A collapsible group of clients or phase; shows its number of errors. */
export function Entry({ form, path, name, does, isOpen, onToggle, children }: EntryProps) {
  const problems = findingsWithin(form.scenario.findings, path).filter(({ severity }) => severity === 'error').length
  return (
    <details className={styles['entry']} open={isOpen} onToggle={({ currentTarget }) => onToggle(currentTarget.open)}>
      <summary>
        <span className="breaks medium">{name}</span> {does !== undefined && <span className="muted">{does}</span>}
        {problems > 0 && <span className="bad">{format.counted(problems, 'error')}</span>}
      </summary>
      {isOpen && (
        <>
          <FindingLines findings={form.findings.get(fieldOf(path))} />
          {children}
        </>
      )}
    </details>
  )
}

/** Copies and removes the entry that `what` names. */
export const EntryTools = (props: {
  readonly what: string
  readonly onDuplicate: () => void
  readonly onRemove: () => void
}) => (
  <div className="flex gap-6">
    <Button small aria-label={`Duplicate ${props.what}`} onClick={props.onDuplicate}>
      Duplicate
    </Button>
    <Button small aria-label={`Remove ${props.what}`} onClick={props.onRemove}>
      Remove
    </Button>
  </div>
)
