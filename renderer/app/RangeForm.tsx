import { useState, type FormEvent } from 'react'
import { Button } from '../components/Button.tsx'
import { inputClass } from '../components/Field.tsx'
import { changeSettings } from '../state/settings.ts'
import { closeOverlay } from '../state/shell.ts'
import { timeStore } from '../state/time.ts'
import { PRESETS, textToWindow, windowToText, type TimeWindow } from '../state/time.logic.ts'
import { format } from '../theme/format.ts'
import { run } from './commands.ts'
import styles from './TopBar.module.css'

const toField = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ')

/** Presets, two instants, and the range as text. */
export function RangeForm({ window }: { readonly window: TimeWindow }) {
  const { show, setRange } = timeStore.getState()
  const [start, setStart] = useState(() => toField(timeStore.getState().from))
  const [end, setEnd] = useState(() => toField(timeStore.getState().to))
  const [problem, setProblem] = useState<string>()
  const preset = (seconds: number): void => {
    setRange(seconds)
    changeSettings({ rangeSeconds: seconds })
    closeOverlay('range')
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const parsed = textToWindow(`${asUtc(start)}/${asUtc(end)}`)
    if (!parsed.ok) return setProblem(parsed.why)
    show(parsed.window)
    closeOverlay('range')
  }
  return (
    <>
      <div className={styles['presets']} role="group" aria-label="Last">
        {PRESETS.map((seconds) => (
          <Button
            key={seconds}
            small
            aria-pressed={window.kind === 'relative' && window.seconds === seconds}
            primary={window.kind === 'relative' && window.seconds === seconds}
            onClick={() => preset(seconds)}
          >
            {format.span(seconds)}
          </Button>
        ))}
      </div>
      <form onSubmit={submit}>
        <label className={styles['field']}>
          From (UTC)
          <input
            className={inputClass}
            value={start}
            onChange={({ target }) => setStart(target.value)}
            aria-invalid={problem !== undefined}
          />
        </label>
        <label className={styles['field']}>
          To (UTC)
          <input
            className={inputClass}
            value={end}
            onChange={({ target }) => setEnd(target.value)}
            aria-invalid={problem !== undefined}
          />
        </label>
        {problem !== undefined && (
          <p role="alert" className={styles['error']}>
            {problem}
          </p>
        )}
        <div className={styles['buttons']}>
          <Button small type="submit">
            Show this range
          </Button>
          <Button small onClick={() => run({ kind: 'copy-range' })} title={windowToText(window)}>
            Copy as text
          </Button>
          <Button small onClick={() => run({ kind: 'paste-range' })}>
            Paste
          </Button>
        </div>
      </form>
    </>
  )
}

/** What was typed as an instant: a date and time without a zone is UTC; a whole instant stays. */
const asUtc = (text: string): string =>
  /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?$/.test(text.trim()) ? `${text.trim().replace(' ', 'T')}Z` : text.trim()
