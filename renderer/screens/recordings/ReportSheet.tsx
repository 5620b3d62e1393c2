import { useEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import { REPORT_STYLE } from '../../../core/report/html.ts'
import styles from './recordings.module.css'

/**
 * A report as the saved page shows it, in a tree of its own: styles of the console do not reach it, nor those of the page the
 * console. The sheet on the screen is read; the one behind the screen is what the browser prints.
 */
export function ReportSheet({ markup }: { readonly markup: string }) {
  return (
    <>
      <div className={styles['paper']}>
        <Sheet markup={markup} />
      </div>
      {createPortal(
        <div className={styles['print']} aria-hidden="true">
          <Sheet markup={markup} />
        </div>,
        document.body,
      )}
    </>
  )
}

function Sheet({ markup }: { readonly markup: string }) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { current } = host
    if (current === null) return
    const root = current.shadowRoot ?? current.attachShadow({ mode: 'open' })
    const style = new CSSStyleSheet()
    style.replaceSync(REPORT_STYLE)
    root.adoptedStyleSheets = [style]
    // A parsed document runs nothing, and the policy of the page holds for what is taken from it.
    root.replaceChildren(...new DOMParser().parseFromString(markup, 'text/html').body.children)
  }, [markup])
  return <div ref={host} />
}
