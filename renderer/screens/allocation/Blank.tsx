/** Cells where nothing applies. */
export function Blank({ span = 1 }: { readonly span?: number }) {
  return <td colSpan={span}>{NOTHING}</td>
}

const NOTHING = null
