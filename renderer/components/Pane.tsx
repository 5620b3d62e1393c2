import { useId, type KeyboardEvent, type ReactNode } from 'react'
import { classes } from './classes.ts'
import styles from './Pane.module.css'

export interface PaneProps {
  readonly title: string
  /** Unit of the numbers inside: `seats`, `requests`, `seat-seconds`. */
  readonly unit?: string | undefined
  /** One line next to the title: the origin of the numbers. */
  readonly note?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
  readonly className?: string | undefined
  readonly onKeyDown?: ((event: KeyboardEvent) => void) | undefined
}

/** A titled region separated from its neighbours by hairlines; F6 moves between panes. */
export function Pane({ title, unit, note, actions, children, className, onKeyDown }: PaneProps) {
  const id = useId()
  // The keys act on the pane that contains the focus.
  const keys = onKeyDown === undefined ? {} : { onKeyDown }
  return (
    <section
      aria-labelledby={id}
      className={classes('column shrink-x', className)}
      data-pane=""
      tabIndex={-1}
      {...keys}
    >
      <header className={styles['head']}>
        <h2 id={id} className={styles['title']}>
          {title}
        </h2>
        {unit !== undefined && <span className={styles['unit']}>{unit}</span>}
        {note !== undefined && (
          <p className="shrink-x cut small faint" title={typeof note === 'string' ? note : undefined}>
            {note}
          </p>
        )}
        {actions !== undefined && <div className="row gap-6 rigid push">{actions}</div>}
      </header>
      <div className="shrink-x shrink-y">{children}</div>
    </section>
  )
}
