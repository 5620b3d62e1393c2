import { useEffect, useState, type ReactElement, type ReactNode } from 'react'
import { openTerm } from '../state/glossary.ts'
import type { GLOSSARY, TermId } from '../../core/glossary/glossary.ts'
import { Opener } from './Opener.tsx'
import { OPENINGS, type TriggerProps } from './trigger.tsx'
import styles from './controls.module.css'

/**
 * A term, explained in a sentence on hover and focus; pressing it opens its glossary entry. Mark the first use on a
 * screen only.
 */
export const Term = ({ id, children }: { readonly id: TermId; readonly children: ReactNode }) => (
  <Tip text={<Sentence id={id} />}>
    <button
      type="button"
      className={styles['term']}
      onClick={(event) => {
        // The press must not reach what contains the term, such as a row.
        event.stopPropagation()
        openTerm(id)
      }}
    >
      {children}
    </button>
  </Tip>
)

/** The texts of the glossary, once loaded: they load after the first screen. */
let glossary: typeof GLOSSARY | undefined

/** The definition of a term. */
export function Sentence({ id }: { readonly id: TermId }) {
  const [texts, setTexts] = useState(glossary)
  useEffect(() => {
    if (glossary !== undefined) return undefined
    let shown = true
    const come = async (): Promise<void> => {
      ;({ GLOSSARY: glossary } = await import('../../core/glossary/glossary.ts'))
      if (shown) setTexts(glossary)
    }
    // Without them there is nothing to show; the next one loads them again.
    come().catch(() => undefined)
    return () => {
      shown = false
    }
  }, [])
  return texts?.[id][1]
}

/** A sentence next to any focusable element. */
export const Tip = ({
  text,
  children,
}: {
  readonly text: ReactNode
  readonly children: ReactElement<TriggerProps>
}) => (
  <Opener opening={OPENINGS.tip} renderPart={({ TipPart }, trigger) => <TipPart trigger={trigger} text={text} />}>
    {children}
  </Opener>
)
