import { create } from 'zustand'
import type { TermId } from '../../core/glossary/glossary.ts'

/** The term whose entry is open, above everything else. */
export const glossaryStore = create<{ readonly term?: TermId }>(() => ({}))

export const openTerm = (term: TermId): void => glossaryStore.setState({ term })

export const closeTerm = (): void => glossaryStore.setState({}, true)
