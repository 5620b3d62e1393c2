import type { ReactNode } from 'react'
import { usePastPart } from '../state/past.ts'
import { useViewPart } from '../state/view.ts'
import { Button } from './Button.tsx'
import { EmptyState, Loading, NoSampleYet, Note, useWaited } from './States.tsx'
import type { AskedRun } from './useRun.ts'

interface Props {
  /** What is waited for: `diagnosis`. */
  readonly what: string
  readonly run: Pick<AskedRun<unknown>, 'state' | 'part' | 'cancel' | 'again'>
}

const cancelled = (what: string): string => `The ${what} was cancelled.`

const Act = ({ run }: Pick<Props, 'run'>) => (
  <Button small onClick={run.state === 'cancelled' ? run.again : run.cancel}>
    {run.state === 'cancelled' ? 'Try again' : 'Cancel'}
  </Button>
)

/** A page, or without a `title` a part of one, until its answer is there. */
export function WaitingPage({ title, what, run }: Props & { readonly title?: string }) {
  const act = <Act run={run} />
  if (run.state === 'cancelled') return <EmptyState page={title} title={cancelled(what)} actions={act} />
  return (
    <>
      {title !== undefined && <h1 className="sr-only">{title}</h1>}
      <Loading waitingFor={`the ${what}`} part={run.part} cancel={act} />
    </>
  )
}

/** Above an earlier answer, in place of `children`: what is done after a second, and whether it was cancelled. */
export const WaitingNote = (props: Props & { readonly children?: ReactNode }) =>
  props.run.state === 'over' ? props.children : <Unanswered {...props} />

function Unanswered({ what, run, children }: Props & { readonly children?: ReactNode }) {
  const waited = useWaited(`the ${what}`, run.part)
  const text = run.state === 'cancelled' ? cancelled(what) : waited
  if (text === '') return children
  return (
    <Note kind="info">
      {text} <Act run={run} />
    </Note>
  )
}

/** The whole page at an instant of the past without a sample of an API server; undefined at any other, and live. */
export function useNothingThen(page: string): ReactNode {
  const isPast = usePastPart(({ moment }) => moment !== undefined)
  const isEmpty = useViewPart((view) => view.server === undefined)
  if (!isPast || !isEmpty) return undefined
  return (
    <>
      <h1 className="sr-only">{page}</h1>
      <NoSampleYet />
    </>
  )
}
