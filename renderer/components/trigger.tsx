import { useImperativeHandle, useLayoutEffect, type Ref, type SyntheticEvent } from 'react'

export const EVENTS = [
  'onClick',
  'onPointerDown',
  'onPointerMove',
  'onPointerLeave',
  'onFocus',
  'onBlur',
  'onKeyDown',
] as const
export type EventName = (typeof EVENTS)[number]
type Handlers = Partial<Record<EventName, (event: SyntheticEvent) => void>>
export type Attributes = Readonly<Record<string, unknown>>

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
export interface Opening {
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

export function createTrigger(
  { opens, ends }: Opening,
  ask: () => void,
  show: (attributes: Attributes) => void,
): Trigger {
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
