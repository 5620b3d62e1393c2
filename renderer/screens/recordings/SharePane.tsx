import { useState } from 'react'
import { toProblem, type Problem } from '../../../core/contract/errors.ts'
import type { RecordingEntry, RecordingPart } from '../../../core/contract/recording.ts'
import type { Report } from '../../../core/contract/report.ts'
import { MS_PER_DAY } from '../../../core/units.ts'
import { Button, Check } from '../../components/Button.tsx'
import { download } from '../../components/csv.ts'
import { TextField } from '../../components/Field.tsx'
import { blobOf } from '../../components/files.ts'
import { Pane } from '../../components/Pane.tsx'
import { ProblemNote } from '../../components/States.tsx'
import { client } from '../../state/client.ts'
import { absolute, textToWindow, windowToText } from '../../state/time.logic.ts'
import { ReportPane } from './ReportPane.tsx'
import styles from './recordings.module.css'

const TWO_TIMES = 'Write two times with a slash between them.'

/** A recording, or a part of it, as a file or as a report. */
export function SharePane({ entry, onClose }: { readonly entry: RecordingEntry; readonly onClose: () => void }) {
  const { id, first = 0, last = first, source } = entry
  const [range, setRange] = useState(() => windowToText(absolute(Math.max(first, last - MS_PER_DAY), last)))
  const [anonymise, setAnonymise] = useState(false)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const [report, setReport] = useState<Report>()
  const parsed = textToWindow(range)
  const error = !parsed.ok ? parsed.why : parsed.window.kind === 'relative' ? TWO_TIMES : undefined
  const run = async (work: (part: RecordingPart) => Promise<void>): Promise<void> => {
    if (!parsed.ok || parsed.window.kind !== 'absolute') return
    setBusy(true)
    setProblem(undefined)
    try {
      await work({ id, from: parsed.window.from, to: parsed.window.to, anonymise })
    } catch (thrown) {
      setProblem(toProblem(thrown))
    } finally {
      setBusy(false)
    }
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
          <div className={styles['buttons']}>
            <Button
              asks="recordings.export"
              disabled={busy || error !== undefined}
              onClick={() => void run(exportFile)}
            >
              Export the recording
            </Button>
            <Button disabled={busy || error !== undefined} onClick={() => void run(prepare)}>
              Prepare a report
            </Button>
          </div>
          {problem !== undefined && <ProblemNote problem={problem} />}
        </div>
      </Pane>
      {report !== undefined && <ReportPane key={report.subtitle} report={report} />}
    </>
  )
}
