import type { MissingFamily } from '../../core/frame/frame.ts'

/** Which family is not shown, why, and what that leaves unknown. */
export const FamilyNote = ({ entry: { family, note } }: { readonly entry: MissingFamily }) => (
  <>
    <code>{family}</code>: {note}
  </>
)
