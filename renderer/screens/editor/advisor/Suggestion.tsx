import type { Suggestion } from '../../../../core/contract/advice.ts'
import { VERDICT_WORDS } from '../../../../core/advice/text.ts'
import { LevelHistory } from '../../../charts/LevelHistory.tsx'
import { Button, Buttons, Copy } from '../../../components/Button.tsx'
import { classes } from '../../../components/classes.ts'
import { numberColumn, type DataColumn } from '../../../components/dataColumns.ts'
import { LevelName } from '../../../components/LevelChip.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { PlainTable } from '../../../components/PlainTable.tsx'
import { Details, Sentences } from '../../../components/States.tsx'
import { openDraft } from '../../../state/openDraft.ts'
import { openLevel } from '../../../state/route.ts'
import { format } from '../../../theme/format.ts'
import styles from './advisor.module.css'

interface OneProps {
  readonly suggestion: Suggestion
  readonly number: number
}

const TONES = { edit: 'good', rejected: 'warn', precaution: 'muted' } as const

/** One suggestion of the list; choosing it shows its evidence. */
export function SuggestionRow(props: OneProps & { readonly isChosen: boolean; readonly onChoose: () => void }) {
  const { suggestion, number, isChosen, onChoose } = props
  const { title, text, verdict } = suggestion
  return (
    <li className={classes(styles['suggestion'], isChosen && styles['chosen'])}>
      <span className="strong faint" aria-hidden="true">
        {number}
      </span>
      <button
        type="button"
        className={`${styles['choose']} stack gap-2 breaks`}
        aria-pressed={isChosen}
        onClick={onChoose}
      >
        <b>{format.said(title)}</b>
        <span>{format.said(text)}</span>
      </button>
      <span className={TONES[verdict]}>{VERDICT_WORDS[verdict]}</span>
    </li>
  )
}

/** The evidence for a suggestion, what is unknown, and the available actions. */
export function EvidencePane({ suggestion, number }: OneProps) {
  const { evidence, unknown, changes, snippet, server, level, threshold } = suggestion
  return (
    <Pane title={`Evidence for ${number}`} note={server}>
      <div className={`${styles['evidence']} stack one-column gap-8 pad-x pad-b-16 breaks`}>
        {level !== undefined && server !== undefined && <LevelHistory {...{ server, level, threshold }} />}
        <Sentences of={evidence} />
        {unknown.length > 0 && (
          <>
            <b>Unknown</b>
            <Sentences of={unknown} className="muted" />
          </>
        )}
        {changes.map(({ kind, name, text }) =>
          text === null ? (
            <p key={name}>{`Deletes ${kind} ${name}.`}</p>
          ) : (
            <Details key={name} summary={`${kind} ${name}`} text={text} />
          ),
        )}
        {snippet !== undefined && <Details summary="Settings to copy" text={snippet} />}
        <Buttons>
          {changes.length > 0 && (
            <Button small onClick={() => openDraft(changes)}>
              {`Open ${number} as draft`}
            </Button>
          )}
          {snippet !== undefined && <Copy text={snippet} label="Copy settings" />}
          {level !== undefined && (
            <Button small onClick={() => openLevel(server, level)}>
              Open {level}
            </Button>
          )}
        </Buttons>
      </div>
    </Pane>
  )
}

type Impact = Suggestion['impact'][number]

const IMPACT_COLUMNS: readonly DataColumn<Impact>[] = [
  { id: 'level', header: 'Level', rowHeader: true, cell: ({ level }) => <LevelName name={level} /> },
  numberColumn('before', 'Nominal now', ({ before }) => before),
  numberColumn('after', 'After', ({ after }) => after),
  numberColumn('change', 'Change', ({ before, after }) => after - before, { text: (seats) => format.change(seats) }),
]

/** Nominal limits of all levels before and after an edit. */
export function ImpactPane({ suggestion: { impact, changes }, number }: OneProps) {
  if (impact.length === 0) {
    if (changes.length === 0) return null
    return (
      <Pane title={`Seat impact of ${number}`} unit="seats">
        <p className="pad-x pad-b-16 muted">The nominal limits of all levels stay as they are.</p>
      </Pane>
    )
  }
  return (
    <Pane title={`Seat impact of ${number}`} unit="seats" note="nominal limits of one server">
      <PlainTable
        caption={`Nominal limits before and after suggestion ${number}`}
        columns={IMPACT_COLUMNS}
        rows={impact}
        rowKey={({ level }) => level}
      />
    </Pane>
  )
}
