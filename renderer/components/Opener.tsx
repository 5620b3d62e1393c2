import {
  cloneElement,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useState,
  type ReactElement,
  type ReactNode,
  type Ref,
  type SyntheticEvent,
} from 'react'

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

const EVENTS = [
  'onClick',
  'onPointerDown',
  'onPointerMove',
  'onPointerLeave',
  'onFocus',
  'onBlur',
  'onKeyDown',
] as const
type EventName = (typeof EVENTS)[number]
type Handlers = Partial<Record<EventName, (event: SyntheticEvent) => void>>
type Attributes = Readonly<Record<string, unknown>>

/** Props of the element next to which a part opens; its `ref` belongs to the part. */
export type TriggerProps = Handlers & { readonly ref?: Ref<HTMLElement> }

/** An element that is rendered before the part that opens next to it. */
export interface Trigger {
  element(): HTMLElement | null
  readonly attach: (element: HTMLElement | null) => void
  /** An event on the element, passed to the part or held until it is loaded. */
  on(name: EventName, event: SyntheticEvent): void
  /** Applies the part's handlers and attributes to its trigger. */
  adopt(handlers: Handlers, attributes: Attributes): void
  /** Replays the event that opens the part. */
  replay(): void
}

/** Which events open it, and which later ones cancel that. */
interface Opening {
  readonly attributes: Attributes
  readonly opens: (name: EventName, event: SyntheticEvent) => boolean
  readonly ends?: ReadonlySet<EventName>
}

const keyOf = ({ nativeEvent }: SyntheticEvent): string | undefined =>
  nativeEvent instanceof KeyboardEvent ? nativeEvent.key : undefined

export const OPENINGS = {
  menu: {
    attributes: { 'aria-haspopup': 'menu', 'aria-expanded': false, 'data-state': 'closed' },
    opens: (name, event) =>
      name === 'onPointerDown' || (name === 'onKeyDown' && ['Enter', ' ', 'ArrowDown'].includes(keyOf(event) ?? '')),
  },
  popover: {
    attributes: { 'aria-haspopup': 'dialog', 'aria-expanded': false, 'data-state': 'closed' },
    opens: (name) => name === 'onClick',
  },
  tip: {
    attributes: { 'data-state': 'closed' },
    opens: (name, { currentTarget }) =>
      name === 'onPointerMove' || (name === 'onFocus' && currentTarget.matches(':focus-visible')),
    ends: new Set(['onPointerLeave', 'onBlur', 'onPointerDown', 'onClick']),
  },
} as const satisfies Record<string, Opening>

function createTrigger({ opens, ends }: Opening, ask: () => void, show: (attributes: Attributes) => void): Trigger {
  let element: HTMLElement | null = null
  let handlers: Handlers | undefined
  let pending: { readonly name: EventName; readonly event: SyntheticEvent } | undefined
  return {
    element: () => element,
    attach: (node) => {
      element = node
    },
    on(name, event) {
      if (handlers !== undefined) return handlers[name]?.(event)
      ask()
      if (opens(name, event)) {
        pending = { name, event }
        if (keyOf(event) === undefined) return
        // The key is dispatched again.
        event.preventDefault()
        event.stopPropagation()
      } else if (ends?.has(name) === true) pending = undefined
    },
    adopt(given, attributes) {
      handlers = given
      show(attributes)
    },
    replay() {
      const last = pending
      pending = undefined
      if (last === undefined) return
      const key = keyOf(last.event)
      // Menus listen for keys on the document to detect keyboard use.
      if (key === undefined) handlers?.[last.name]?.(last.event)
      else element?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
    },
  }
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

/** Represents the element of a trigger where the library expects one, and passes on its props. */
export function Adopted({ of, ref, ...given }: { readonly of: Trigger; readonly ref?: Ref<HTMLElement> } & Attributes) {
  useImperativeHandle<HTMLElement | null, HTMLElement | null>(ref, () => of.element(), [of])
  useLayoutEffect(() => {
    const handlers: Record<string, unknown> = {}
    const attributes: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(given))
      if (typeof value === 'function') handlers[name] = value
      else if (value !== undefined) attributes[name] = value
    of.adopt(handlers, attributes)
  })
  return null
}
