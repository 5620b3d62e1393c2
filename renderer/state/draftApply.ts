import { create } from 'zustand'
import { AUTOUPDATE_ANNOTATION, type ObjectSet } from '../../core/config/objects.ts'
import type { ForecastReport } from '../../core/contract/forecast.ts'
import type { ApplyReport, ChangeVerdict, CheckReport, ObjectChange } from '../../core/contract/objects.ts'
import { type Problem, toProblem } from '../../core/errors.ts'
import { changesOf } from '../../core/draft/readEntry.ts'
import { reverted, sameRef, type DraftEntries } from '../../core/draft/draft.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import type { ObjectRef } from '../../core/guard/finding.ts'
import { isMap, setIn, toJson } from '../../core/manifest/json.ts'
import { ask, connectionStore } from './connection.ts'
import { draftNow, settleDraft } from './draft.ts'
import { didStep } from './firstTask.ts'
import { viewStore } from './view.ts'

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
  readonly before: ServerFrame | undefined
}

export interface DraftApplyState {
  /** The draft whose seat impact was on the screen. */
  readonly seen?: DraftEntries
  readonly dryRun?: DryRun
  readonly applying: boolean
  /** The connection of the last application: its outcome is shown for no other one. */
  readonly of?: number
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
  /** Built-in objects that get the annotation by which the API server keeps an edit. */
  readonly keep: readonly ObjectRef[]
}): Promise<void> {
  const { entries: seen, reads, base, proposal } = draftNow()
  if (base === undefined || draftApplyStore.getState().applying) return
  const { target, label, force, keep } = options
  const changes = changesOf(reads, base.objects).map((change) =>
    keep.some((ref) => sameRef(ref, change)) ? kept(change) : change,
  )
  const { server } = viewStore.getState()
  const of = connectionStore.getState().connection?.id
  const shown = shownForecastStore.getState().shown
  const forecast = shown !== undefined && shown.after === proposal?.objects ? { forecast: shown.report } : {}
  const watch = server === undefined ? {} : { watch: { server: server.id, ...forecast } }
  draftApplyStore.setState({ applying: true })
  try {
    const given = { changes: [...changes], force, ...watch, ...(label !== '' && { label }) }
    const report = await ask('objects.apply', given)
    const taken = report.verdicts.filter(isDone)
    if (taken.length > 0) didStep('fix')
    settleDraft((entries) =>
      taken.reduce((left, verdict) => {
        const sent = reads.find(({ entry, name }) => entry.kind === verdict.kind && name === verdict.name)?.entry
        return sent !== undefined && left.includes(sent) ? reverted(left, sent) : left
      }, entries),
    )
    replace({ applied: { report, target, before: server }, seen, of })
  } catch (thrown) {
    replace({ problem: toProblem(thrown), seen, of })
  }
}

/** The change with the annotation that tells the API server to leave its built-in object as edited. */
function kept(change: ObjectChange): ObjectChange {
  const set = setIn(toJson(change.object), ['metadata', 'annotations', AUTOUPDATE_ANNOTATION], 'false')
  return set.ok && isMap(set.value) ? { ...change, object: { ...set.value } } : change
}

const isDone = ({ outcome }: ChangeVerdict): boolean => outcome === 'accepted' || outcome === 'unchanged'

const replace = ({
  of,
  ...state
}: Omit<DraftApplyState, 'applying' | 'of'> & { readonly of?: number | undefined }): void =>
  draftApplyStore.setState({ applying: false, ...state, ...(of !== undefined && { of }) }, true)

/** Closes the last report. */
export const dismissApplied = (): void => {
  const { seen } = draftApplyStore.getState()
  replace(seen === undefined ? {} : { seen })
}
