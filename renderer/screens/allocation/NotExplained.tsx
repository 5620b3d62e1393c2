import { FAMILY, type FamilyKey } from '../../../core/metrics/familyNames.ts'
import { NEEDED_GAUGES } from '../../../core/impact/expected.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import { EmptyState } from '../../components/States.tsx'
import type { Round } from './rounds.data.ts'

const NEEDED: readonly FamilyKey[] = [...NEEDED_GAUGES, 'current']

/** No limits, or not what they follow from: which families the server does not show, and why. */
export function NotExplained({ server, round }: { readonly server: ServerFrame; readonly round: Round | undefined }) {
  if (server.levels.length === 0) {
    return (
      <EmptyState title="This server reports no priority level.">
        Priority and fairness may be switched off (--enable-priority-and-fairness=false), or the page holds no
        flow-control family.
      </EmptyState>
    )
  }
  const families: readonly string[] = NEEDED.map((key) => FAMILY[key])
  const missing = server.missing.filter(({ family }) => families.includes(family))
  const partly = round?.expected.kind === 'unknown' ? round.expected.missing.map((gauge) => FAMILY[gauge]) : []
  const rest = partly.filter((family) => missing.every((entry) => entry.family !== family))
  return (
    <EmptyState
      title={
        round === undefined
          ? 'This server does not show its current limits.'
          : 'What these limits follow from is not reported in full.'
      }
    >
      {missing.map(({ family, note }) => (
        <p key={family}>
          <span className="mono">{family}</span> is not there. {note}
        </p>
      ))}
      {rest.map((family) => (
        <p key={family}>
          <span className="mono">{family}</span> is not there for every level.
        </p>
      ))}
    </EmptyState>
  )
}
