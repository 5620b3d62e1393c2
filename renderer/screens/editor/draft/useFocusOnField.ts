import { useEffect, type RefObject } from 'react'

/** Moves the focus to the control of a field, in the form; the YAML does it by itself. */
export function useFocusOnField(
  page: RefObject<HTMLElement | null>,
  goTo: { readonly field: string } | undefined,
  view: 'form' | 'yaml',
): void {
  useEffect(() => {
    if (goTo === undefined || view === 'yaml') return
    const marked = Array.from(page.current?.querySelectorAll<HTMLElement>('[data-fields]') ?? [])
    const found = marked.find(({ dataset }) => dataset['fields']?.split(' ').includes(goTo.field))
    // A message below several controls is about one of them; the first is near enough.
    const isControl = found?.matches('input, select') === true
    const control = isControl ? found : found?.parentElement?.querySelector<HTMLElement>('input, select, button')
    found?.scrollIntoView({ block: 'center' })
    control?.focus()
  }, [page, goTo, view])
}
