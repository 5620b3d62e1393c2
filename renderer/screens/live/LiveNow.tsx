import { plural } from '../../../core/text/format.ts'
import { Dialog } from 'radix-ui'
import { useState } from 'react'
import { type LiveState, ProxyModeSchema, type ProxyMode } from '../../../core/contract/live.ts'
import { ProblemError } from '../../../core/errors.ts'
import { ask } from '../../state/connection.ts'
import { Button, Segment } from '../../components/Button.tsx'
import { NowLine } from '../../components/NowLine.tsx'
import { classes } from '../../components/classes.ts'
import { liveRows, liveStore } from '../../state/live.ts'
import { openPage } from '../../state/route.ts'
import { format } from '../../theme/format.ts'
import dialog from '../../components/Dialog.module.css'
import { say, sayFailure } from '../../state/shell.ts'
import { useObjects } from '../../state/objects.ts'
import { MODE, nowSentence, type NowFacts } from './sentence.ts'
import type { Tally } from './tally.ts'
import { useRecent } from './query.ts'
import styles from './live.module.css'

const RATE_SECONDS = 10
/** Period over which engine and server are compared; for a file, all of it. */
export const COMPARED_SECONDS = 300

/** The current state of the requests in a sentence, and their source. */
export function LiveNow(props: { readonly state: LiveState | undefined; readonly source: NowFacts['source'] }) {
  const { state, source } = props
  const recent = useRecent(RATE_SECONDS)
  const { tally } = useRecent(source === 'still' || source === 'past' ? Number.POSITIVE_INFINITY : COMPARED_SECONDS)
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
          {state !== undefined && !old && source !== 'past' && <ModeSwitch state={state} />}
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
        <span className="rejected">
          {' '}
          The server did not respond to {format.seats(tally.failed)} {plural(tally.failed, 'request', 'requests')} in
          the last {RATE_SECONDS} s.
        </span>
      )}
      {state.unreadable > 0 && (
        <span className="queued">
          {' '}
          {format.seats(state.unreadable)} could not be placed
          {state.lastUnreadable === undefined ? '' : `; the last: ${state.lastUnreadable}`}.
        </span>
      )}
      {state.heldBack !== undefined &&
        ` ${format.seats(state.heldBack)} more are held back for earlier ones, a few seconds at most.`}
      {state.refused !== undefined && (
        <span className="rejected">
          {' '}
          The console itself refused {format.seats(state.refused.count)}. Last: {state.refused.last}
        </span>
      )}
    </>
  )
}

const OPTIONS = { observe: MODE.observe.word, enforce: MODE.enforce.word }

const ASKS: Readonly<Record<ProxyMode, { readonly title: string; readonly meaning: string }>> = {
  enforce: {
    title: 'Enforce flow control?',
    meaning: 'New requests wait in the engine’s queues and are rejected with 429 when the engine rejects them.',
  },
  observe: {
    title: 'Stop enforcing flow control?',
    meaning:
      'New requests pass to the server immediately; the engine only computes its decisions. Requests that are already queued stay queued.',
  },
}

/** Whether the proxy enforces or observes, switchable at runtime; nothing for sources that are not a proxy. */
export function ModeSwitch({ state }: { readonly state: LiveState }) {
  const [asked, setAsked] = useState<ProxyMode>()
  const mode = ProxyModeSchema.safeParse(state.mode).data
  if (mode === undefined) return null
  return (
    <>
      <Segment
        label="Proxy mode"
        value={mode}
        options={OPTIONS}
        onChange={(wanted) => {
          if (wanted !== mode) setAsked(wanted)
        }}
      />
      <Dialog.Root open={asked !== undefined} onOpenChange={(open) => !open && setAsked(undefined)}>
        <Dialog.Portal>
          <Dialog.Overlay className={dialog['veil']} />
          <Dialog.Content className={dialog['dialog']} aria-describedby={undefined}>
            {asked !== undefined && <Question asked={asked} title={state.title} onEnd={() => setAsked(undefined)} />}
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
    </>
  )
}

/** The requests of other people are affected: the switch needs a confirmation, which also switches editing on. */
function Question(props: { readonly asked: ProxyMode; readonly title: string; readonly onEnd: () => void }) {
  const { asked, title, onEnd } = props
  const editing = useObjects()?.editing.state === 'on'
  const { word } = MODE[asked]
  const change = async (): Promise<void> => {
    onEnd()
    try {
      if (!editing) {
        const switched = await ask('editing.switch', { on: true })
        if (switched.state === 'impossible') throw new ProblemError('forbidden', switched.why)
      }
      liveStore.setState({ state: await ask('live.mode', { mode: asked }) })
      say(MODE[asked].sentence)
    } catch (thrown) {
      sayFailure(thrown)
    }
  }
  return (
    <>
      <header className={dialog['head']}>
        <Dialog.Title>{ASKS[asked].title}</Dialog.Title>
      </header>
      <div className={styles['candidateBody']}>
        <p>{ASKS[asked].meaning} The engine restarts with empty state, as after a server start.</p>
        <p className="breaks code ink">{title}</p>
        <div className="flex at-end gap-8">
          <Button onClick={onEnd}>Cancel</Button>
          <Button primary onClick={() => void change()}>
            {editing ? word : `Switch editing on and ${word.toLowerCase()}`}
          </Button>
        </div>
      </div>
    </>
  )
}
