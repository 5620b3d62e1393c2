import { type ReactNode, useMemo } from 'react'
import { sentenceText } from '../../../core/answer/answer.ts'
import type { ScenarioReport, ScenarioRunReport } from '../../../core/contract/scenario.ts'
import { decidingCheck, measured, presentChecks, presentClients, variantId } from '../../../core/scenario/present.ts'
import { valueAxis, type ValueAxis } from '../../../core/text/axis.ts'
import { AnswerTable } from '../../components/answer/Answer.tsx'
import { Icon } from '../../components/Icon.tsx'
import { Pane } from '../../components/Pane.tsx'
import { scrollRegion } from '../../components/classes.ts'
import type { RunChoice } from '../../state/beside.ts'
import { format } from '../../theme/format.ts'
import { BesideButton, OpenRun } from './RunButton.tsx'
import { coursePoints, decidingClients, type CoursePoint } from './scenarios.data.ts'
import styles from './scenarios.module.css'
import { areaPath, linePath, plotWidth, xOfTime, yOfValue, type Plot } from '../../../core/text/plot.ts'
import { AxisLabels, Drawing, useSize, ValueGrid } from '../../charts/plot.tsx'

/** Limit in the contract; only for display. */
const LONGEST_NAME = 100

/** A run: what each variant met, the requests that decide, and every group of clients. */
export function ScenarioResults(props: {
  readonly report: ScenarioReport
  /** Name in the library, or of a file. */
  readonly name: string
  /** Text of the file that was run; the library has its own. */
  readonly text: string | undefined
  /** What comes between the drawings and the numbers. */
  readonly children: ReactNode
}) {
  const { report, name, text, children } = props
  const checks = presentChecks(report)
  const clients = presentClients(report)
  const marks = Object.fromEntries(report.runs.map((_, place) => [variantId(place), drawMark]))
  return (
    <>
      <Pane title={checks.title} note={checks.note}>
        <div className="scroll-x" {...scrollRegion('Verdict of each variant')}>
          <AnswerTable table={checks} cells={marks} className={styles['checks']} />
        </div>
      </Pane>
      <Courses report={report} name={name} text={text} />
      {children}
      {clients !== undefined && (
        <Pane title={clients.title} note={clients.note}>
          <div className="scroll-x" {...scrollRegion('Clients of each variant')}>
            <AnswerTable table={clients} />
          </div>
        </Pane>
      )}
    </>
  )
}

const MARKS: Readonly<Partial<Record<string, 'check' | 'cross'>>> = { '✓': 'check', '✗': 'cross' }

/** Its mark as an icon with the colour of the verdict. */
function drawMark(text: string): ReactNode {
  const icon = MARKS[text.charAt(0)]
  if (icon === undefined) return text
  return (
    <span className={icon === 'check' ? 'good' : 'bad'}>
      <Icon name={icon} size={12} /> {text.slice(2)}
    </span>
  )
}

function Courses({ report, name, text }: Omit<Parameters<typeof ScenarioResults>[0], 'children'>) {
  const { runs, seconds, statisticsFrom } = report
  const client = decidingClients(report)
  const courses = runs.map(({ course }) => (course === undefined ? [] : coursePoints(course, client)))
  const axis = valueAxis(Math.max(0, ...courses.flat().map(({ ended }) => ended)), 3)
  const choices = choicesOf(report, name, text)
  const who = client === undefined ? 'all clients' : client
  return (
    <Pane title={`Requests of ${who}`} unit="requests/s" note={<Legend statisticsFrom={statisticsFrom} />}>
      <div className={styles['courses']}>
        {runs.map((run, place) => (
          <article key={run.name} className={styles['card']} aria-label={run.name}>
            <header className="stack gap-2">
              <h3 className="strong">{run.name}</h3>
              {run.verdict !== undefined && drawMark(`${run.verdict === 'prevented' ? '✓' : '✗'} ${run.verdict}`)}
            </header>
            <CourseChart
              points={courses[place] ?? []}
              axis={axis}
              seconds={seconds}
              statisticsFrom={statisticsFrom}
              label={courseSentence(run, who)}
            />
            <Deciding run={run} />
            {report.of === 'server' && <Steps run={run} choices={choices} middle={(statisticsFrom + seconds) / 2} />}
          </article>
        ))}
      </div>
    </Pane>
  )
}

const Legend = ({ statisticsFrom }: { readonly statisticsFrom: number }) => (
  <>
    <span className={styles['servedKey']} /> served <span className={styles['failedKey']} /> failed, one scale
    {statisticsFrom > 0 && `; counted from ${format.span(statisticsFrom)}, the dotted line`}
  </>
)

