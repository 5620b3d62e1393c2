import { allRejected, recentRejected } from '../../../../core/frame/recent.ts'
import { unixMsOf } from '../../../../core/units.ts'
import { Button } from '../../../components/Button.tsx'
import type { Applied } from '../../../state/draftApply.ts'
import { openScreen } from '../../../state/route.ts'
import { timeStore } from '../../../state/time.ts'
import { useViewPart, type View } from '../../../state/view.ts'
import { format } from '../../../theme/format.ts'
import { affectedLevels } from './verdict.text.ts'
import styles from './aside.module.css'

/** The levels that an application changed, right before it and now; the charts get a mark at that instant. */
export function EffectsPane({ applied: { report, before } }: { readonly applied: Applied }) {
  const { at, verdicts } = report
  const server = useViewPart((view) => view.server)
  const derivedServer = useViewPart((view) => view.derivedServer)
  const levels = affectedLevels(verdicts)
  if (levels.length === 0) return null
  const show = (level: string): void => {
    timeStore.getState().setCursor(unixMsOf(at))
    openScreen('level', level)
  }
  return levels.map((level) => {
    const [was, is] = [measured(before, level), measured({ server, derivedServer }, level)]
    return (
      <table key={level} className={styles['effect']} aria-label={`Effect on ${level}`}>
        <thead>
          <tr>
            <th scope="col">{level}</th>
            <th scope="col">Before</th>
            <th scope="col">Now</th>
          </tr>
        </thead>
        <tbody>
          {ROWS.map(({ label, show: text }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{text(was)}</td>
              <td>{text(is)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <td colSpan={3}>
              <Button small onClick={() => show(level)}>
                {`See the effect on ${level}`}
              </Button>
            </td>
          </tr>
        </tfoot>
      </table>
    )
  })
}

interface Measured {
  readonly nominal?: number | undefined
  readonly executing?: number | undefined
  readonly waiting?: number | undefined
  readonly rejected?: number | undefined
}

/** What a server reported of a level; empty for a level that it did not have. */
function measured({ server, derivedServer }: Pick<View, 'server' | 'derivedServer'>, level: string): Measured {
  const found = server?.levels.find(({ name }) => name === level)
  if (found === undefined) return {}
  const by = recentRejected(derivedServer?.levels.find(({ name }) => name === level)?.recent)
  return {
    nominal: found.limits.nominal,
    executing: found.seats.executing,
    waiting: found.requests.queued,
    rejected: by && allRejected(by),
  }
}

const ROWS: readonly { readonly label: string; readonly show: (of: Measured) => string }[] = [
  { label: 'Nominal seats', show: ({ nominal }) => format.seats(nominal) },
  { label: 'Seats in use', show: ({ executing }) => format.seats(executing) },
  { label: 'Waiting requests', show: ({ waiting }) => format.seats(waiting) },
  { label: 'Rejected per second', show: ({ rejected }) => format.rate(rejected) },
]
