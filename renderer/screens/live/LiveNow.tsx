import type { LiveState } from '../../../core/contract/live.ts'
import { Button } from '../../components/Button.tsx'
import { NowLine } from '../../components/NowLine.tsx'
import { classes } from '../../components/classes.ts'
import { liveRows, liveStore } from '../../state/live.ts'
import { openPage } from '../../state/route.ts'
import { format } from '../../theme/format.ts'
import { ModeSwitch } from './ModeSwitch.tsx'
import { MODE, nowSentence, type NowFacts } from './sentence.ts'
import type { Tally } from './tally.ts'
import { useRecent } from './useRecent.ts'
import styles from './live.module.css'

const RATE_SECONDS = 10
/** Over how long engine and server are compared; of a file over all of it. */
export const COMPARED_SECONDS = 300

/** What is true of the requests now, in a sentence, and where they come from. */
export function LiveNow(props: { readonly state: LiveState | undefined; readonly source: NowFacts['source'] }) {
  const { state, source } = props
  const recent = useRecent(RATE_SECONDS)
  const { tally } = useRecent(source === 'still' ? Number.POSITIVE_INFINITY : COMPARED_SECONDS)
  const problem = liveStore((live) => live.problem)
  const { newestAt } = liveRows
  const sentence = nowSentence({
    source,
    filtered: recent.query.text.trim() !== '',
    passing: recent.query.matches.count,
    known: liveRows.count,
    rate: recent.tally.requests / recent.seconds,
    unanswered: recent.tally.failed > 0 && recent.tally.answered === 0,
    agreement: tally.agreement.all,
    quietMs: newestAt === undefined ? undefined : Math.max(0, recent.now - newestAt),
  })
  const old = source === 'stale' || source === 'unreached'
  return (
    <NowLine
      title={sentence}
      stale={old}
      evidence={
        <>
          {old && 'The last requests received are shown below. '}
          {state === undefined ? 'Waiting for the source.' : <Source state={state} tally={recent.tally} />}
          {problem !== undefined && ` ${problem.message}`}
        </>
      }
      actions={
        <>
          {state !== undefined && !old && <ModeSwitch state={state} />}
          <Button onClick={() => openPage('classify', 'request')}>Test one request</Button>
        </>
      }
    />
  )
}

function Source({ state, tally }: { readonly state: LiveState; readonly tally: Tally }) {
  const { word, sentence } = MODE[state.mode]
  return (
    <>
      {state.mode !== 'simulation' && (
        <b className={classes(state.mode === 'enforce' && styles['enforces'])}>{word} </b>
      )}
      {state.title}. {sentence}
      {tally.failed > 0 && (
        <span className={styles['rejected']}>
          {' '}
          The server left {format.seats(tally.failed)} {tally.failed === 1 ? 'request' : 'requests'} of the last{' '}
          {RATE_SECONDS} s without an answer.
        </span>
      )}
      {state.unreadable > 0 && (
        <span className={styles['queued']}>
          {' '}
          {format.seats(state.unreadable)} could not be placed
          {state.lastUnreadable === undefined ? '' : `; the last: ${state.lastUnreadable}`}.
        </span>
      )}
      {state.heldBack !== undefined &&
        ` ${format.seats(state.heldBack)} more wait for earlier ones, a few seconds at most.`}
      {state.refused !== undefined && (
        <span className={styles['rejected']}>
          {' '}
          The console itself refused {format.seats(state.refused.count)}. Last: {state.refused.last}
        </span>
      )}
    </>
  )
}
