import { create } from 'zustand'
import type { ConceptId } from '../../core/glossary/concepts.ts'
import type { TermId } from '../../core/glossary/glossary.ts'

export type EntryId = TermId | ConceptId

/** The term or concept whose entry is open, above everything else. */
export const glossaryStore = create<{ readonly term?: EntryId }>(() => ({}))

export const openTerm = (term: EntryId): void => glossaryStore.setState({ term })

export const closeTerm = (): void => glossaryStore.setState({}, true)
