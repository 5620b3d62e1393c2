import type { Diagnosis } from '../../../core/contract/diagnosis.ts'
import { listed } from '../../../core/text/text.ts'
import { type Examined, ExaminedPage, LimitsPane } from '../../components/ExaminedPage.tsx'
import { answerOf, type Waiter } from '../../state/running.ts'
import { format } from '../../theme/format.ts'
import { FindingPane } from './FindingPane.tsx'

const EVERY_MS = 15_000

const read = (of: Examined, waiter: Waiter): Promise<Diagnosis> => answerOf('diagnosis', of, waiter)

const evidenceOf = ({ from, to, servers }: Diagnosis): string =>
  `Samples from ${format.time(from)} to ${format.time(to)}${servers.length === 0 ? '' : `, ${servers.join(', ')}`}.`

/** Why requests wait, are rejected or are slow, now or at the shown instant of the past. */
export function DiagnosisScreen() {
  return (
    <ExaminedPage
      title="Diagnosis"
      what="diagnosis"
      purpose="Diagnosis explains why requests of a connected source wait, are rejected or are slow."
      everyMs={EVERY_MS}
      read={read}
      evidenceOf={evidenceOf}
      renderMain={({ findings }) =>
        findings.map((finding, index) => (
          <FindingPane key={`${finding.cause} ${JSON.stringify(finding.place)}`} finding={finding} number={index + 1} />
        ))
      }
      renderBeside={(diagnosis) => (
        <>
          <LimitsPane limits={diagnosis.limits} />
          <Excluded diagnosis={diagnosis} />
        </>
      )}
    />
  )
}

/** Folded: the cause is what is read here, not why the others do not apply. */
function Excluded({ diagnosis: { excluded, notShown } }: { readonly diagnosis: Diagnosis }) {
  if (excluded.length === 0) return null
  return (
    <details className="pad-x pad-y-10 muted">
      <summary>{format.counted(excluded.length, 'cause is excluded', 'causes are excluded')}</summary>
      <dl className="pad-t-8 stack gap-8 breaks">
        {excluded.map(({ cause, title, because }) => (
          <div key={cause}>
            <dt className="strong">{title}</dt>
            <dd>{because}</dd>
          </div>
        ))}
      </dl>
      {notShown.length > 0 && <p className="pad-t-8">{`Not shown by the data: ${listed(notShown)}.`}</p>}
    </details>
  )
}
