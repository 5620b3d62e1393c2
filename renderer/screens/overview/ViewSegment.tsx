import { Segment } from '../../components/Button.tsx'

/** How several servers are shown. */
export type ServersView = 'each' | 'one' | 'busiest' | 'sum'

interface ViewSegmentProps {
  readonly view: ServersView
  readonly onView: (view: ServersView) => void
  /** The server that was chosen by name; absent while none is shown alone. */
  readonly one: string | undefined
}

/** Chooses between them. */
export function ViewSegment({ view, onView, one }: ViewSegmentProps) {
  return (
    <Segment
      label="Servers"
      value={view}
      options={{ each: 'Each server', ...(one !== undefined && { one }), busiest: 'Busiest', sum: 'Sum' }}
      onChange={onView}
    />
  )
}
