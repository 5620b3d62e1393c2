import type { ObjectSet } from '../../../../core/config/objects.ts'
import { classes } from '../../../components/classes.ts'
import { Pane } from '../../../components/Pane.tsx'
import type { Moves } from './moves.data.ts'
import { neighbours } from './order.data.ts'
import styles from './aside.module.css'

/** The schemas that are asked before and after this one. */
export function OrderPane(props: {
  readonly objects: ObjectSet
  readonly name: string
  readonly moves: Moves | undefined
}) {
  const { objects, name, moves } = props
  const rows = neighbours(objects, name, moves)
  if (rows.length === 0) return null
  return (
    <Pane title="Matching order" note="the first match decides" className={styles['pane']}>
      <table className={styles['table']}>
        <caption className="sr-only">Schemas evaluated before and after {name}</caption>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name} className={row.self ? styles['mark'] : undefined}>
              <td className={classes(styles['right'], styles['faint'], 'mono')}>{row.precedence}</td>
              <td className={styles['clip']}>{row.name}</td>
              <td className={classes(styles['right'], styles['faint'])}>{row.remark}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Pane>
  )
}
