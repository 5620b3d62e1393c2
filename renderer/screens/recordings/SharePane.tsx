import { useState } from 'react'
import type { RecordingEntry, RecordingPart } from '../../../core/contract/recording.ts'
import type { Report } from '../../../core/contract/report.ts'
import { MS_PER_DAY } from '../../../core/units.ts'
import { Button, Buttons, Check } from '../../components/Button.tsx'
import { download } from '../../components/csv.ts'
import { TextField } from '../../components/Field.tsx'
import { blobOf } from '../../components/files.ts'
import { useTask } from '../../components/hooks.ts'
import { Pane } from '../../components/Pane.tsx'
import { ProblemNote } from '../../components/States.tsx'
import { client } from '../../state/client.ts'
import { absolute, textToWindow, windowToText } from '../../state/time.logic.ts'
import { ReportPane } from './ReportPane.tsx'
import styles from './recordings.module.css'

const TWO_TIMES = 'Enter two times separated by a slash.'

/** A recording, or a part of it, as a file or as a report. */
export function SharePane({ entry, onClose }: { readonly entry: RecordingEntry; readonly onClose: () => void }) {
  const { id, first = 0, last = first, source } = entry
  const [range, setRange] = useState(() => windowToText(absolute(Math.max(first, last - MS_PER_DAY), last)))
  const [anonymise, setAnonymise] = useState(false)
  const [task, start] = useTask<void>()
  const [report, setReport] = useState<Report>()
  const parsed = textToWindow(range)
  const error = !parsed.ok ? parsed.why : parsed.window.kind === 'relative' ? TWO_TIMES : undefined
  const isReady = task.state !== 'busy' && error === undefined
  const run = (work: (part: RecordingPart) => Promise<void>): void => {
    if (!parsed.ok || parsed.window.kind !== 'absolute') return
    const { from, to } = parsed.window
    void start(() => work({ id, from, to, anonymise }))
  }
  const exportFile = async (part: RecordingPart): Promise<void> => {
    const file = await client().call('recordings.export', part)
    download(file.name, blobOf(file))
  }
  const prepare = async (part: RecordingPart): Promise<void> =>
    setReport(await client().call('recordings.report', part))
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
        <div className={styles['form']}>
          <TextField label="Range" value={range} error={error} onChange={setRange} />
          <Check label="Replace names of users, objects and servers" checked={anonymise} onChange={setAnonymise} />
          <Buttons>
            <Button asks="recordings.export" disabled={!isReady} onClick={() => run(exportFile)}>
              Export the recording
            </Button>
            <Button disabled={!isReady} onClick={() => run(prepare)}>
              Prepare a report
            </Button>
          </Buttons>
          {task.state === 'failed' && <ProblemNote problem={task.problem} />}
        </div>
      </Pane>
      {report !== undefined && <ReportPane key={report.subtitle} report={report} />}
    </>
  )
}
