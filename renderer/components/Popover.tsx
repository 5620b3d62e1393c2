import type { ReactElement, ReactNode } from 'react'
import { Opener, OPENINGS, type TriggerProps } from './Opener.tsx'

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

/** A pane that opens below a button. */
export const Popover = ({ children, ...rest }: PopoverProps) => (
  <Opener
    opening={OPENINGS.popover}
    open={rest.open}
    renderPart={({ PopoverPart }, trigger) => <PopoverPart trigger={trigger} {...rest} />}
  >
    {children}
  </Opener>
)
