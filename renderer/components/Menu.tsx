import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { useInsideMain } from './hooks.ts'
import styles from './controls.module.css'

export interface MenuEntry {
  readonly label: string
  readonly onSelect: () => void
}

/** A short menu behind a button; `children` is that button. */
export function Menu({ entries, children }: { readonly entries: readonly MenuEntry[]; readonly children: ReactNode }) {
  const { container, onOpenChange } = useInsideMain()
  return (
    <DropdownMenu.Root modal={false} onOpenChange={onOpenChange}>
      <DropdownMenu.Trigger asChild>{children}</DropdownMenu.Trigger>
      <DropdownMenu.Portal container={container}>
        <DropdownMenu.Content className={styles['menu']} align="end" sideOffset={4} collisionPadding={8}>
          {entries.map(({ label, onSelect }) => (
            <DropdownMenu.Item key={label} className={styles['item']} onSelect={onSelect}>
              {label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
