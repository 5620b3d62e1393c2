import { format } from '../../../theme/format.ts'
import type { Effect } from './edit.logic.ts'
import styles from './EditLevel.module.css'

/** What an edit makes of the limits, before it is applied. */
export function Effects(props: {
  readonly level: string
  /** Absent while the form cannot be read. */
  readonly effects: readonly Effect[] | undefined
  readonly changed: boolean
}) {
  const { level, effects, changed } = props
  if (!changed || effects === undefined || effects.length === 0) {
    const sentence =
      effects === undefined
        ? 'What it changes shows when every field can be read.'
        : changed
          ? 'No limit changes; only how requests wait.'
          : 'Shares are relative: those of one level move the nominal limits of all.'
    return <p className={styles['quiet']}>{sentence}</p>
  }
  const own = effects.toSorted((a, b) => Number(b.before.name === level) - Number(a.before.name === level))
  return (
    <table className={styles['effects']} aria-label="What the edit changes">
      <thead>
        <tr>
          <th scope="col">Level</th>
          <th scope="col">Nominal</th>
          <th scope="col">Min</th>
          <th scope="col">Max</th>
          <th scope="col">Widest request</th>
        </tr>
      </thead>
      <tbody>
        {own.map(({ before, after }) => (
          <tr key={before.name}>
            <th scope="row">{before.name}</th>
            <Change before={before.nominal} after={after.nominal} />
            <Change before={before.min} after={after.min} />
            <Change before={before.max} after={after.max} />
            <Change before={before.widest} after={after.widest} />
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Change({ before, after }: { readonly before: number | undefined; readonly after: number | undefined }) {
  if (before === after) return <td className={styles['same']}>{before === undefined ? '–' : format.seats(before)}</td>
  return (
    <td>
      {before === undefined ? '–' : format.seats(before)} <span aria-label="becomes">→</span>{' '}
      <b>{after === undefined ? '–' : format.seats(after)}</b>
    </td>
  )
}
