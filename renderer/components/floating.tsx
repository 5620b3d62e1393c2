import { DropdownMenu, Popover, Tooltip } from 'radix-ui'
import { useEffect, type ReactElement, type ReactNode } from 'react'
import { useInsideMain } from './hooks.ts'
import { Adopted, type Trigger, type TriggerProps } from './trigger.tsx'
import styles from './controls.module.css'

/**
 * The parts that open next to a trigger. Loaded after the first screen, or with the first event on a trigger
 * (Opener.tsx).
 */

interface OfTrigger {
  readonly trigger: Trigger
}

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

export interface PopoverProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  /** Its accessible name. */
  readonly label: string
  readonly align: 'start' | 'end'
  readonly className: string | undefined
  /** The content manages the focus itself. */
  readonly ownFocus?: boolean
  readonly content: ReactNode
  /** The button that opens it. */
  readonly children: ReactElement<TriggerProps>
}

/** Runs after the effects of the part below it, which has attached its document listeners by then. */
const useReplay = (trigger: Trigger): void => useEffect(() => trigger.replay(), [trigger])

export function MenuPart({ trigger, entries, more }: OfTrigger & Pick<MenuProps, 'entries' | 'more'>) {
  const { container, onOpenChange } = useInsideMain()
  useReplay(trigger)
  return (
    <DropdownMenu.Root modal={false} onOpenChange={onOpenChange}>
      <DropdownMenu.Trigger asChild>
        <Adopted of={trigger} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={container}>
        <DropdownMenu.Content className={styles['menu']} align="end" sideOffset={4} collisionPadding={8}>
          {entries.map(({ label, onSelect }) => (
            <Item key={label} label={label} onSelect={onSelect} />
          ))}
          {more}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

export const Item = ({ label, onSelect }: MenuEntry) => (
  <DropdownMenu.Item className={styles['item']} onSelect={onSelect}>
    {label}
  </DropdownMenu.Item>
)

export function TipPart({ trigger, text }: OfTrigger & { readonly text: ReactNode }) {
  const { container, onOpenChange } = useInsideMain()
  useReplay(trigger)
  return (
    <Tooltip.Provider delayDuration={250}>
      <Tooltip.Root onOpenChange={onOpenChange}>
        <Tooltip.Trigger asChild>
          <Adopted of={trigger} />
        </Tooltip.Trigger>
        <Tooltip.Portal container={container}>
          <Tooltip.Content className={styles['tip']} sideOffset={5} collisionPadding={8}>
            {text}
          </Tooltip.Content>
        </Tooltip.Portal>
      </Tooltip.Root>
    </Tooltip.Provider>
  )
}

export function PopoverPart(props: OfTrigger & Omit<PopoverProps, 'children'>) {
  const { trigger, open, onOpenChange, label, align, className, ownFocus = false, content } = props
  useReplay(trigger)
  return (
    <Popover.Root open={open} onOpenChange={onOpenChange}>
      <Popover.Trigger asChild>
        <Adopted of={trigger} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className={className}
          align={align}
          sideOffset={5}
          collisionPadding={8}
          aria-label={label}
          {...(ownFocus && { onOpenAutoFocus: (event: Event) => event.preventDefault() })}
        >
          {content}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
