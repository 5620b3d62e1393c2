import { useRef, useState, useEffect } from 'react'
import type { RecordingEntry, RecordingPart } from '../../../core/contract/recording.ts'
import type { Report } from '../../../core/contract/report.ts'
import { MS_PER_DAY, MS_PER_SECOND } from '../../../core/units.ts'
import { Button, Buttons, Check } from '../../components/Button.tsx'
import { download, exportName } from '../../components/csv.ts'
import { TextField, TextArea } from '../../components/Field.tsx'
import { blobOf } from '../../components/files.ts'
import { useTask } from '../../components/hooks.ts'
import { Pane } from '../../components/Pane.tsx'
import { ProblemNote } from '../../components/States.tsx'
import { client } from '../../state/client.ts'
import { useSettings } from '../../state/settings.ts'
import { bounds } from '../../state/time.logic.ts'
import { readRange } from '../../state/typedRange.logic.ts'
import { format } from '../../theme/format.ts'
import { reportHtml, reportMarkup, REPORT_STYLE } from '../../../core/report/html.ts'
import { reportMarkdown } from '../../../core/report/markdown.ts'
import { editedReport } from './recordings.data.ts'
import styles from './recordings.module.css'
import { createPortal } from 'react-dom'

const PROGRESS_MS = 300

/** A recording, or a part of it, as a file or as a report. */
export function SharePane({ entry, onClose }: { readonly entry: RecordingEntry; readonly onClose: () => void }) {
  const { id, first = 0, last = first, source } = entry
  const [{ clock }] = useSettings()
  const [range, setRange] = useState(
    () => `${format.dateTime(Math.max(first, last - MS_PER_DAY))} to ${format.dateTime(last)}`,
  )
  const [anonymise, setAnonymise] = useState(false)
  const [task, start, forget] = useTask<void>()
  const going = useRef<AbortController>(undefined)
  const [report, setReport] = useState<Report>()
  /** The fraction of the file or the report that is done. */
  const [done, setDone] = useState(0)
  // Times without a date, and ranges up to now, are those of the recording.
  const parsed = readRange(range, { now: last, zone: clock })
  const isReady = task.state !== 'busy' && parsed.ok
  const run = (work: (part: RecordingPart) => Promise<void>): void => {
    if (!parsed.ok) return
    // Seconds are what is written; the last sample is a part of one later.
    const { from, to } = bounds(parsed.window, last)
    void start(() => work({ id, from, to: to + MS_PER_SECOND, anonymise }))
  }
  /** Takes an answer unless it was cancelled: the other side ends what it began. */
  const take = async <T,>(answer: Promise<T>, taken: (value: T) => void): Promise<void> => {
    const own = new AbortController()
    going.current = own
    setDone(0)
    const timer = setInterval(() => {
      // The answer itself reports what failed.
      client()
        .call('recordings.exported', { id })
        .then(setDone, () => undefined)
    }, PROGRESS_MS)
    const value = await answer.finally(() => clearInterval(timer))
    if (!own.signal.aborted) taken(value)
  }
  const exportFile = (part: RecordingPart): Promise<void> =>
    take(client().call('recordings.export', part), (file) => download(file.name, blobOf(file)))
  const prepare = (part: RecordingPart): Promise<void> => take(client().call('recordings.report', part), setReport)
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
            <Button asks="recordings.export" disabled={!isReady} onClick={() => run(exportFile)}>
              Export the recording
            </Button>
            <Button disabled={!isReady} onClick={() => run(prepare)}>
              Prepare a report
            </Button>
          </Buttons>
          {task.state === 'busy' && (
            <Buttons>
              <progress max={1} value={done} aria-label="Progress" /> {format.percent(done)}
              <Button
                onClick={() => {
                  going.current?.abort()
                  forget()
                }}
              >
                Cancel
              </Button>
            </Buttons>
          )}
          {task.state === 'failed' && <ProblemNote problem={task.problem} />}
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
