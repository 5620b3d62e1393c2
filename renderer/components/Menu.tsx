import type { MenuEntry, MenuProps } from './floating.tsx'
import { Opener, useParts } from './Opener.tsx'
import { OPENINGS } from './trigger.tsx'

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
