import { useEffect, useMemo, useState } from 'react'
import { compare, type Comparison } from '../../../core/compare/compare.ts'
import { editMarks } from '../../../core/compare/notes.ts'
import { joinMarks, type Mark, type Period, type Periods } from '../../../core/compare/period.ts'
import { otherDifferences, type OtherDifference } from '../../../core/compare/surroundings.ts'
import { toProblem, type Problem } from '../../../core/errors.ts'
import type { JournalEntry } from '../../../core/contract/objects.ts'
import type { Moment } from '../../../core/contract/recording.ts'
import type { Connected } from '../../../core/contract/source.ts'
import type { Series } from '../../../core/history/series.ts'
import { knownObjects } from '../../../core/source/sourceEvent.ts'
import { onAnswer } from '../../state/answer.ts'
import { client } from '../../state/client.ts'
import { useServerMarks } from '../../state/marks.ts'
import { readSeries } from '../../state/series.ts'

interface Side {
  readonly period: Period
  readonly series: Series
  /** The state at its end; absent where nothing is recorded. */
  readonly moment: Moment | undefined
}

export type Compared =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly problem: Problem }
  | {
      readonly state: 'done'
      readonly a: Side
      readonly b: Side
      readonly comparison: Comparison
      readonly others: readonly OtherDifference[]
    }

/** Reads both periods of a server of the shown source and compares them. */
export function useComparison(connection: Connected, server: string | undefined, periods: Periods): Compared {
  const [known, setKnown] = useState<{ readonly of: Periods; readonly server: string; readonly compared: Compared }>()
  const { id } = connection
  useEffect(() => {
    if (server === undefined) return undefined
    return onAnswer(
      () => read(id, server, periods),
      (compared) => setKnown({ of: periods, server, compared }),
    )
  }, [id, server, periods])
  return known !== undefined && known.of === periods && known.server === server ? known.compared : LOADING
}

const LOADING: Compared = { state: 'loading' }

async function read(id: number, server: string, { a, b }: Periods): Promise<Compared> {
  try {
    const past = await openPast(id)
    const [sideA, sideB] = await Promise.all([
      readSide({ id, past, server, period: a }),
      readSide({ id, past, server, period: b }),
    ])
    const comparison = compare(sideA, sideB)
    const others = otherDifferences(surroundingsOf(sideA, server), surroundingsOf(sideB, server))
    return { state: 'done', a: sideA, b: sideB, comparison, others }
  } catch (thrown) {
    return { state: 'failed', problem: toProblem(thrown) }
  }
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

async function readSide({ id, past, server, period }: Reading): Promise<Side> {
  const [series, moment] = await Promise.all([
    readSeries(client(), { connection: id, past, server, ...period }),
    past === undefined
      ? undefined
      : client()
          .call('past.moment', { connection: past, at: period.to })
          .catch(() => undefined),
  ])
  return { period, series, moment }
}

const surroundingsOf = ({ moment }: Side, server: string) => ({
  server: moment?.frame?.servers.find(({ id }) => id === server),
  objects: moment?.objects && knownObjects(moment.objects),
})

/** Instants by which periods can be aligned: edits of this console, and marks of the shown server. */
export function useMarks(id: number): readonly Mark[] {
  const marks = useServerMarks()
  const [journal, setJournal] = useState<readonly JournalEntry[]>([])
  // A source without objects has no journal; the other marks stay.
  useEffect(() => onAnswer(() => client().call('journal.read', { connection: id }), setJournal), [id])
  return useMemo(() => joinMarks(editMarks(journal), marks), [journal, marks])
}
