import { useEffect } from 'react'
import type { Settings } from '../../core/contract/settings.ts'
import { connectionStore } from './connection.ts'
import { dismiss } from './dismissed.ts'
import { NOTE_IDS } from './firstRun.ts'
import { changeSettings, settingsNow } from './settings.ts'
import { say } from './shell.ts'

/** The task in which the notes of the first run end, step by step. */
export const TASK_STEPS = ['culprit', 'fix', 'effect'] as const
type TaskStep = (typeof TASK_STEPS)[number]

/** The notes end in it; it is on simulations alone, and never begins again by itself. */
export function beginTask(): void {
  dismiss(...NOTE_IDS)
  toStep('culprit')
}

export const toStep = (task: Settings['task']): void => changeSettings({ task })

/** Called where a step is really done. Who applies a fix has found what to fix, wherever that was. */
export function didStep(step: TaskStep): void {
  const { task } = settingsNow()
  const isNext = task === step || (task === 'culprit' && step === 'fix')
  if (!isNext || connectionStore.getState().connection?.source.kind !== 'simulation') return
  const next = TASK_STEPS[TASK_STEPS.indexOf(step) + 1] ?? 'none'
  toStep(next)
  if (next === 'none') say('Task done: you found a culprit, applied a fix and saw its effect.')
}

/** For a part of a screen that shows what a step is about. */
export const useDidStep = (step: TaskStep, isShown: boolean): void =>
  useEffect(() => {
    if (isShown) didStep(step)
  }, [step, isShown])
