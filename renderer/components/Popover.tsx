import type { PopoverProps } from './floating.tsx'
import { Opener } from './Opener.tsx'
import { OPENINGS } from './trigger.tsx'

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
