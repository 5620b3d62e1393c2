import { useState } from 'react'
import type { Report } from '../../../core/contract/report.ts'
import { reportHtml, reportMarkup } from '../../../core/report/html.ts'
import { reportMarkdown } from '../../../core/report/markdown.ts'
import { Button, Buttons, Check } from '../../components/Button.tsx'
import { download, exportName } from '../../components/csv.ts'
import { TextArea, TextField } from '../../components/Field.tsx'
import { Pane } from '../../components/Pane.tsx'
import { ReportSheet } from './ReportSheet.tsx'
import { editedReport } from './recordings.data.ts'
import styles from './recordings.module.css'

/** A report before it is kept: its title, words of its author, and which sections it has. */
export function ReportPane({ report }: { readonly report: Report }) {
  const [title, setTitle] = useState(report.title)
  const [words, setWords] = useState('')
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const edited = editedReport(report, { title, words, left })
  const keep = (text: string, type: 'html' | 'md'): void =>
    download(`${exportName(title, Date.now())}.${type}`, new Blob([text], { type: 'text/plain;charset=utf-8' }))
  return (
    <Pane title="Incident report" note={report.subtitle}>
      <div className={styles['form']}>
        <TextField kind="text" label="Title" value={title} onChange={setTitle} />
        <TextArea label="What happened, in your words" rows={4} value={words} onChange={setWords} />
        <div className={styles['sections']} role="group" aria-label="Sections">
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
