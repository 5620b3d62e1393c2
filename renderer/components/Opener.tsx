import { cloneElement, useEffect, useState, type ReactElement, type ReactNode, type SyntheticEvent } from 'react'
import {
  createTrigger,
  EVENTS,
  type Attributes,
  type EventName,
  type Opening,
  type Trigger,
  type TriggerProps,
} from './trigger.tsx'

type Parts = typeof import('./floating.tsx')

let parts: Parts | undefined

/** Loads menus, popovers and tips after the first screen. */
export async function loadParts(): Promise<void> {
  parts ??= await import('./floating.tsx')
}

/** Those parts once they are `wanted` and loaded. */
export function useParts(wanted: boolean): Parts | undefined {
  const [, setCame] = useState(parts)
  useEffect(() => {
    if (!wanted || parts !== undefined) return undefined
    let gone = false
    // The side that serves the page may be unavailable for a moment: the next event loads them again.
    void loadParts().then(
      () => !gone && setCame(parts),
      () => undefined,
    )
    return () => {
      gone = true
    }
  }, [wanted])
  return wanted ? parts : undefined
}

/**
 * An element next to which a menu, a popover or a tip opens. It is rendered at once and stays the same element; the
 * part is loaded with the first event of the pointer, the focus or the keyboard on it, provides its handlers, and
 * receives the event that opens it, however late it loads.
 */
export function Opener(props: {
  readonly opening: Opening
  /** Opened by something other than the element. */
  readonly open?: boolean
  readonly children: ReactElement<TriggerProps>
  readonly renderPart: (parts: Parts, trigger: Trigger) => ReactNode
}) {
  const { opening, open = false, children, renderPart } = props
  const [asked, setAsked] = useState(false)
  const [attributes, setAttributes] = useState<Attributes>(opening.attributes)
  const [trigger] = useState(() =>
    createTrigger(
      opening,
      () => setAsked(true),
      (next) => setAttributes((last) => (isSame(last, next) ? last : next)),
    ),
  )
  const own = children.props
  const onEvent = (name: EventName, event: SyntheticEvent): void => {
    own[name]?.(event)
    if (!event.defaultPrevented) trigger.on(name, event)
  }
  const handlers = Object.fromEntries(EVENTS.map((name) => [name, (event: SyntheticEvent) => onEvent(name, event)]))
  const came = useParts(asked || open)
  return (
    <>
      {cloneElement(children, { ...attributes, ...own, ...handlers, ref: trigger.attach })}
      {came !== undefined && renderPart(came, trigger)}
    </>
  )
}

const isSame = (a: Attributes, b: Attributes): boolean => {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.is(a[key], b[key]))
}
