import { useState, useEffect, useRef } from 'react'
import type { Report } from '../../../core/contract/report.ts'
import { reportHtml, reportMarkup, REPORT_STYLE } from '../../../core/report/html.ts'
import { reportMarkdown } from '../../../core/report/markdown.ts'
import { Button, Buttons, Check } from '../../components/Button.tsx'
import { download, exportName } from '../../components/csv.ts'
import { TextArea, TextField } from '../../components/Field.tsx'
import { Pane } from '../../components/Pane.tsx'
import { editedReport } from './recordings.data.ts'
import styles from './recordings.module.css'
import { createPortal } from 'react-dom'

/** A report before it is saved: its title, the author's comments, and the choice of sections. */
export function ReportPane({ report }: { readonly report: Report }) {
  const [title, setTitle] = useState(report.title)
  const [words, setWords] = useState('')
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const edited = editedReport(report, { title, words, left })
  const keep = (text: string, type: 'html' | 'md'): void =>
    download(`${exportName(title, Date.now())}.${type}`, new Blob([text], { type: 'text/plain;charset=utf-8' }))
  return (
    <Pane title="Incident report" note={report.subtitle}>
      <div className="stack gap-8 pad-x pad-t-4 pad-b-12">
        <TextField kind="text" label="Title" value={title} onChange={setTitle} />
        <TextArea label="Your comments" rows={4} value={words} onChange={setWords} />
        <div className="flex wrap gap-8" role="group" aria-label="Sections">
          {report.sections.map((section) => (
            <Check
              key={section.title}
              label={section.title}
              checked={!left.has(section.title)}
              onChange={(wanted) =>
                setLeft(new Set([...left].filter((one) => one !== section.title).concat(wanted ? [] : section.title)))
              }
            />
          ))}
        </div>
        <Buttons>
          <Button onClick={() => keep(reportHtml(edited), 'html')}>Save as HTML</Button>
          <Button onClick={() => keep(reportMarkdown(edited), 'md')}>Save as Markdown</Button>
          <Button onClick={() => window.print()}>Print or save as PDF</Button>
        </Buttons>
        <ReportSheet markup={reportMarkup(edited)} />
      </div>
    </Pane>
  )
}

/**
 * A report as the saved page shows it, in a shadow tree: its styles and those of the console do not affect each other.
 * The sheet on the screen is for reading; the browser prints a second one behind the screen.
 */
function ReportSheet({ markup }: { readonly markup: string }) {
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
    // A parsed document runs no scripts, and the page's content security policy applies to its elements.
    root.replaceChildren(...new DOMParser().parseFromString(markup, 'text/html').body.children)
  }, [markup])
  return <div ref={host} />
}
