import type { Classification, Explained } from '../../../../core/classify/classification.ts'
import type { RequestSample } from '../../../../core/contract/objects.ts'
import { Button, Segment } from '../../../components/Button.tsx'
import { LevelChip } from '../../../components/LevelChip.tsx'
import { Term } from '../../../components/Term.tsx'
import { requestStore, type Side } from '../../../state/request.ts'
import { draftSentence, ruleText } from './compare.data.ts'
import styles from './request.module.css'

/** Where the request goes, in one line; with a draft, where it would go. */
export function AnswerHead(props: {
  readonly shown: Explained
  readonly now: Explained
  readonly draft: Explained | undefined
  readonly draftStale: boolean
  readonly side: Side
  readonly request: RequestSample
  readonly onKeep: ((request: RequestSample, classification: Classification) => void) | undefined
}) {
  const { shown, now, draft, draftStale, side, request, onKeep } = props
  const answer = shown.ok ? shown.classification : undefined
  const before = side === 'both' && now.ok ? now.classification.priorityLevel : undefined
  return (
    <header className={styles['head']}>
      <div className={styles['headText']}>
        <div className={styles['headLine']}>
          <h1 className={styles['title']}>
            {answer === undefined ? (
              'No server classifies this request.'
            ) : (
              <>
                {before !== undefined && before !== answer.priorityLevel && (
                  <>
                    <LevelChip name={before} decorative />
                    {before}
                    <span className={styles['arrow']} aria-hidden="true">
                      →
                    </span>
                    <span className="sr-only"> now, with the draft </span>
                  </>
                )}
                <LevelChip name={answer.priorityLevel} decorative />
                {answer.priorityLevel}
              </>
            )}
          </h1>
          {answer !== undefined && <Matched answer={answer} />}
        </div>
        {draft !== undefined && (
          <p className={styles['draft']}>
            {draftSentence(now, draft)}
            {draftStale && ' The draft has errors. The answer uses the last valid values.'}
          </p>
        )}
      </div>
      <div className={styles['headActions']}>
        {draft !== undefined && (
          <Segment<Side>
            label="Configuration that answers"
            value={side}
            options={[
              { value: 'live', label: 'Live' },
              { value: 'draft', label: 'Draft' },
              { value: 'both', label: 'Side by side' },
            ]}
            onChange={(next) => requestStore.setState({ side: next })}
          />
        )}
        {answer !== undefined && onKeep !== undefined && (
          <Button onClick={() => onKeep(request, answer)}>Keep as a test</Button>
        )}
      </div>
    </header>
  )
}

function Matched({ answer }: { readonly answer: Classification }) {
  const { flowSchema, trace } = answer
  const decides = trace.find((one) => one.decides)
  const rule = ruleText(answer)
  return (
    <p className={styles['matched']}>
      {answer.fallback ? 'nothing matches; taken by ' : 'matched by '}
      <b>{flowSchema}</b>, <Term id="matching-precedence">precedence</Term> {decides?.matchingPrecedence}
      {rule !== '' && `, ${rule}`}
      {decides?.imagined === true && ', a placeholder that the server creates'}
    </p>
  )
}
