import { useRef, useState, useEffect } from 'react'
import type { RecordingEntry, RecordingPart, SharedFile } from '../../../core/contract/recording.ts'
import type { Report } from '../../../core/contract/report.ts'
import { MS_PER_DAY, MS_PER_SECOND } from '../../../core/units.ts'
import { Button, Buttons, Check } from '../../components/Button.tsx'
import { download, exportName } from '../../components/csv.ts'
import { TextField, TextArea } from '../../components/Field.tsx'
import { blobOf } from '../../components/files.ts'
import { Pane } from '../../components/Pane.tsx'
import { ProblemNote } from '../../components/States.tsx'
import { client } from '../../state/client.ts'
import { followRun, type Listen, type Running } from '../../state/running.ts'
import { useSettings } from '../../state/settings.ts'
import { bounds } from '../../state/time.logic.ts'
import { readRange } from '../../state/typedRange.logic.ts'
import { format } from '../../theme/format.ts'
import { reportHtml, reportMarkup, sheetStyle } from '../../../core/report/html.ts'
import { reportMarkdown } from '../../../core/report/markdown.ts'
import { pageLook, pageTokens } from './look.ts'
import { editedReport } from './recordings.data.ts'
import styles from './recordings.module.css'
import { createPortal } from 'react-dom'

/** A recording, or a part of it, as a file or as a report. */
export function SharePane(props: {
  readonly entry: RecordingEntry
  /** When its latest alert fired, Unix milliseconds. */
  readonly lastAlert: number | undefined
  readonly onClose: () => void
}) {
  const { entry, lastAlert, onClose } = props
  const { id, first = 0, last = first, source } = entry
  const [{ clock }] = useSettings()
  const [range, setRange] = useState(
    () => `${format.dateTime(Math.max(first, last - MS_PER_DAY))} to ${format.dateTime(last)}`,
  )
  const [anonymise, setAnonymise] = useState(false)
  const [run, setRun] = useState<Running<unknown>>()
  const [report, setReport] = useState<Report>()
  const stop = useRef<() => void>(undefined)
  useEffect(() => () => stop.current?.(), [])
  // Times without a date, and ranges up to now, are those of the recording.
  const parsed = readRange(range, { now: last, zone: clock, lastAlert })
  const isReady = run?.state !== 'running' && parsed.ok
  const follow = <T,>(listen: (part: RecordingPart) => Listen<T>, take: (made: T) => void): void => {
    if (!parsed.ok) return
    // Seconds are what is written; the last sample is a part of one later.
    const { from, to } = bounds(parsed.window, last)
    stop.current = followRun(listen({ id, from, to: to + MS_PER_SECOND, anonymise }), (now) => {
      setRun(now)
      if (now.state === 'done') take(now.report)
    })
  }
  const exportFile = (): void =>
    follow(
      (part) =>
        (...on) =>
          client().subscribe('export', part, ...on),
      (file: SharedFile) => download(file.name, blobOf(file)),
    )
  const prepare = (): void =>
    follow(
      (part) =>
        (...on) =>
          client().subscribe('report', part, ...on),
      setReport,
    )
  return (
    <>
      <Pane
        title={`Share ${source?.name ?? id}`}
        actions={
          <Button small onClick={onClose}>
            Close
          </Button>
        }
      >
        <div className="stack gap-8 pad-x pad-t-4 pad-b-12">
          <TextField
            label={`Range (${format.zone()})`}
            value={range}
            error={parsed.ok ? undefined : parsed.why}
            onChange={setRange}
          />
          <Check label="Replace names of users, objects and servers" checked={anonymise} onChange={setAnonymise} />
          <Buttons>
            <Button asks="export" disabled={!isReady} onClick={exportFile}>
              Export the recording
            </Button>
            <Button disabled={!isReady} onClick={prepare}>
              Prepare a report
            </Button>
          </Buttons>
          {run?.state === 'running' && (
            <Buttons>
              <progress max={1} value={run.part} aria-label="Progress" /> {format.percent(run.part)}
              <Button
                onClick={() => {
                  stop.current?.()
                  setRun(undefined)
                }}
              >
                Cancel
              </Button>
            </Buttons>
          )}
          {run?.state === 'failed' && <ProblemNote problem={run.problem} />}
        </div>
      </Pane>
      {report !== undefined && <ReportPane key={report.subtitle} report={report} />}
    </>
  )
}

/** A report before it is saved: its title, the author's comments, and the choice of sections. */
function ReportPane({ report }: { readonly report: Report }) {
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
          <Button onClick={() => void pageLook().then((look) => keep(reportHtml(edited, look), 'html'))}>
            Save as HTML
          </Button>
          <Button onClick={() => keep(reportMarkdown(edited), 'md')}>Save as Markdown</Button>
          <Button onClick={() => window.print()}>Print or save as PDF</Button>
        </Buttons>
        <ReportSheet markup={reportMarkup(edited)} />
      </div>
    </Pane>
  )
}

/** A key scrolls it as well. */
const SCROLLED = { role: 'region', 'aria-label': 'Report preview', tabIndex: 0 } as const

/**
 * A report as the saved page shows it, in a shadow tree: its styles and those of the console do not affect each other.
 * The sheet on the screen is for reading; the browser prints a second one behind the screen.
 */
function ReportSheet({ markup }: { readonly markup: string }) {
  return (
    <>
      <div className={styles['paper']} {...SCROLLED}>
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
    style.replaceSync(sheetStyle(pageTokens()))
    root.adoptedStyleSheets = [style]
    // A parsed document runs no scripts, and the page's content security policy applies to its elements.
    root.replaceChildren(...new DOMParser().parseFromString(markup, 'text/html').body.children)
  }, [markup])
  return <div ref={host} />
}
