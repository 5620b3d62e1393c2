import { lazy, Suspense, useCallback, useState } from 'react'
import { MOST_NODES } from '../../../../core/bounds.ts'
import type { Advice } from '../../../../core/contract/advice.ts'
import { TextField } from '../../../components/Field.tsx'
import { type Examined, ExaminedPage, LimitsPane } from '../../../components/ExaminedPage.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { PlainTable } from '../../../components/PlainTable.tsx'
import { valueColumn, numberColumn, type DataColumn } from '../../../components/dataColumns.ts'
import { answerOf, type Waiter } from '../../../state/running.ts'
import { format } from '../../../theme/format.ts'
import { EvidencePane, ImpactPane, SuggestionRow } from './Suggestion.tsx'

const TunePane = lazy(async () => ({ default: (await import('./TunePane.tsx')).TunePane }))

const EVERY_MS = 30_000

const evidenceOf = ({ verdict, summary, from, to, servers }: Advice): string =>
  [
    verdict === undefined ? '' : summary,
    servers.length === 0 ? '' : `Samples from ${format.time(from)} to ${format.time(to)}, ${servers.join(', ')}.`,
    'A suggestion becomes a draft; nothing is applied from here.',
  ].join(' ')

/** Suggested changes with evidence, from all data that the source has provided (design 3.11). */
export function AdvisorPage() {
  const [typed, setTyped] = useState('')
  const nodes = nodesIn(typed)
  const read = useCallback(
    (of: Examined, waiter: Waiter) => answerOf('advice', { ...of, ...(nodes !== undefined && { nodes }) }, waiter),
    [nodes],
  )
  const [chosen, setChosen] = useState(0)
  const chosenOf = ({ suggestions }: Advice) => {
    const at = Math.min(chosen, suggestions.length - 1)
    const suggestion = suggestions[at]
    return suggestion && { suggestion, number: at + 1 }
  }
  return (
    <ExaminedPage
      title="Advisor"
      what="advice"
      purpose="Advisor suggests edits, flags and scrape settings from what a connected source used."
      everyMs={EVERY_MS}
      read={read}
      evidenceOf={evidenceOf}
      renderMain={(advice) => {
        const one = chosenOf(advice)
        return (
          <>
            <Pane title="Suggestions" note="present problems first">
              <ol>
                {advice.suggestions.map((suggestion, index) => (
                  <SuggestionRow
                    key={`${suggestion.kind} ${suggestion.title}`}
                    suggestion={suggestion}
                    number={index + 1}
                    isChosen={index + 1 === one?.number}
                    onChoose={() => setChosen(index)}
                  />
                ))}
              </ol>
            </Pane>
            {one && <ImpactPane {...one} />}
            <Suspense>
              <TunePane />
            </Suspense>
          </>
        )
      }}
      renderBeside={(advice) => {
        const one = chosenOf(advice)
        return (
          <>
            {one && <EvidencePane {...one} />}
            <EnoughPane advice={advice} />
            <Pane title="Cluster size">
              <div className="pad-x pad-b-16">
                <TextField
                  label="Nodes"
                  kind="number"
                  value={typed}
                  onChange={setTyped}
                  {...(typed !== '' && nodes === undefined
                    ? { error: `Enter a whole number from 1 to ${MOST_NODES}.` }
                    : {})}
                />
              </div>
            </Pane>
            <LimitsPane limits={advice.limits} />
          </>
        )
      }}
    />
  )
}

function nodesIn(text: string): number | undefined {
  const nodes = /^\d{1,6}$/.test(text.trim()) ? Number(text) : 0
  return nodes >= 1 && nodes <= MOST_NODES ? nodes : undefined
}

type Enough = Advice['enough'][number]

/** The seats that would have covered the demand of all levels. */
function EnoughPane({ advice: { enough, serverLimit } }: { readonly advice: Advice }) {
  if (enough.length === 0) return null
  const columns: readonly DataColumn<Enough>[] = [
    { id: 'share', header: 'Share of time', rowHeader: true, value: ({ share }) => `${Math.round(share * 100)} %` },
    numberColumn('seats', 'Seats', ({ seats }) => seats),
    valueColumn('fits', 'Fits', ({ seats }) => (serverLimit === undefined ? '' : seats <= serverLimit ? 'yes' : 'no')),
  ]
  return (
    <Pane
      title="Sufficient seats"
      {...(serverLimit !== undefined && { note: `the server has ${format.seats(serverLimit)}` })}
    >
      <PlainTable
        caption="Seats that cover the demand of all levels, by share of the time"
        columns={columns}
        rows={enough}
        rowKey={({ share }) => share}
      />
    </Pane>
  )
}
