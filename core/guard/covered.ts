import { amount, LEVEL_COLUMN, phrase, type Column, type Sentence, type Table } from '../answer/answer.ts'
import { plural } from '../text/format.ts'
import { fewOf } from '../text/text.ts'
import { classifyingConfiguration } from '../classify/configuration.ts'
import { coverageRows, QUIET_AFTER_MS, type Coverage, type CoverageRow, type Standing } from '../classify/coverage.ts'
import { CATCH_ALL, type ObjectSet } from '../config/objects.ts'
import { shadowedBy } from './shadowing.ts'

/** Objects prepared for the rows of one configuration. */
export function rowsOf(objects: ObjectSet): (coverage: Coverage) => readonly CoverageRow[] {
  const { order, dangling } = classifyingConfiguration(objects)
  const shadowed = new Map(shadowedBy(objects).map(({ schema, by }) => [schema, by]))
  return (coverage) => coverageRows(coverage, { order, dangling, shadowed })
}

/** Whether a schema gets requests, or why it gets none, in words. */
export function standingSentence(standing: Standing, schema: string, level: string): Sentence {
  switch (standing.kind) {
    case 'traffic':
      return ['has traffic']
    case 'quiet':
      if (standing.forMs === 0) return ['some since the start']
      return standing.forMs < QUIET_AFTER_MS
        ? phrase`none in the ${amount('age')(standing.forMs)} watched, some before`
        : phrase`no request for ${amount('age')(standing.forMs)}`
    case 'never':
      return ['no request since the start']
    case 'shadowed':
      if (schema === CATCH_ALL) return ['can never match, as intended']
      return standing.by.length === 0
        ? ['can never match: its rules match nothing']
        : [`can never match: ${fewOf(standing.by)} ${plural(standing.by.length, 'matches', 'match')} all its requests`]
    case 'dangling':
      return [`inactive: there is no level ${level}`]
    case 'removed':
      return ['not among these objects']
    case 'unknown':
      return ['unknown']
  }
}

/** Every schema and its requests; `rates` are those dispatched per second, `counts` the ones between samples. */
export function coverageTable(rows: readonly CoverageRow[], rates?: ReadonlyMap<string, number>, counts = true): Table {
  const number = (id: string, label: string, title: string): Column => ({ id, label, title, align: 'right' })
  const of = <T>(isShown: boolean, one: T): readonly T[] => (isShown ? [one] : [])
  const count = amount('fixed')
  return {
    title: 'Flow schemas and their requests',
    note: 'in matching order',
    columns: [
      { id: 'order', label: 'Order', term: 'matching-precedence', align: 'right' },
      { id: 'schema', label: 'Flow schema', term: 'flow-schema' },
      LEVEL_COLUMN,
      { id: 'standing', label: 'Requests' },
      ...of<Column>(rates !== undefined, { id: 'rate', label: 'Dispatched /s', term: 'dispatched', align: 'right' }),
      ...of(
        counts,
        number('counted', 'Counted', 'Requests dispatched or rejected since the first sample, of all servers'),
      ),
      number('total', 'Since start', 'Requests dispatched or rejected since the servers started'),
      number('seen', 'Seen', 'Requests that dumps showed, each once'),
      { id: 'flows', label: 'Flows', term: 'flow', align: 'right' },
    ],
    rows: rows.map(({ schema, level, matchingPrecedence, standing, counted, total, seen }) => [
      matchingPrecedence === undefined ? count(undefined) : String(matchingPrecedence),
      schema,
      level,
      standingSentence(standing, schema, level),
      ...of(rates !== undefined, amount('significant')(rates?.get(schema) ?? (total === 0 ? 0 : undefined))),
      ...of(counts, count(counted)),
      count(total),
      count(seen?.requests),
      count(seen?.flows),
    ]),
  }
}
