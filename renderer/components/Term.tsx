import { Tooltip } from 'radix-ui'
import type { ReactNode } from 'react'
import { openTerm } from '../state/glossary.ts'
import { GLOSSARY, type TermId } from '../glossary/glossary.ts'
import styles from './controls.module.css'

/**
 * A word of the field, explained in a sentence on hover and focus; pressing it opens its entry in the glossary. Mark the
 * first use on a screen only.
 */
export function Term({ id, children }: { readonly id: TermId; readonly children?: ReactNode }) {
  const [term, sentence] = GLOSSARY[id]
  return (
    <Tip text={sentence}>
      <button
        type="button"
        className={styles['term']}
        onClick={(event) => {
          // What the word stands in, such as a row, is not meant.
          event.stopPropagation()
          openTerm(id)
        }}
      >
        {children ?? term}
      </button>
    </Tip>
  )
}

/** A sentence beside anything that can be focused. */
export function Tip({ text, children }: { readonly text: ReactNode; readonly children: ReactNode }) {
  return (
    <Tooltip.Provider delayDuration={250}>
      <Tooltip.Root>
        <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
        <Tooltip.Portal>
          <Tooltip.Content className={styles['tip']} sideOffset={5} collisionPadding={8}>
            {text}
          </Tooltip.Content>
        </Tooltip.Portal>
      </Tooltip.Root>
    </Tooltip.Provider>
  )
}
