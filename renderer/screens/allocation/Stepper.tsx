import { useEffect, useMemo } from 'react'
import { RoundHistory } from '../../charts/RoundHistory.tsx'
import { Button } from '../../components/Button.tsx'
import { Icon } from '../../components/Icon.tsx'
import { isTyping } from '../../components/keys.ts'
import { NARROW, useMedia } from '../../components/hooks.ts'
import { settingsNow } from '../../state/settings.ts'
import { timeStore } from '../../state/time.ts'
import { useViewPart } from '../../state/view.ts'
import { format } from '../../theme/format.ts'
import styles from './allocation.module.css'
import { isUnexplained, markOf, type Round } from './rounds.data.ts'

export interface StepperProps {
  readonly rounds: readonly Round[]
  readonly shown: Round
  /** Whether the view follows the newest round. */
  readonly follows: boolean
}

/** Steps from one reallocation to another; at the end the view follows the newest again. */
export function Stepper({ rounds, shown, follows }: StepperProps) {
  const narrow = useMedia(NARROW)
  const past = useViewPart((view) => view.mode === 'past')
  const marks = useMemo(() => rounds.map(markOf), [rounds])
  const at = rounds.indexOf(shown)
  useStepKeys(rounds, at)
  const { step } = shown
  return (
    <>
      <div className={`${styles['stepper']} inline-flex edged round`} role="group" aria-label="Reallocation">
        <button
          type="button"
          aria-label="Previous reallocation"
          aria-keyshortcuts=","
          title="Previous reallocation (,)"
          disabled={at <= 0}
          onClick={() => showRound(rounds, at - 1)}
        >
          <span className={styles['back']}>
            <Icon name="play" size={11} />
          </span>
        </button>
        <time
          className={styles['time']}
          dateTime={new Date(step.at).toISOString()}
          title={`seen first, ${format.zone()}`}
        >
          {format.time(step.at)}
        </time>
        <button
          type="button"
          aria-label="Next reallocation"
          aria-keyshortcuts="."
          title="Next reallocation (.)"
          disabled={at >= rounds.length - 1}
          onClick={() => showRound(rounds, at + 1)}
        >
          <Icon name="play" size={11} />
        </button>
      </div>
      <p className="faint">{roundText(shown, past)}</p>
      {!follows && (
        <Button small onClick={() => timeStore.getState().setCursor()}>
          Follow the newest
        </Button>
      )}
      <div className="push">
        <RoundHistory
          marks={marks}
          shown={step.number}
          text={`${format.time(step.at)}, ${fractionText(shown)}`}
          width={narrow ? 160 : 250}
          onShow={(number) =>
            showRound(
              rounds,
              rounds.findIndex((round) => round.step.number === number),
            )
          }
        />
      </div>
    </>
  )
}

/** The newest round is shown without a cursor, so that the next one replaces it. */
function showRound(rounds: readonly Round[], index: number): void {
  const round = rounds[Math.max(0, Math.min(rounds.length - 1, index))]
  if (round === undefined) return
  timeStore.getState().setCursor(index >= rounds.length - 1 ? undefined : round.step.at)
}

/** `,` and `.` work wherever the focus is on this screen, like all single keys. */
function useStepKeys(rounds: readonly Round[], at: number): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const direction = event.key === ',' ? -1 : event.key === '.' ? 1 : 0
      if (direction === 0 || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      if (!settingsNow().singleKeys || isTyping(event.target)) return
      event.preventDefault()
      showRound(rounds, at + direction)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [rounds, at])
}

/** Rounds of the past have no number: they are counted from the first one that was read. */
function roundText({ step }: Round, past: boolean): string {
  const { number, at, since, after, follows } = step
  const round = past ? '' : `round ${format.fixed(number)}, `
  if (since === undefined) return `${round}the first seen`
  const seconds = format.fixed((at - since) / 1_000, 1)
  if (!follows) return `${round}rounds before it were missed within ${seconds} s`
  const late = after === undefined ? '' : `, seen ≤ ${format.fixed((at - after) / 1_000, 1)} s late`
  return `${round}≈ ${seconds} s observed${late}`
}

function fractionText(round: Round): string {
  const { expected } = round
  if (expected.kind === 'unknown') return 'not explained'
  const differs = isUnexplained(round) ? ', not as expected' : ''
  if (expected.regime !== 'solver') return `no fair fraction${differs}`
  return `fair fraction ${format.fairFraction(expected.fairFraction)}${differs}`
}
