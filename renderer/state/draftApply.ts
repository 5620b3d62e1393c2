import { create } from 'zustand'
import type { ObjectSet } from '../../core/config/objects.ts'
import type { ForecastReport } from '../../core/contract/forecast.ts'
import type { ApplyReport, ChangeVerdict, CheckReport } from '../../core/contract/objects.ts'
import { toProblem, type Problem } from '../../core/errors.ts'
import { changesOf } from '../../core/draft/readEntry.ts'
import { reverted, type DraftEntries } from '../../core/draft/draft.ts'
import { ask } from './connection.ts'
import { draftNow, settleDraft } from './draft.ts'
import { viewStore, type View } from './view.ts'

/** A dry run of one draft. */
export interface DryRun {
  readonly of: DraftEntries
  readonly outcome:
    | { readonly state: 'running' }
    | { readonly state: 'answered'; readonly report: CheckReport }
    | { readonly state: 'failed'; readonly problem: Problem }
}

/** The result of the last application. */
export interface Applied {
  readonly report: ApplyReport
  /** The target, by the name that the operator uses: `prod-eu-1`. */
  readonly target: string
  /** The server that was shown when the application was sent. */
  readonly before: Pick<View, 'server' | 'derivedServer'>
}

export interface DraftApplyState {
  /** The draft whose seat impact was on the screen. */
  readonly seen?: DraftEntries
  readonly dryRun?: DryRun
  readonly applying: boolean
  readonly applied?: Applied
  /** Why the last application failed as a whole. */
  readonly problem?: Problem
}

export const draftApplyStore = create<DraftApplyState>(() => ({ applying: false }))

/** The forecast on the screen, and the objects after its draft; none while another one is computed. */
export const shownForecastStore = create<{
  readonly shown?: { readonly after: ObjectSet; readonly report: ForecastReport }
}>(() => ({}))

export function markSeen(of: DraftEntries): void {
  if (draftApplyStore.getState().seen !== of) draftApplyStore.setState({ seen: of })
}

/** Runs a server-side dry run of the draft; changes nothing. */
export async function runDry(): Promise<void> {
  const { entries: of, reads, base } = draftNow()
  if (base === undefined) return
  const changes = changesOf(reads, base.objects)
  if (changes.length === 0) return
  const setOutcome = (outcome: DryRun['outcome']): void => draftApplyStore.setState({ dryRun: { of, outcome } })
  setOutcome({ state: 'running' })
  try {
    setOutcome({ state: 'answered', report: await ask('objects.check', { changes: [...changes] }) })
  } catch (thrown) {
    setOutcome({ state: 'failed', problem: toProblem(thrown) })
  }
}

/**
 * Applies the draft. Accepted objects leave the draft, unless they were changed in the meantime; the rest stays with
 * the server's answer.
 */
export async function applyDraft(options: {
  readonly target: string
  readonly label: string
  readonly force: boolean
}): Promise<void> {
  const { entries: of, reads, base, proposal } = draftNow()
  if (base === undefined || draftApplyStore.getState().applying) return
  const changes = changesOf(reads, base.objects)
  const { target, label, force } = options
  const { server, derivedServer } = viewStore.getState()
  const shown = shownForecastStore.getState().shown
  const forecast = shown !== undefined && shown.after === proposal?.objects ? { forecast: shown.report } : {}
  const watch = server === undefined ? {} : { watch: { server: server.id, ...forecast } }
  draftApplyStore.setState({ applying: true })
  try {
    const given = { changes: [...changes], force, ...watch, ...(label !== '' && { label }) }
    const report = await ask('objects.apply', given)
    const taken = report.verdicts.filter(isDone)
    settleDraft((entries) =>
      taken.reduce((left, verdict) => {
        const sent = reads.find(({ entry, name }) => entry.kind === verdict.kind && name === verdict.name)?.entry
        return sent !== undefined && left.includes(sent) ? reverted(left, sent) : left
      }, entries),
    )
    replace({ applied: { report, target, before: { server, derivedServer } }, ...seenOf(of) })
  } catch (thrown) {
    replace({ problem: toProblem(thrown), ...seenOf(of) })
  }
}

const isDone = ({ outcome }: ChangeVerdict): boolean => outcome === 'accepted' || outcome === 'unchanged'

const seenOf = (of: DraftEntries) => ({ seen: of })

const replace = (state: Omit<DraftApplyState, 'applying'>): void =>
  draftApplyStore.setState({ applying: false, ...state }, true)

/** Closes the last report. */
export const dismissApplied = (): void => {
  const { seen } = draftApplyStore.getState()
  replace(seen === undefined ? {} : { seen })
}
