import { useCallback, useEffect, useMemo, useState } from 'react'
import { compare, type Comparison } from '../../../core/compare/compare.ts'
import { editMarks } from '../../../core/compare/notes.ts'
import { joinMarks, type Mark, type Period, type Periods } from '../../../core/compare/period.ts'
import { otherDifferences, type OtherDifference } from '../../../core/compare/surroundings.ts'
import type { JournalEntry } from '../../../core/contract/objects.ts'
import type { Moment } from '../../../core/contract/recording.ts'
import type { Connected } from '../../../core/contract/source.ts'
import type { Series } from '../../../core/history/series.ts'
import { knownObjects } from '../../../core/source/sourceEvent.ts'
import { useRun, type AskedRun } from '../../components/useRun.ts'
import { onAnswer } from '../../state/answer.ts'
import { client } from '../../state/client.ts'
import { useServerMarks } from '../../state/marks.ts'
import { answerOf, type Waiter } from '../../state/running.ts'
import { CHART_POINTS, readSeries } from '../../state/series.ts'

interface Side {
  readonly period: Period
  readonly series: Series
  /** The state at its end; absent where nothing is recorded. */
  readonly moment: Moment | undefined
}

export interface Compared {
  readonly a: Side
  readonly b: Side
  readonly comparison: Comparison
  readonly others: readonly OtherDifference[]
}

/** Reads both periods of a server of the shown source and compares them. */
export function useComparison({ id }: Connected, server: string | undefined, periods: Periods): AskedRun<Compared> {
  const read = useCallback((waiter: Waiter) => readBoth(id, server ?? '', periods, waiter), [id, server, periods])
  return useRun(`${id} ${server} ${JSON.stringify(periods)}`, server === undefined ? undefined : read)
}

async function readBoth(id: number, server: string, { a, b }: Periods, waiter: Waiter): Promise<Compared> {
  const past = await openPast(id)
  const { onPart, signal } = waiter
  const sideA = await readSide({ id, past, server, period: a }, { signal, onPart: (part) => onPart?.(part / 2) })
  const sideB = await readSide({ id, past, server, period: b }, { signal, onPart: (part) => onPart?.(0.5 + part / 2) })
  const comparison = compare(sideA, sideB)
  const others = otherDifferences(surroundingsOf(sideA, server), surroundingsOf(sideB, server))
  return { a: sideA, b: sideB, comparison, others }
}

/** The connection that reads the recording; without one, the source itself still has its own last minutes. */
const openPast = (connection: number): Promise<number | undefined> =>
  client()
    .call('past.open', { connection })
    .catch(() => undefined)

interface Reading {
  readonly id: number
  readonly past: number | undefined
  readonly server: string
  readonly period: Period
}

async function readSide({ id, past, server, period }: Reading, waiter: Waiter): Promise<Side> {
  const wish = { server, ...period, maxPoints: CHART_POINTS }
  const recorded = past === undefined ? undefined : answerOf('pastPeriod', { connection: past, ...wish }, waiter)
  const [series, end] = await Promise.all([
    readSeries(
      client(),
      { connection: id, past, ...wish },
      recorded?.then((read) => read.series),
    ),
    recorded,
  ])
  return { period, series, moment: end?.moment }
}

const surroundingsOf = ({ moment }: Side, server: string) => ({
  server: moment?.frame?.servers.find(({ id }) => id === server),
  objects: moment?.objects && knownObjects(moment.objects),
})

/**
 * Instants by which periods can be aligned: edits of this console, and marks of the shown server. Undefined until it is
 * known whether there are edits: the first periods lie around the newest mark.
 */
export function useMarks(id: number): readonly Mark[] | undefined {
  const marks = useServerMarks()
  const [journal, setJournal] = useState<readonly JournalEntry[]>()
  // A source without objects has no journal; the other marks stay.
  useEffect(
    () =>
      onAnswer(() => client().call('journal.read', { connection: id }), setJournal, {
        onProblem: () => setJournal([]),
      }),
    [id],
  )
  return useMemo(() => journal && joinMarks(editMarks(journal), marks), [journal, marks])
}
