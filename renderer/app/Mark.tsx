/** The mark: a ledger of seats, with the post of a limit. */
export function Mark() {
  return (
    <svg width="20" height="18" viewBox="0 0 20 18" fill="currentColor" aria-hidden="true" focusable="false">
      <rect x="0" y="2" width="12" height="3.5" />
      <rect x="0" y="7.3" width="15" height="3.5" />
      <rect x="0" y="12.6" width="8" height="3.5" opacity="0.55" />
      <rect x="16.5" y="1" width="2" height="16" />
    </svg>
  )
}
