import { useId, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import type { LiveRequest } from '../../../core/contract/live.ts'
import { LIVE_VOCABULARY } from '../../../core/live/liveFilter.ts'
import { complaintOf, parseFilter } from '../../../core/filter/filter.ts'
import { Button } from '../../components/Button.tsx'
import { Icon } from '../../components/Icon.tsx'
import { Menu } from '../../components/Menu.tsx'
import { classes } from '../../components/classes.ts'
import { liveRows } from '../../state/live.ts'
import { useSettings } from '../../state/settings.ts'
import { allKeysAt, completionsAt, segmentsOf, type Completions } from './filterBar.data.ts'
import { setFilter, useFilterText } from './query.ts'
import styles from './stream.module.css'

/** Names are completed from this many of the newest rows. */
const ROWS_READ = 20_000

function newestRows(): readonly LiveRequest[] {
  const rows: LiveRequest[] = []
  for (let seq = liveRows.end - 1; seq >= liveRows.first && rows.length < ROWS_READ; seq--) {
    const row = liveRows.at(seq)
    if (row !== undefined) rows.push(row)
  }
  return rows
}

/** The list may be longer than its height. */
const intoView = (option: HTMLElement | null): void => option?.scrollIntoView?.({ block: 'nearest' })

const LANGUAGE = [
  'flow:',
  'user:',
  'group:',
  'schema:',
  'path:',
  'status:',
  'reason:',
  'queue:',
  'wait>1s',
  'seats>=2',
  'agree:no',
  '"free text"',
]

/**
 * Selects requests by tokens: Tab and Enter complete names that were seen, the down arrow lists all filter keys, Escape
 * closes the list. The tokens are drawn behind the field; the field itself is plain text.
 */
export function FilterBar({ inputRef }: { readonly inputRef: React.RefObject<HTMLInputElement | null> }) {
  const text = useFilterText()
  const [{ liveFilters }, change] = useSettings()
  const id = useId()
  const mirror = useRef<HTMLDivElement>(null)
  const [offered, setOffered] = useState<Completions>()
  const [chosen, setChosen] = useState(0)
  const tokens = useMemo(() => parseFilter(text, LIVE_VOCABULARY), [text])
  const segments = useMemo(() => segmentsOf(text, tokens), [text, tokens])
  const complaint = tokens.map((token) => complaintOf(token, LIVE_VOCABULARY)).find((why) => why !== undefined)
  const saved = liveFilters.includes(text.trim())

  const offer = (value: string, caret: number): void => {
    setOffered(completionsAt(value, caret, newestRows()))
    setChosen(0)
  }
  const offerAll = (caret: number): void => {
    setOffered(allKeysAt(text, caret) ?? completionsAt(text, caret, newestRows()))
    setChosen(0)
  }
  const take = (at: number): void => {
    const option = offered?.options[at]
    if (offered === undefined || option === undefined) return
    // A key waits for its value; a name is complete.
    const done = !/[:>]$/.test(option.token)
    const value = `${text.slice(0, offered.start)}${option.token}${done ? ' ' : ''}${text.slice(offered.end).trimStart()}`
    const caret = offered.start + option.token.length + (done ? 1 : 0)
    setFilter(value)
    if (done) setOffered(undefined)
    else offer(value, caret)
    requestAnimationFrame(() => inputRef.current?.setSelectionRange(caret, caret))
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (offered === undefined && event.key === 'ArrowDown') {
      event.preventDefault()
      return offerAll(event.currentTarget.selectionStart ?? text.length)
    }
    if (offered === undefined) return
    const { length } = offered.options
    if (event.key === 'Tab' && !event.shiftKey) take(chosen)
    else if (event.key === 'Enter') take(chosen)
    else if (event.key === 'ArrowDown') setChosen((chosen + 1) % length)
    else if (event.key === 'ArrowUp') setChosen((chosen + length - 1) % length)
    else if (event.key === 'Escape') setOffered(undefined)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const clear = (): void => {
    setFilter('')
    setOffered(undefined)
    inputRef.current?.focus()
  }
  return (
    <div className="rigid pad-x pad-t-8 pad-b-6 line-below">
      <div className="flex gap-8">
        <div className={styles['field']}>
          <div ref={mirror} className={styles['mirror']} aria-hidden="true">
            {segments.map(({ text: part, look }, index) => (
              // Segments have no ids.
              <span key={index} className={styles[look]}>
                {part}
              </span>
            ))}
          </div>
          <input
            ref={inputRef}
            type="text"
            role="combobox"
            aria-label="Filter requests"
            aria-expanded={offered !== undefined}
            aria-controls={`${id}-list`}
            aria-activedescendant={offered === undefined ? undefined : `${id}-${chosen}`}
            aria-autocomplete="list"
            aria-describedby={`${id}-hint`}
            aria-keyshortcuts="f"
            aria-invalid={complaint === undefined ? undefined : true}
            placeholder="level:workload-low verb:list -ns:kube-system wait>1s"
            spellCheck={false}
            autoComplete="off"
            value={text}
            onChange={({ target }) => {
              setFilter(target.value)
              offer(target.value, target.selectionStart ?? target.value.length)
            }}
            onScroll={({ currentTarget }) => {
              if (mirror.current !== null) mirror.current.scrollLeft = currentTarget.scrollLeft
            }}
            onKeyDown={onKeyDown}
            onBlur={() => setOffered(undefined)}
          />
          <div
            id={`${id}-list`}
            role="listbox"
            aria-label="Completions"
            className={styles['list']}
            hidden={offered === undefined}
          >
            {offered?.options.map(({ label, token, help, seen }, index) => (
              <div
                key={token}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === chosen}
                ref={index === chosen ? intoView : undefined}
                className={classes(styles['option'], index === chosen && styles['chosen'])}
                // Before the field loses the focus.
                onPointerDown={(event) => {
                  event.preventDefault()
                  take(index)
                }}
              >
                <span className={classes('mono', help !== undefined && styles['key'])}>{label}</span>
                {help !== undefined && <small className={styles['help']}>{help}</small>}
                {seen !== undefined && <small>{seen}</small>}
              </div>
            ))}
          </div>
        </div>
        <Button
          disabled={text.trim() === '' || saved}
          onClick={() => change({ liveFilters: [...liveFilters, text.trim()].slice(-50) })}
        >
          Save filter
        </Button>
        {liveFilters.length > 0 && (
          <Menu
            entries={[
              ...liveFilters.map((filter) => ({ label: filter, onSelect: () => setFilter(filter) })),
              ...(saved
                ? [
                    {
                      label: 'Delete this filter',
                      onSelect: () => change({ liveFilters: liveFilters.filter((filter) => filter !== text.trim()) }),
                    },
                  ]
                : []),
            ]}
          >
            <Button>
              Saved <Icon name="chevron" size={12} />
            </Button>
          </Menu>
        )}
        <Button disabled={text === ''} onClick={clear}>
          Clear
        </Button>
      </div>
      <p id={`${id}-hint`} className={styles['hint']}>
        {complaint === undefined ? (
          <>
            also{' '}
            {LANGUAGE.map((word) => (
              <code key={word}>{word}</code>
            ))}{' '}
            space means and, comma or, minus not; Tab completes names, ↓ lists the keys
          </>
        ) : (
          <span className={styles['complaint']}>{complaint}</span>
        )}
      </p>
    </div>
  )
}
