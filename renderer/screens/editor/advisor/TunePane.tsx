import { useState } from 'react'
import { ObjectSetSchema } from '../../../../core/config/schema.ts'
import { TUNE_SEEDS } from '../../../../core/bounds.ts'
import type { TuneAnswer, TuneWish } from '../../../../core/contract/tune.ts'
import { filledLines } from '../../../../core/text/text.ts'
import { presentTune } from '../../../../core/tune/present.ts'
import { AnswerPart } from '../../../components/answer/Answer.tsx'
import { Button, Buttons, Check } from '../../../components/Button.tsx'
import { SelectField, TextArea, TextField } from '../../../components/Field.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { Note, ProblemNote, Sentences } from '../../../components/States.tsx'
import { useConnected } from '../../../state/connection.ts'
import { useRefusal } from '../../../state/limits.ts'
import { openDraft } from '../../../state/openDraft.ts'
import { pastStore, usePastPart } from '../../../state/past.ts'
import { timeStore } from '../../../state/time.ts'
import { useViewPart } from '../../../state/view.ts'
import { format } from '../../../theme/format.ts'
import { type Impact, useImpact } from '../draft/forecast.ts'
import { cancelTune, startTune, type TuneForm, tuneStore } from './tuneRun.ts'

const TITLE = 'Search for the smallest edit'

/** Searches for the smallest edit that meets goals given in words, as a draft with its evidence; nothing is applied. */
export function TunePane() {
  const why = useRefusal('tune')
  const impact = useImpact()
  const connection = useConnected()?.id
  if (connection === undefined || impact === undefined) return null
  return (
    <Pane title={TITLE} note="on the traffic of this source; nothing is applied">
      {why === undefined ? <Search impact={impact} connection={connection} /> : <Note kind="info">{why}</Note>}
    </Pane>
  )
}

const RECORDED = ['recorded', 'Requests recorded in the time range shown'] as const
const FROM = [['twin', 'Twin of this server, from its newest requests'], RECORDED] as const
const FROM_PAST = [['twin', 'Twin of this server, from its requests before the shown instant'], RECORDED] as const

function Search({ impact, connection }: { readonly impact: Impact; readonly connection: number }) {
  const form = tuneStore((state) => state.form)
  const run = tuneStore((state) => state.run)
  const server = useViewPart((view) => view.server?.id)
  const isPast = usePastPart(({ moment }) => moment !== undefined)
  const [wrong, setWrong] = useState<string>()
  const shown = run?.connection === connection ? run : undefined
  const change = (next: Partial<TuneForm>): void => {
    setWrong(undefined)
    tuneStore.setState({ form: { ...form, ...next } })
  }
  const levels = impact.before.levels.flatMap(({ metadata: { name }, spec }) =>
    spec.limited === undefined ? [] : [name],
  )
  const search = (): void => {
    const read = wishOf(form, { impact, connection, server, levels })
    if (typeof read === 'string') setWrong(read)
    else startTune(read)
  }
  const { from, goals, guardRails, kept, seeds } = form
  return (
    <div className="stack one-column gap-12 pad-x pad-b-16">
      <div className="stack top halves gap-12">
        <TextArea
          label="Goals, one per line"
          rows={3}
          value={goals}
          hint="Such as: wait p99 of workload-low < 1 s; leader-election never waits"
          error={wrong}
          onChange={(text) => change({ goals: text })}
        />
        <TextArea
          label="Guard rails, one per line"
          rows={3}
          value={guardRails}
          onChange={(text) => change({ guardRails: text })}
        />
        <SelectField
          label="Traffic"
          value={from}
          options={isPast ? FROM_PAST : FROM}
          onChange={(text) => change({ from: text === 'recorded' ? 'recorded' : 'twin' })}
        />
        {from === 'twin' && (
          <TextField
            label="Seeds"
            kind="number"
            value={seeds}
            hint="The best edits are run with each"
            onChange={(text) => change({ seeds: text })}
          />
        )}
      </div>
      <fieldset className="flex wrap gap-4 columns-16">
        <legend>Levels that may change</legend>
        {levels.map((level) => (
          <Check
            key={level}
            label={level}
            checked={!kept.includes(level)}
            onChange={(may) => change({ kept: may ? kept.filter((one) => one !== level) : [...kept, level] })}
          />
        ))}
      </fieldset>
      <Buttons>
        {shown?.state === 'running' ? (
          <>
            <progress max={1} value={shown.part} aria-label="Progress of the search" />
            <span>{format.percent(shown.part)}</span>
            <Button onClick={cancelTune}>Cancel</Button>
          </>
        ) : (
          <Button onClick={search}>Search</Button>
        )}
      </Buttons>
      {shown?.state === 'failed' && <ProblemNote problem={shown.problem} alert />}
      {shown?.state === 'done' && <Found report={shown.report} />}
    </div>
  )
}

/** The wish for the search, or what is missing: a sentence. */
function wishOf(
  { from, goals, guardRails, kept, seeds }: TuneForm,
  given: {
    readonly impact: Impact
    readonly connection: number
    readonly server: string | undefined
    readonly levels: readonly string[]
  },
): TuneWish | string {
  const { impact, connection, server, levels } = given
  const count = Number(seeds)
  const wanted = filledLines(goals)
  const may = levels.filter((level) => !kept.includes(level))
  if (wanted.length === 0) return 'Enter a goal, such as “wait p99 of workload-low < 1 s”.'
  if (may.length === 0) return 'Select a level that may change.'
  if (!Number.isInteger(count) || count < TUNE_SEEDS.min || count > TUNE_SEEDS.max)
    return `Seeds: enter a whole number from ${TUNE_SEEDS.min} to ${TUNE_SEEDS.max}.`
  const { from: start, to } = timeStore.getState()
  const at = pastStore.getState().moment?.at
  if (from === 'twin' && server === undefined) return 'No server of this source is shown yet.'
  return {
    from:
      from === 'twin'
        ? { kind: 'twin', connection, server: server ?? '', ...(at !== undefined && { at }) }
        : { kind: 'recorded', connection, from: start, to },
    before: ObjectSetSchema.parse(impact.before),
    serverLimit: impact.limit.seats,
    version: impact.version,
    goals: wanted,
    guardRails: filledLines(guardRails),
    levels: may,
    seeds: count,
  }
}

const Found = ({ report }: { readonly report: TuneAnswer }) => (
  <>
    {/* How far the numbers can be relied on comes before them. */}
    <Sentences of={report.notes} className="stack gap-4 breaks muted" />
    {presentTune(report).map((answer, index) => {
      const name = index > 0 ? 'the runner-up' : report.answer.met ? 'the smallest edit' : 'the closest edit'
      const { objects = [] } = (index === 0 ? report.answer : report.runnerUp) ?? {}
      return (
        <AnswerPart key={name} answer={answer}>
          {objects.length > 0 && (
            <Buttons>
              <Button small onClick={() => openDraft(objects)}>{`Open ${name} as draft`}</Button>
            </Buttons>
          )}
        </AnswerPart>
      )
    })}
  </>
)
