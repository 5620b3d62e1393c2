import { useEffect, useState } from 'react'
import type { Diagnosis } from '../../../core/contract/diagnosis.ts'
import { toProblem, type Problem } from '../../../core/contract/errors.ts'
import { Button } from '../../components/Button.tsx'
import { NowLine } from '../../components/NowLine.tsx'
import { Pane } from '../../components/Pane.tsx'
import { ErrorState, LoadingPage, NoCluster, ProblemNote } from '../../components/States.tsx'
import { useConnected } from '../../state/connection.ts'
import { askedOf, askShown, usePastPart } from '../../state/past.ts'
import { instantOf, timeStore, useTimePart } from '../../state/time.ts'
import { format } from '../../theme/format.ts'
import styles from './diagnosis.module.css'
import { FindingPane } from './FindingPane.tsx'

/** The present is examined again after so long, as long as the screen is open. */
const AGAIN_MS = 15_000

/** The last diagnosis, which stays when a later one fails. */
interface Answer {
  readonly diagnosis?: Diagnosis
  readonly problem?: Problem
}

/** Why requests wait, are rejected or are slow, now or at the shown instant of the past. */
export function DiagnosisScreen() {
  const connected = useConnected()
  const [turn, setTurn] = useState(0)
  const { answer, isExamining } = useDiagnosis(connected?.id, turn)
  const again = (
    <Button small disabled={isExamining} onClick={() => setTurn(turn + 1)}>
      Examine again
    </Button>
  )
  if (connected === undefined) {
    return (
      <>
        <h1 className="sr-only">Diagnosis</h1>
        <NoCluster>Diagnosis says why requests of a connected source wait, are rejected or are slow.</NoCluster>
      </>
    )
  }
  if (answer === undefined) return <LoadingPage title="Diagnosis" waitingFor="the diagnosis" />
  const { diagnosis, problem } = answer
  if (diagnosis === undefined) {
    return (
      <>
        <h1 className="sr-only">Diagnosis</h1>
        {problem && <ErrorState title="The source could not be examined." problem={problem} actions={again} />}
      </>
    )
  }
  const { summary, from, to, servers, findings } = diagnosis
  return (
    <div className={styles['screen']}>
      <NowLine
        title={summary}
        evidence={`Samples from ${format.time(from)} to ${format.time(to)}${servers.length === 0 ? '' : `, ${servers.join(', ')}`}.`}
        actions={again}
      />
      {problem && <ProblemNote problem={problem} />}
      <div className={styles['columns']}>
        <div className={styles['findings']}>
          {findings.map((finding, index) => (
            <FindingPane
              key={`${finding.cause} ${JSON.stringify(finding.place)}`}
              finding={finding}
              number={index + 1}
            />
          ))}
        </div>
        <div className={styles['beside']}>
          <LimitsPane diagnosis={diagnosis} />
          <ExcludedPane diagnosis={diagnosis} />
        </div>
      </div>
    </div>
  )
}

/** `turn`: how often the reader asked again; the answer before stays on the screen until the next one is there. */
function useDiagnosis(
  shown: number | undefined,
  turn: number,
): { readonly answer: Answer | undefined; readonly isExamining: boolean } {
  const past = usePastPart(askedOf)
  const instant = useTimePart(instantOf)
  const of = `${past ?? shown ?? ''} ${past === undefined ? '' : (instant ?? '')}`
  const [answer, setAnswer] = useState<{ readonly of: string; readonly turn: number; readonly answer: Answer }>()
  useEffect(() => {
    if (shown === undefined) return undefined
    let gone = false
    const examine = (): void => {
      const at = past === undefined ? undefined : instantOf(timeStore.getState())
      askShown('diagnosis.read', at === undefined ? {} : { at }).then(
        (diagnosis) => void (gone || setAnswer({ of, turn, answer: { diagnosis } })),
        (thrown: unknown) =>
          void (
            gone ||
            setAnswer((last) => ({
              of,
              turn,
              answer: { ...(last?.of === of && last.answer), problem: toProblem(thrown) },
            }))
          ),
      )
    }
    examine()
    const timer = past === undefined ? setInterval(examine, AGAIN_MS) : undefined
    return () => {
      gone = true
      clearInterval(timer)
    }
  }, [of, shown, past, turn])
  return { answer: answer?.of === of ? answer.answer : undefined, isExamining: answer?.turn !== turn }
}

function LimitsPane({ diagnosis: { limits } }: { readonly diagnosis: Diagnosis }) {
  if (limits.length === 0) return null
  return (
    <Pane title="Not known">
      <ul className={styles['list']}>
        {limits.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </Pane>
  )
}

function ExcludedPane({ diagnosis: { excluded } }: { readonly diagnosis: Diagnosis }) {
  if (excluded.length === 0) return null
  return (
    <Pane title="Excluded" note={`${excluded.length} causes`}>
      <dl className={styles['excluded']}>
        {excluded.map(({ cause, title, because }) => (
          <div key={cause}>
            <dt>{title}</dt>
            <dd>{because}</dd>
          </div>
        ))}
      </dl>
    </Pane>
  )
}
