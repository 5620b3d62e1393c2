import { useEffect, useRef, type RefObject } from 'react'
import type { Size } from './useSize.ts'

/** Reads colours and fonts from the tokens in force at an element: `token('--text-3')`. */
export type TokenReader = (name: string) => string

export type Draw = (context: CanvasRenderingContext2D, size: Size, token: TokenReader) => void

/** Calls back whenever the theme in force changes. Returns the function that ends it. */
function onThemeChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  const scheme = window.matchMedia('(prefers-color-scheme: light)')
  scheme.addEventListener('change', changed)
  return () => {
    observer.disconnect()
    scheme.removeEventListener('change', changed)
  }
}

/**
 * A canvas that is drawn once per change of `draw`, size or theme, in device pixels. `draw` works in CSS pixels on a
 * cleared canvas.
 */
export function useCanvas(size: Size, draw: Draw): RefObject<HTMLCanvasElement | null> {
  const ref = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const canvas = ref.current
    const context = canvas?.getContext('2d') ?? null
    if (canvas === null || context === null || size.width === 0 || size.height === 0) return undefined
    const paint = (): void => {
      const ratio = window.devicePixelRatio || 1
      const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)]
      if (canvas.width !== width || canvas.height !== height) {
        canvas.width = width
        canvas.height = height
      }
      context.setTransform(ratio, 0, 0, ratio, 0, 0)
      context.clearRect(0, 0, size.width, size.height)
      const style = getComputedStyle(canvas)
      draw(context, size, (name) => style.getPropertyValue(name).trim())
    }
    paint()
    return onThemeChange(paint)
  }, [size, draw])
  return ref
}
