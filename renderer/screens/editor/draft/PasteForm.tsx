import { useId, useState } from 'react'
import { Button } from '../../../components/Button.tsx'
import { inputClass } from '../../../components/Field.tsx'
import { Note } from '../../../components/States.tsx'
import { takeManifests } from './takeManifests.ts'
import styles from './dialogs.module.css'

/** Manifests from the clipboard become a draft. */
export function PasteForm({ onDone }: { readonly onDone: () => void }) {
  const [text, setText] = useState('')
  const [told, setTold] = useState<readonly string[]>([])
  const id = useId()
  const take = (): void => {
    const { taken, problems } = takeManifests([{ file: 'pasted', text }])
    if (taken > 0) onDone()
    else setTold(problems.length === 0 ? ['This text contains no flow-control object.'] : problems)
  }
  return (
    <form
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault()
        take()
      }}
    >
      <label htmlFor={id}>YAML or JSON; several documents are several objects</label>
      <textarea
        id={id}
        className={inputClass}
        rows={14}
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {told.map((sentence) => (
        <Note key={sentence} kind="bad" alert>
          {sentence}
        </Note>
      ))}
      <div className={styles['buttons']}>
        <Button primary type="submit" disabled={text.trim() === ''}>
          Add to the draft
        </Button>
      </div>
    </form>
  )
}
