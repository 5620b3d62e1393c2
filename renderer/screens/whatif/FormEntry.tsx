import { format } from '../../theme/format.ts'
import { useState, type ReactNode } from 'react'
import { fieldOf, type FieldPath, type JsonMap } from '../../../core/manifest/json.ts'
import { Button } from '../../components/Button.tsx'
import { FindingLines, type ScenarioForm } from './FormField.tsx'
import type { Edited } from '../../../core/manifest/edit.ts'
import { entriesAt, findingsWithin, withoutEntry, type ScenarioText } from './scenarioForm.logic.ts'
import { Icon } from '../../components/Icon.tsx'
import styles from './scenarioEditor.module.css'

interface ListProps {
  readonly form: ScenarioForm
  readonly of: 'clients' | 'phases'
  /** The word for one entry. */
  readonly word: string
  readonly title: string
  readonly empty?: string
  readonly withNew: (scenario: ScenarioText) => Edited
  readonly withCopy: (scenario: ScenarioText, index: number) => Edited
  /** What an entry is called, in its tools, and its effect in a few words, where that is known. */
  readonly about: (
    entry: JsonMap,
    index: number,
  ) => Readonly<Record<'name' | 'what', string>> & { does: string | undefined }
  readonly children: (entry: JsonMap, index: number) => ReactNode
}

/** A list of the scenario, whose entries are added, copied, removed and folded. */
export function EntryList({ form, of, word, title, empty, withNew, withCopy, about, children }: ListProps) {
  const { scenario, findings, onChange } = form
  const entries = entriesAt(scenario.value ?? null, [of])
  const open = useOpenEntries(entries.length)
  return (
    <section aria-label={title} className="stack gap-6 shrink-x">
      <header className="row gap-12">
        <h3 className="large medium">{title}</h3>
        <Button
          small
          onClick={() => {
            onChange(withNew(scenario), `add ${word}`)
            open.insert(entries.length)
          }}
        >
          <Icon name="plus" size={13} /> Add {word}
        </Button>
      </header>
      <FindingLines findings={findings.get(of)} />
      {entries.length === 0 && empty !== undefined && <p className="small faint">{empty}</p>}
      {entries.map((entry, index) => {
        const { name, what, does } = about(entry, index)
        return (
          // The index is the only identity of an entry: its name may change or occur twice.
          <Entry
            key={index}
            form={form}
            path={[of, index]}
            name={name}
            does={does}
            isOpen={open.isOpen(index)}
            onToggle={(isOpen) => open.set(index, isOpen)}
          >
            <div className="flex gap-6">
              <Button
                small
                aria-label={`Duplicate ${what}`}
                onClick={() => {
                  onChange(withCopy(scenario, index), `duplicate ${word}`)
                  open.insert(index + 1)
                }}
              >
                Duplicate
              </Button>
              <Button
                small
                aria-label={`Remove ${what}`}
                onClick={() => {
                  onChange(withoutEntry(scenario, [of], index), `remove ${word}`)
                  open.remove(index)
                }}
              >
                Remove
              </Button>
            </div>
            {children(entry, index)}
          </Entry>
        )
      })}
    </section>
  )
}

interface EntryProps extends Pick<ListProps, 'form'> {
  readonly path: FieldPath
  readonly name: string
  readonly does: string | undefined
  readonly isOpen: boolean
  readonly onToggle: (isOpen: boolean) => void
  readonly children: ReactNode
}

/** Open entries of a list, by index; they stay open when others before them are added or removed. */
interface OpenEntries {
  readonly isOpen: (index: number) => boolean
  readonly set: (index: number, isOpen: boolean) => void
  /** Adds an entry at this index, open. */
  readonly insert: (index: number) => void
  readonly remove: (index: number) => void
}

const FEW = 3

/** Of a few entries the first is open at first. */
function useOpenEntries(count: number): OpenEntries {
  const [open, setOpen] = useState<readonly number[]>(count <= FEW ? [0] : [])
  return {
    isOpen: (index) => open.includes(index),
    set: (index, isOpen) => setOpen((all) => [...all.filter((one) => one !== index), ...(isOpen ? [index] : [])]),
    insert: (index) => setOpen((all) => [...all.map((one) => (one >= index ? one + 1 : one)), index]),
    remove: (index) => setOpen((all) => all.flatMap((one) => (one === index ? [] : [one > index ? one - 1 : one]))),
  }
}

/** A collapsible group of clients or phase; shows its number of errors. */
function Entry({ form, path, name, does, isOpen, onToggle, children }: EntryProps) {
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
