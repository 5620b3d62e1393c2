import type { MissingFamily } from '../../../core/frame/frame.ts'

/** Why numbers are not there: what the server's version hides or lacks, or that nothing has happened yet. */
export function Absent(props: {
  readonly families: readonly string[]
  readonly missing: readonly MissingFamily[]
  /** What it means when the server has the family and shows nothing yet. */
  readonly otherwise: string
}) {
  const { families, missing, otherwise } = props
  const reasons = missing.filter((entry) => families.includes(entry.family))
  if (reasons.length === 0) return <p>Nothing was counted yet. {otherwise}</p>
  return reasons.map((entry) => (
    <p key={entry.family}>
      This server does not show <span className="mono">{entry.family}</span>. {entry.note}
    </p>
  ))
}
