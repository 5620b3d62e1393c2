import { format } from '../../../theme/format.ts'
import type { ReactNode } from 'react'
import { applyFix } from '../../../../core/draft/importManifests.ts'
import { guardText, type GuardFinding, type GuardSeverity } from '../../../../core/guard/finding.ts'
import { Button } from '../../../components/Button.tsx'
import { Icon, type IconName } from '../../../components/Icon.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { Sentences } from '../../../components/States.tsx'
import { changeDraft } from '../../../state/draft.ts'
import { select } from './draftObject.ts'
import styles from './aside.module.css'

const LOOK: Readonly<Record<GuardSeverity, readonly [glyph: IconName, word: string, tone: string]>> = {
  blocks: ['cross', 'blocks', 'bad'],
  warns: ['warn', 'warning', 'warn'],
  expected: ['info', 'expected', 'info'],
  passes: ['check', 'passes', 'good'],
}

/** Risks of the draft and their remedies. */
export function GuardPane(props: {
  readonly rails: readonly GuardFinding[]
  /** The draft has errors: the findings are about its last valid values. */
  readonly stale: boolean
  readonly mayEdit: boolean
}) {
  const { rails, stale, mayEdit } = props
  const passing = rails.filter(({ severity }) => severity === 'passes')
  const shown = rails.filter(({ severity }) => severity !== 'passes')
  const item = (finding: GuardFinding) => (
    <Finding key={`${finding.code} ${finding.message}`} finding={finding} mayEdit={mayEdit} />
  )
  return (
    <Pane title="Guard rails" note={stale ? 'not checked' : railsNote(rails)} className={styles['pane']}>
      {stale && (
        <p className="pad-x pad-b-12 prose faint">
          The draft has errors, so it cannot be checked.
          {shown.length > 0 && ' These findings are about its last valid values.'}
        </p>
      )}
      {rails.length === 0 ? (
        !stale && <p className="pad-x pad-b-12 prose faint">No changes yet.</p>
      ) : (
        <FoldedList
          shown={shown.map(item)}
          folded={passing.map(item)}
          summary={format.counted(passing.length, 'check passes', 'checks pass')}
        />
      )}
    </Pane>
  )
}

/** Findings or verdicts; the good ones are collapsed so that the others are visible. */
export function FoldedList(props: {
  readonly shown: readonly ReactNode[]
  readonly folded: readonly ReactNode[]
  readonly summary: string
}) {
  const { shown, folded, summary } = props
  return (
    <>
      <ul className={styles['findings']}>{shown}</ul>
      {folded.length > 0 && (
        <details className={`${styles['passing']} pad-b-10 muted`}>
          <summary>{summary}</summary>
          <ul className={styles['findings']}>{folded}</ul>
        </details>
      )}
    </>
  )
}

export function railsNote(rails: readonly GuardFinding[]): string | undefined {
  if (rails.length === 0) return undefined
  const count = (severity: GuardSeverity): number => rails.filter((one) => one.severity === severity).length
  const blocking = count('blocks')
  const warning = count('warns')
  if (blocking > 0) return `${blocking} blocking`
  return warning > 0 ? format.counted(warning, 'warning') : 'no blocking problems'
}

export function Finding(props: {
  readonly finding: GuardFinding
  readonly mayEdit: boolean
  /** Without evidence and remedy. */
  readonly brief?: boolean
}) {
  const { finding, mayEdit, brief = false } = props
  const { severity, objects, remedy, evidence } = finding
  const [object] = objects
  const fix = remedy?.fix
  const [glyph, word, tone] = LOOK[severity]
  return (
    <li className={styles['finding']}>
      <span className={`pad-t-2 ${tone}`}>
        <Icon name={glyph} size={13} />
        <span className="sr-only">{word}</span>
      </span>
      <div>
        <p className={severity === 'blocks' ? 'medium' : severity === 'passes' ? 'muted' : undefined}>
          {guardText(finding)}{' '}
          {object !== undefined && severity !== 'passes' && (
            <button type="button" className={styles['link']} onClick={() => select(object)}>
              show
              <span className="sr-only"> {object.name}</span>
            </button>
          )}
        </p>
        {!brief && evidence.length > 0 && (
          <details className={`${styles['evidence']} small faint`}>
            <summary>why</summary>
            <Sentences of={evidence} />
          </details>
        )}
        {!brief && remedy !== undefined && (
          <p className={styles['remedy']}>
            {remedy.sentence}
            {fix !== undefined && mayEdit && (
              <Button small onClick={() => changeDraft((entries, current) => applyFix(entries, current, fix))}>
                Add to the draft
              </Button>
            )}
          </p>
        )}
      </div>
    </li>
  )
}
