import { useRef, useState } from 'react'
import type { RecordingEntry, RecordingPart } from '../../../core/contract/recording.ts'
import type { Report } from '../../../core/contract/report.ts'
import { MS_PER_DAY, MS_PER_SECOND } from '../../../core/units.ts'
import { Button, Buttons, Check } from '../../components/Button.tsx'
import { download } from '../../components/csv.ts'
import { TextField } from '../../components/Field.tsx'
import { blobOf } from '../../components/files.ts'
import { useTask } from '../../components/hooks.ts'
import { Pane } from '../../components/Pane.tsx'
import { Loading, ProblemNote } from '../../components/States.tsx'
import { client } from '../../state/client.ts'
import { useSettings } from '../../state/settings.ts'
import { bounds } from '../../state/time.logic.ts'
import { readRange } from '../../state/typedRange.logic.ts'
import { format } from '../../theme/format.ts'
import { ReportPane } from './ReportPane.tsx'

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
  /** The fraction of a file that is written. */
  const [done, setDone] = useState<number>()
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
    const value = await answer
    if (!own.signal.aborted) taken(value)
  }
  const exportFile = (part: RecordingPart): Promise<void> => {
    setDone(0)
    const timer = setInterval(() => {
      // The answer of the export itself reports what failed.
      client()
        .call('recordings.exported', { id })
        .then(setDone, () => undefined)
    }, PROGRESS_MS)
    return take(client().call('recordings.export', part), (file) => download(file.name, blobOf(file))).finally(() => {
      clearInterval(timer)
      setDone(undefined)
    })
  }
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
              {done === undefined ? (
                <Loading waitingFor="the report" />
              ) : (
                <>
                  <progress max={1} value={done} aria-label="Progress of the export" /> {format.percent(done)}
                </>
              )}
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
