import { useEffect, useState, type ReactNode } from 'react'
import type { Problem } from '../../core/errors.ts'
import { onAnswer } from '../state/answer.ts'
import { useConnected } from '../state/connection.ts'
import { askedOf, usePastPart } from '../state/past.ts'
import { instantOf, timeStore, useTimePart } from '../state/time.ts'
import { Button } from './Button.tsx'
import styles from './examinedPage.module.css'
import { NowLine } from './NowLine.tsx'
import { Pane } from './Pane.tsx'
import { NoCluster } from './NoCluster.tsx'
import { ErrorState, LoadingPage, ProblemNote, Sentences } from './States.tsx'

/** A page with the result of an examination of the shown source, repeated at intervals and on request. */
export function ExaminedPage<T extends { readonly verdict?: string; readonly summary: string }>({
  title,
  waitingFor,
  purpose,
  everyMs,
  read,
  evidenceOf,
  renderMain,
  renderBeside,
}: {
  readonly title: string
  readonly waitingFor: string
  /** The purpose of the page, shown when there is no source. */
  readonly purpose: string
  /** Interval at which the present is examined again. */
  readonly everyMs: number
  /** A new function runs a new examination. */
  readonly read: (at: number | undefined) => Promise<T>
  readonly evidenceOf: (found: T) => string
  readonly renderMain: (found: T) => ReactNode
  readonly renderBeside: (found: T) => ReactNode
}) {
  const connected = useConnected()
  const [turn, setTurn] = useState(0)
  const { examined, isExamining } = useExamination(read, { shown: connected?.id, turn, everyMs })
  const again = (
    <Button small disabled={isExamining} onClick={() => setTurn(turn + 1)}>
      Examine again
    </Button>
  )
  if (connected === undefined) return <NoCluster page={title}>{purpose}</NoCluster>
  if (examined === undefined) return <LoadingPage title={title} waitingFor={waitingFor} />
  const { found, problem } = examined
  if (found === undefined) {
    return (
      <>
        <h1 className="sr-only">{title}</h1>
        {problem && <ErrorState title="The source could not be examined." problem={problem} actions={again} />}
      </>
    )
  }
  return (
    <div className="column full-height">
      <NowLine title={found.verdict ?? found.summary} evidence={evidenceOf(found)} actions={again} />
      {problem && <ProblemNote problem={problem} />}
      <div className={styles['columns']}>
        <div className="shrink-x">{renderMain(found)}</div>
        <div className="shrink-x line-left">{renderBeside(found)}</div>
      </div>
    </div>
  )
}

/** The limits of an examination. */
export function LimitsPane({ limits }: { readonly limits: readonly string[] }) {
  if (limits.length === 0) return null
  return (
    <Pane title="Unknown">
      <Sentences of={limits} className="stack gap-4 pad-x pad-b-16 muted" />
    </Pane>
  )
}

/** The latest result, which stays when a later examination fails. */
interface Examined<T> {
  readonly found?: T
  readonly problem?: Problem
}

/**
 * Examines the source as it is shown: the present every `everyMs` while the page is open, an instant of the past once.
 *
 * `read` runs the examination; a new function runs it at once. `shown`: the connection, if any. `turn`: how often the
 * user requested it again; the previous result stays until the next one arrives.
 */
function useExamination<T>(
  read: (at: number | undefined) => Promise<T>,
  { shown, turn, everyMs }: { readonly shown: number | undefined; readonly turn: number; readonly everyMs: number },
): { readonly examined: Examined<T> | undefined; readonly isExamining: boolean } {
  const past = usePastPart(askedOf)
  const instant = useTimePart(instantOf)
  const of = `${past ?? shown ?? ''} ${past === undefined ? '' : (instant ?? '')}`
  const [last, setLast] = useState<{ readonly of: string; readonly turn: number; readonly examined: Examined<T> }>()
  useEffect(() => {
    if (shown === undefined) return undefined
    return onAnswer(
      () => read(past === undefined ? undefined : instantOf(timeStore.getState())),
      (found) => setLast({ of, turn, examined: { found } }),
      {
        everyMs: past === undefined ? everyMs : undefined,
        onProblem: (problem) =>
          setLast((before) => ({ of, turn, examined: { ...(before?.of === of && before.examined), problem } })),
      },
    )
  }, [of, shown, past, read, turn, everyMs])
  return { examined: last?.of === of ? last.examined : undefined, isExamining: last?.turn !== turn }
}
