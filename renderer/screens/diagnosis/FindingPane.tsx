import type { Finding } from '../../../core/contract/diagnosis.ts'
import { causePlaceText } from '../../../core/diagnose/text.ts'
import { rangeText, victimsText } from '../../../core/verdict/cause.ts'
import { Button, Buttons } from '../../components/Button.tsx'
import { Pane } from '../../components/Pane.tsx'
import { Details, Sentences } from '../../components/States.tsx'
import { TryFix } from '../../components/TryFix.tsx'
import { useDidStep } from '../../state/firstTask.ts'
import { openLevel, openScreen } from '../../state/route.ts'
import { format } from '../../theme/format.ts'
import styles from './diagnosis.module.css'
import { LevelHistory } from '../../charts/LevelHistory.tsx'
import { levelColor } from '../../state/levels.ts'

/** So many facts are shown at once; they come in the order of their weight. */
const FIRST = 3

/** One cause: its evidence, what would refute it, and what to do about it. */
export function FindingPane({ finding, number }: { readonly finding: Finding; readonly number: number }) {
  const { title, confidence, place, text, victims, evidenceFor, evidenceAgainst, unknown, refutedBy, remedy } = finding
  const more = evidenceFor.slice(FIRST)
  useDidStep('culprit', finding.culprit !== undefined)
  return (
    <Pane title={`${number}. ${title}`} note={[confidence, causePlaceText(place)].filter(Boolean).join(', ')}>
      <div className={styles['beside']}>
        <div className={`${styles['finding']} stack one-column gap-8 pad-x pad-b-16 breaks`}>
          <p>{format.said(text)}</p>
          <Labelled label="Suffering" sentences={victims.length === 0 ? [] : [`${victimsText(victims)}.`]} />
          <Labelled label="Remedy" sentences={[remedy.text]} />
          {remedy.manifests.map(({ kind, name, text: yaml }) => (
            <Details key={`${kind}/${name}`} summary={`${kind} ${name}`} text={yaml} />
          ))}
          <Actions finding={finding} />
          <Labelled label="For" sentences={evidenceFor.slice(0, FIRST)} className="ink" />
          <Labelled label="Against" sentences={evidenceAgainst} className="warn" />
          <details className="muted">
            <summary>
              {more.length === 0
                ? 'What would refute it'
                : `${format.counted(more.length, 'more fact')}, and what would refute it`}
            </summary>
            <div className="stack gap-8 pad-y-8">
              <Labelled label="For" sentences={more} className="ink" />
              <Labelled label="Unknown" sentences={unknown} />
              <Labelled label="Refuted by" sentences={[refutedBy]} />
            </div>
          </details>
        </div>
        <FindingPicture finding={finding} />
      </div>
    </Pane>
  )
}

function Labelled(props: {
  readonly label: string
  readonly sentences: readonly string[]
  readonly className?: string | undefined
}) {
  const { label, sentences, className } = props
  if (sentences.length === 0) return null
  return (
    <div className={styles['evidence']}>
      <b className={className}>{label}</b>
      <Sentences of={sentences} className="stack gap-4" />
    </div>
  )
}

function Actions({ finding: { place, group, remedy } }: { readonly finding: Finding }) {
  const { server, level } = place
  return (
    <Buttons>
      <TryFix remedy={remedy} />
      {server !== undefined && level !== undefined && (
        <Button small onClick={() => openLevel(server, level)}>
          Open {level}
        </Button>
      )}
      {group === 'own side' && (
        <Button small onClick={() => openScreen('connection')}>
          Open Connection
        </Button>
      )}
    </Buttons>
  )
}

/** What decides about a cause: the part that it explains, where that is known, and the seats of its level over time. */
function FindingPicture({ finding: { place, share } }: { readonly finding: Finding }) {
  const { server, level } = place
  if (server === undefined || (level ?? share) === undefined) return null
  const said = share && `Explains ${rangeText(share, format)} of the missing seats`
  return (
    <div className={styles['picture']}>
      {share && (
        <div className="stack gap-2">
          <span className={styles['bar']} role="img" aria-label={said}>
            <i className="block tall" style={{ width: `${share.part * 100}%`, background: colorOf(level) }} />
          </span>
          <span>{said}</span>
        </div>
      )}
      {level !== undefined && <LevelHistory server={server} level={level} />}
    </div>
  )
}

const colorOf = (level: string | undefined): string => (level === undefined ? 'var(--text-2)' : levelColor(level))
