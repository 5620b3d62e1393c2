import { useMemo } from 'react'
import type { CausePlace } from '../../../core/contract/diagnosis.ts'
import { flowName } from '../../../core/frame/flow.ts'
import { LevelHistory } from '../../charts/LevelHistory.tsx'
import { useDump } from '../../state/dumps.ts'
import { dumpOfLevel, flowRows, type FlowRow } from '../../state/flows.logic.ts'
import { levelColor } from '../../state/levels.ts'
import { format } from '../../theme/format.ts'
import styles from './diagnosis.module.css'

/** What decides about a cause: the part of its flow, and seats over time of its level. */
export function FindingPicture({ place }: { readonly place: CausePlace }) {
  const { server, level, schema = '', flow } = place
  if (server === undefined || level === undefined) return null
  return (
    <div className={styles['picture']}>
      {flow !== undefined && <Shares server={server} level={level} schema={schema} flow={flow} />}
      <LevelHistory server={server} level={level} />
    </div>
  )
}

/** The flow beside all others of its level, in the newest dump. */
function Shares(props: {
  readonly server: string
  readonly level: string
  readonly schema: string
  readonly flow: string
}) {
  const { server, level, schema, flow } = props
  const frame = useDump(server, level)
  const rows = useMemo(() => {
    const dump = frame && dumpOfLevel(frame, level)
    return dump === undefined ? [] : flowRows(dump.requests ?? [], dump.at, undefined)
  }, [frame, level])
  const own = rows.find((row) => row.flow === flow && row.schema === schema)
  if (own === undefined) return null
  const part = (label: string, of: (row: FlowRow) => number) => {
    const all = rows.reduce((sum, row) => sum + of(row), 0)
    if (all === 0) return null
    const share = of(own) / all
    const said = `${flowName(flow, schema)}: ${format.percent(share)} of ${format.fixed(all)} ${label}`
    return (
      <div className="stack gap-2">
        <span className={styles['bar']} role="img" aria-label={said}>
          <i className="block tall" style={{ width: `${share * 100}%`, background: levelColor(level) }} />
        </span>
        <span>{said}</span>
      </div>
    )
  }
  return (
    <>
      {part('waiting requests', ({ queued }) => queued)}
      {part('executing seats', ({ executingSeats }) => executingSeats)}
    </>
  )
}
