import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { useInsideMain } from './hooks.ts'
import styles from './controls.module.css'

export interface MenuEntry {
  readonly label: string
  readonly onSelect: () => void
}

/** A short menu behind a button; `children` is that button. What is `more` is asked for when the menu opens. */
export function Menu(props: {
  readonly entries: readonly MenuEntry[]
  readonly more?: ReactNode
  readonly children: ReactNode
}) {
  const { entries, more, children } = props
  const { container, onOpenChange } = useInsideMain()
  return (
    <DropdownMenu.Root modal={false} onOpenChange={onOpenChange}>
      <DropdownMenu.Trigger asChild>{children}</DropdownMenu.Trigger>
      <DropdownMenu.Portal container={container}>
        <DropdownMenu.Content className={styles['menu']} align="end" sideOffset={4} collisionPadding={8}>
          {entries.map(({ label, onSelect }) => (
            <MenuItem key={label} label={label} onSelect={onSelect} />
          ))}
          {more}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

/** An entry that stands in a menu, or is `more` of it. */
export const MenuItem = ({ label, onSelect }: MenuEntry) => (
  <DropdownMenu.Item className={styles['item']} onSelect={onSelect}>
    {label}
  </DropdownMenu.Item>
)