function courseSentence({ clients, seconds, name }: ScenarioRunReport, who: string): string {
  const group = clients.filter(({ client }) => who === 'all clients' || client === who)
  const served = group.reduce((sum, one) => sum + one.served, 0) / seconds
  return `${who} in ${name}: ${format.rate(served)} requests per second were served`
}

/** The number that decides about a variant, and what it is. */
function Deciding({ run }: { readonly run: ScenarioRunReport }) {
  const check = decidingCheck(run)
  if (check === undefined) return null
  return (
    <p className={styles['deciding']}>
      <b>{sentenceText(measured(check), format)}</b> <span title={check.text}>{check.text}</span>
    </p>
  )
}

const choicesOf = (report: ScenarioReport, name: string, text: string | undefined): readonly RunChoice[] =>
  report.runs
    .filter(({ steppable }) => steppable)
    .map((run) => ({
      name: run.name,
      of: { kind: 'scenario', name: name.slice(0, LONGEST_NAME), seed: report.seed, variant: run.name },
      ...(text !== undefined && { given: { scenario: text } }),
    }))

function Steps(props: {
  readonly run: ScenarioRunReport
  readonly choices: readonly RunChoice[]
  /** Seconds after the start where two variants are opened that never differ. */
  readonly middle: number
}) {
  const { run, choices, middle } = props
  const place = choices.findIndex((choice) => choice.name === run.name)
  const choice = choices[place]
  if (choice === undefined) return <p className="flex wrap gap-6 faint">No priority levels to step through.</p>
  const { first } = run
  return (
    <p className="flex wrap gap-6 faint">
      {place > 0 && <BesideButton pair={{ choices, a: 0, b: place }} first={first} seconds={middle} steppable />}
      <OpenRun of={choice.of} given={choice.given} steppable>
        Step through
      </OpenRun>
    </p>
  )
}

const HEIGHT = 104

/** Requests of one variant that ended, per second: those that failed stand on those that were served. */
function CourseChart(props: {
  readonly points: readonly CoursePoint[]
  /** The same for every variant. */
  readonly axis: ValueAxis
  readonly seconds: number
  /** Nothing before it is counted. */
  readonly statisticsFrom: number
  readonly label: string
}) {
  const { points, axis, seconds, statisticsFrom, label } = props
  const [box, { width }] = useSize()
  const plot = useMemo(() => ({ width, height: HEIGHT, left: 40, right: 8, top: 8, bottom: 18 }), [width])
  return (
    <div ref={box} className="shrink-x" style={{ height: HEIGHT }}>
      {width > 0 && (
        <Drawing width={width} height={HEIGHT} label={label}>
          <ValueGrid
            plot={plot}
            marks={axis.ticks.map((value) => ({ at: y(plot, axis, value), text: format.fixed(value) }))}
          />
          <Areas points={points} plot={plot} axis={axis} seconds={seconds} />
          {statisticsFrom > 0 && (
            <line
              className={styles['counted']}
              x1={x(plot, seconds, statisticsFrom)}
              x2={x(plot, seconds, statisticsFrom)}
              y1={plot.top}
              y2={HEIGHT - plot.bottom}
            />
          )}
          <AxisLabels
            y={HEIGHT - 4}
            marks={[
              { at: plot.left, text: '0', anchor: 'start' },
              { at: plot.left + plotWidth(plot), text: format.span(seconds), anchor: 'end' },
            ]}
          />
        </Drawing>
      )}
    </div>
  )
}

const y = (plot: Plot, axis: ValueAxis, value: number): number => Math.round(yOfValue(plot, axis.max, value)) + 0.5
const x = (plot: Plot, seconds: number, at: number): number =>
  Math.round(xOfTime(plot, { from: 0, to: seconds }, at)) + 0.5

function Areas(props: {
  readonly points: readonly CoursePoint[]
  readonly plot: Plot
  readonly axis: ValueAxis
  readonly seconds: number
}) {
  const { points, plot, axis, seconds } = props
  const drawn = points.map((point) => ({
    x: xOfTime(plot, { from: 0, to: seconds }, point.seconds),
    served: yOfValue(plot, axis.max, point.served),
    ended: yOfValue(plot, axis.max, point.ended),
  }))
  const base = plot.height - plot.bottom
  return (
    <>
      <path className={styles['served']} d={areaPath(drawn.map((one) => ({ x: one.x, y: one.served, base })))} />
      <path
        className="fill-rejected"
        d={areaPath(drawn.map((one) => ({ x: one.x, y: one.ended, base: one.served })))}
      />
      <path className="fill-none stroke-text-2" d={linePath(drawn.map((one) => ({ x: one.x, y: one.served })))} />
    </>
  )
}
