import type { ReactElement, ReactNode } from 'react'
import { Opener, OPENINGS, useParts, type TriggerProps } from './Opener.tsx'

export interface MenuEntry {
  readonly label: string
  readonly onSelect: () => void
}

export interface MenuProps {
  readonly entries: readonly MenuEntry[]
  /** Loaded when the menu opens. */
  readonly more?: ReactNode
  /** The button that opens it. */
  readonly children: ReactElement<TriggerProps>
}

/** A short menu behind a button. */
export const Menu = ({ entries, more, children }: MenuProps) => (
  <Opener
    opening={OPENINGS.menu}
    renderPart={({ MenuPart }, trigger) => <MenuPart trigger={trigger} entries={entries} more={more} />}
  >
    {children}
  </Opener>
)

/** An entry in the `more` part of a menu. */
export function MenuItem(entry: MenuEntry) {
  const parts = useParts(true)
  return parts !== undefined && <parts.Item {...entry} />
}
