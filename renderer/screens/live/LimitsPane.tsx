import { Pane } from '../../components/Pane.tsx'
import styles from './live.module.css'

/** What the source cannot know, so that nobody reads a guess as a fact. */
export function LimitsPane({ limits }: { readonly limits: readonly string[] }) {
  if (limits.length === 0) return null
  return (
    <Pane title="What this source cannot know">
      <ul className={styles['limits']}>
        {limits.map((limit) => (
          <li key={limit}>{limit}</li>
        ))}
      </ul>
    </Pane>
  )
}
