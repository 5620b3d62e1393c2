import { LevelChip } from '../../../components/LevelChip.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { format } from '../../../theme/format.ts'
import type { Move, Moves } from './moves.data.ts'
import styles from './aside.module.css'

/** Which of the requests that dumps showed would go elsewhere. */
export function MovesPane({ moves }: { readonly moves: Moves }) {
  const moved = moves.moves.reduce((sum, { requests }) => sum + requests, 0)
  return (
    <Pane
      title="Traffic that moves"
      note={`${format.fixed(moved)} of ${format.fixed(moves.seen)} requests seen in dumps`}
      className={styles['pane']}
    >
      {moved === 0 ? (
        <p className={styles['none']}>Every request seen in dumps would match the same schema as now.</p>
      ) : (
        <table className={styles['table']}>
          <caption className="sr-only">Requests that would match another schema</caption>
          <thead>
            <tr>
              <th scope="col">From</th>
              <th scope="col">To</th>
              <th scope="col" className={styles['right']}>
                Requests
              </th>
              <th scope="col" className={styles['right']}>
                Users
              </th>
            </tr>
          </thead>
          <tbody>
            {moves.moves.map(({ from, to, requests, users }) => (
              <tr key={`${from.schema} ${from.level} ${to.schema} ${to.level}`}>
                <td className={styles['clip']}>
                  <Landing of={from} />
                </td>
                <td>
                  <Landing of={to} />
                </td>
                <td className={styles['right']}>{format.fixed(requests)}</td>
                <td className={styles['right']}>{format.fixed(users)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className={styles['none']}>Dumps do not contain groups; they are derived from the user names.</p>
    </Pane>
  )
}

const Landing = ({ of: { schema, level } }: { readonly of: Move['from'] }) => (
  <span title={`${schema} → ${level}`}>
    <LevelChip name={level} /> {schema}
  </span>
)
