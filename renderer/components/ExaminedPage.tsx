import { useCallback, type ReactNode } from 'react'
import { useConnected } from '../state/connection.ts'
import { LOOKED_AT_MS } from '../state/answer.ts'
import { askedOf, usePastPart } from '../state/past.ts'
import type { Waiter } from '../state/running.ts'
import { instantOf, useTimePart } from '../state/time.ts'
import { Button } from './Button.tsx'
import styles from './examinedPage.module.css'
import { NowLine } from './NowLine.tsx'
import { Pane } from './Pane.tsx'
import { NoCluster } from './NoCluster.tsx'
import { ErrorState, ProblemNote, Sentences } from './States.tsx'
import { useRun, type AskedRun } from './useRun.ts'
import { useNothingThen, WaitingNote, WaitingPage } from './Waiting.tsx'

/** What is examined: a connection, and of its past an instant. */
export interface Examined {
  readonly connection: number
  readonly at?: number
}

/** A page with the result of an examination of the shown source, repeated at intervals and on request. */
export function ExaminedPage<T extends { readonly verdict?: string; readonly summary: string }>({
  title,
  what,
  purpose,
  everyMs,
  read,
  evidenceOf,
  renderMain,
  renderBeside,
}: {
  readonly title: string
  /** What the examination results in. */
  readonly what: string
  /** The purpose of the page, shown when there is no source. */
  readonly purpose: string
  /** Interval at which the present is examined again. */
  readonly everyMs: number
  /** A new function runs a new examination. */
  readonly read: (of: Examined, waiter: Waiter) => Promise<T>
  readonly evidenceOf: (found: T) => string
  readonly renderMain: (found: T) => ReactNode
  readonly renderBeside: (found: T) => ReactNode
}) {
  const connected = useConnected()
  const run = useExamination(read, connected?.id, everyMs)
  const nothing = useNothingThen(title)
  const again = (
    <Button small disabled={run.state === 'running'} onClick={run.again}>
      Examine again
    </Button>
  )
  if (connected === undefined) return <NoCluster page={title}>{purpose}</NoCluster>
  if (nothing !== undefined) return nothing
  const { found, problem } = run
  if (found === undefined) {
    if (problem === undefined) return <WaitingPage title={title} what={what} run={run} />
    return <ErrorState page={title} title="The source could not be examined." problem={problem} actions={again} />
  }
  return (
    <div className="column full-height">
      <NowLine title={found.verdict ?? found.summary} evidence={evidenceOf(found)} actions={again} />
      {problem && <ProblemNote problem={problem} />}
      <WaitingNote what={what} run={run} />
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

/** Examines the source as it is shown: the present every `everyMs`, an instant of the past once. */
function useExamination<T>(
  read: (of: Examined, waiter: Waiter) => Promise<T>,
  shown: number | undefined,
  everyMs: number,
): AskedRun<T> {
  const past = usePastPart(askedOf)
  const instant = useTimePart(instantOf)
  const at = past === undefined ? undefined : instant
  const connection = past ?? shown
  const examine = useCallback(
    (waiter: Waiter) => read({ connection: connection ?? 0, ...(at !== undefined && { at }) }, waiter),
    [read, connection, at],
  )
  return useRun(
    `${connection} ${at}`,
    connection === undefined ? undefined : examine,
    past === undefined ? { everyMs } : { restMs: LOOKED_AT_MS },
  )
}
