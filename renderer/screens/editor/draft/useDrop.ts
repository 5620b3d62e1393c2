import { useEffect, useState, type RefObject } from 'react'

/**
 * Takes the files that are dropped on an element; whether some are held over it. The window as a whole takes files as a
 * source: what is dropped here does not reach it.
 */
export function useDrop(
  element: RefObject<HTMLElement | null>,
  active: boolean,
  onFiles: (files: readonly File[]) => Promise<void>,
): boolean {
  const [over, setOver] = useState(false)
  useEffect(() => {
    const place = element.current
    if (place === null || !active) return undefined
    const onDrag = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') !== true) return
      event.preventDefault()
      event.stopPropagation()
      setOver(event.type === 'dragover')
      // The window goes on showing that it would take them until it hears that they are gone.
      document.dispatchEvent(new MouseEvent('dragleave', { relatedTarget: null }))
      if (event.type === 'drop') void onFiles(Array.from(event.dataTransfer.files))
    }
    const onLeave = (): void => setOver(false)
    place.addEventListener('dragover', onDrag)
    place.addEventListener('drop', onDrag)
    place.addEventListener('dragleave', onLeave)
    return () => {
      place.removeEventListener('dragover', onDrag)
      place.removeEventListener('drop', onDrag)
      place.removeEventListener('dragleave', onLeave)
    }
  }, [element, active, onFiles])
  return over
}
