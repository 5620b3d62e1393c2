import type { Finding } from '../../../core/contract/diagnosis.ts'
import { causePlaceText } from '../../../core/diagnose/text.ts'
import { withText } from '../../../core/draft/draft.ts'
import { Button } from '../../components/Button.tsx'
import { Pane } from '../../components/Pane.tsx'
import { Details } from '../../components/States.tsx'
import { changeDraft } from '../../state/draft.ts'
import { openLevel, openPage, openScreen } from '../../state/route.ts'
import styles from './diagnosis.module.css'

interface FindingPaneProps {
  readonly finding: Finding
  readonly number: number
}

/** One cause: its evidence, what would refute it, and what to do about it. */
export function FindingPane({ finding, number }: FindingPaneProps) {
  const { title, confidence, place, text, evidenceFor, evidenceAgainst, unknown, refutedBy, remedy } = finding
  return (
    <Pane title={`${number}. ${title}`} note={[confidence, causePlaceText(place)].filter(Boolean).join(', ')}>
      <div className={styles['finding']}>
        <p>{text}</p>
        <Sentences label="For" sentences={evidenceFor} className={styles['for']} />
        <Sentences label="Against" sentences={evidenceAgainst} className={styles['against']} />
        <Sentences label="Not known" sentences={unknown} className={styles['unknown']} />
        <Sentences label="Refuted by" sentences={[refutedBy]} />
        <Sentences label="Remedy" sentences={[remedy.text]} />
        {remedy.manifests.map(({ kind, name, text: yaml }) => (
          <Details key={`${kind}/${name}`} summary={`${kind} ${name}`} text={yaml} />
        ))}
        <Actions finding={finding} />
      </div>
    </Pane>
  )
}

function Sentences(props: {
  readonly label: string
  readonly sentences: readonly string[]
  readonly className?: string | undefined
}) {
  const { label, sentences, className } = props
  if (sentences.length === 0) return null
  return (
    <div className={styles['evidence']}>
      <b className={className}>{label}</b>
      <ul>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </div>
  )
}

function Actions({ finding: { place, group, remedy } }: { readonly finding: Finding }) {
  const { server, level } = place
  const [first] = remedy.manifests
  const openDraft = (): void => {
    if (first === undefined) return
    changeDraft((entries, objects) =>
      remedy.manifests.reduce((all, { kind, name, text }) => withText(all, objects, { kind, name }, text), entries),
    )
    openPage('editor', 'draft', `${first.kind}/${first.name}`)
  }
  return (
    <p className={styles['actions']}>
      {first !== undefined && (
        <Button small onClick={openDraft}>
          Open as draft
        </Button>
      )}
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
    </p>
  )
}
