import { useEffect, useRef, useState, useMemo } from 'react'
import { limitsOverSteps, type LimitsOverSteps } from '../../../../core/impact/seatImpact.ts'
import { presentImpact } from '../../../../core/impact/present.ts'
import { sentenceText } from '../../../../core/answer/answer.ts'
import { AnswerTable, type AnswerCells } from '../../../components/answer/Answer.tsx'
import type { AdjustmentStep } from '../../../../core/frame/derived.ts'
import { unixMsOf } from '../../../../core/units.ts'
import { LevelChip } from '../../../components/LevelChip.tsx'
import { Note } from '../../../components/States.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { Segment } from '../../../components/Button.tsx'
import { scrollRegion } from '../../../components/classes.ts'
import { ServerSeats } from '../../../components/SourceControls.tsx'
import { useSettings } from '../../../state/settings.ts'
import { format } from '../../../theme/format.ts'
import { levelOrder } from '../../../../core/text/levelSlots.ts'
import { onAnswer } from '../../../state/answer.ts'
import { askShown } from '../../../state/past.ts'
import { useViewPart } from '../../../state/view.ts'
import { select } from './draftObject.ts'
import styles from './aside.module.css'
import type { Impact } from './forecast.ts'

/** Every level before and after the draft, in seats. `onSeen` is called when the table becomes visible. */
export function ImpactPane(props: {
  readonly impact: Impact
  readonly selected: string | undefined
  /** The draft has errors, so its last valid values are used. */
  readonly stale: boolean
  readonly onSeen: () => void
}) {
  const { impact: of, selected, stale, onSeen } = props
  const { impact, demand } = of
  const [settings] = useSettings()
  const [limits, setLimits] = useState<'now' | 'recent'>('now')
  const recent = useRecentLimits(limits === 'recent' ? of : undefined)
  const order = levelOrder(settings.levelSlots)
  const rows = impact.rows.toSorted((a, b) => order(a.name, b.name))
  const seen = useSeen(onSeen)
  const { title, evidence, tables } = presentImpact({ ...impact, rows }, recent)
  return (
    <Pane
      title="Seat impact"
      unit="seats"
      note={sentenceText(title, format)}
      className={styles['seats']}
      actions={
        demand !== undefined ? (
          <Segment label="Limits" value={limits} options={{ now: 'Now', recent: 'Last 10 min' }} onChange={setLimits} />
        ) : (
          <ServerSeats limit={of.limit} />
        )
      }
    >
      <div ref={seen} className="scroll-x" {...scrollRegion('Seat impact by level')}>
        {tables.map((table) => (
          <AnswerTable
            key={table.title}
            table={table}
            className={styles['impact']}
            cells={CELLS}
            omit={DETAILS}
            rowLook={(index) => styles[rows[index]?.change ?? '']}
            selected={rows.findIndex(({ name }) => name === selected)}
          />
        ))}
      </div>
      {(stale || evidence.length > 0 || recent !== undefined) && (
        <div className="stack gap-6 pad-x pad-y-8">
          {stale && <Note kind="warn">The draft has errors. The table uses the last valid values.</Note>}
          {evidence.map((sentence) => {
            const text = sentenceText(sentence, format)
            return (
              <Note key={text} kind="warn">
                {text}
              </Note>
            )
          })}
          {recent !== undefined && <p className="small prose faint">{recentText(recent)}</p>}
        </div>
      )}
    </Pane>
  )
}

const DETAILS = ['Shares', 'Max', 'Can wait'] as const

const CELLS: AnswerCells = {
  level: (text) => {
    const [name = ''] = text.split(' ')
    return (
      <button
        type="button"
        className={`${styles['level']} inline-row gap-7 hit-24`}
        onClick={() => select({ kind: 'PriorityLevelConfiguration', name })}
      >
        <LevelChip name={name} decorative />
        <span>{name}</span>
      </button>
    )
  },
}

/** Calls `onSeen` when the table has been on the screen, after every change of its content. */
function useSeen(onSeen: () => void) {
  const table = useRef<HTMLDivElement>(null)
  const [visible, setVisible] = useState(typeof IntersectionObserver === 'undefined')
  useEffect(() => {
    const element = table.current
    if (element === null || typeof IntersectionObserver === 'undefined') return undefined
    const observer = new IntersectionObserver(([entry]) => setVisible(entry?.isIntersecting === true))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    if (visible && !document.hidden) onSeen()
  })
  return table
}

const RANGE_MS = 600_000
const EVERY_MS = 10_000

/**
 * The limits that both configurations would have given for the demand of the last ten minutes; `undefined` without
 * `impact`.
 */
function useRecentLimits(impact: Impact | undefined): LimitsOverSteps | undefined {
  const server = useViewPart((view) => view.server?.id)
  const at = useViewPart((view) => (view.server === undefined ? undefined : unixMsOf(view.server.at)))
  const [steps, setSteps] = useState<readonly AdjustmentStep[]>([])
  const turn = at === undefined ? undefined : Math.floor(at / EVERY_MS)
  const asked = impact !== undefined
  useEffect(() => {
    if (!asked || server === undefined || turn === undefined) return undefined
    const to = (turn + 1) * EVERY_MS
    // Without them the pane omits the last minutes.
    return onAnswer(() => askShown('allocation.steps', { server, from: to - RANGE_MS, to }), setSteps)
  }, [asked, server, turn])
  return useMemo(() => {
    if (impact === undefined) return undefined
    const { before, after, limit, newLimit, version } = impact
    return limitsOverSteps({ before, after, serverLimit: limit.seats, newServerLimit: newLimit, version }, steps)
  }, [impact, steps])
}

/** What the limits were computed from. */
const recentText = ({ steps }: LimitsOverSteps): string =>
  steps === 0
    ? 'No reallocation was seen in the last 10 minutes.'
    : `From the demand of ${steps} reallocations. Under other limits requests would have waited differently, so demand would have differed too.`
