import { plural } from '../../../core/text/format.ts'
import { Fragment, useMemo, type ReactNode } from 'react'
import type { DerivedLevel } from '../../../core/frame/derived.ts'
import type { LevelFrame } from '../../../core/frame/frame.ts'
import { isExempt } from '../../../core/frame/reading.ts'
import type { UnixMs } from '../../../core/units.ts'
import { Button, Segment } from '../../components/Button.tsx'
import { LevelChip, StateTag } from '../../components/LevelChip.tsx'
import { Term } from '../../components/Term.tsx'
import { classes } from '../../components/classes.ts'
import type { LevelDump } from '../../state/flows.logic.ts'
import { useServerObjects } from '../../state/objects.ts'
import { useHasScreen } from '../../state/limits.ts'
import { openPage, openScreen } from '../../state/route.ts'
import { useSeries } from '../../state/series.ts'
import { useViewPart } from '../../state/view.ts'
import { useSimulationState } from '../../state/simulation.ts'
import { format } from '../../theme/format.ts'
import {
  type Fact,
  shownStates,
  limitFacts,
  widestRequest,
  widthText,
  levelShape,
  queuingFacts,
  requestTimeFacts,
  retryAfterFacts,
  schemasOf,
  scrapedRetryAfterFacts,
  shareFacts,
} from './level.data.ts'
import styles from './level.module.css'

export interface LevelHeaderProps {
  readonly level: LevelFrame
  /** Time of the sample, Unix milliseconds. */
  readonly at: UnixMs
  readonly derived: DerivedLevel | undefined
  readonly dump: LevelDump | undefined
  /** Seats that exist on the server. */
  readonly exist: number | undefined
  readonly stale: boolean
  /** Which of the two pages of the level is shown; absent where there is one. */
  readonly pages?: { readonly inside: boolean; readonly onInside: (inside: boolean) => void } | undefined
}

const PAGES = { now: 'Seats and queues', inside: 'Demand and virtual time' }

/** Name and states of a level, with the known facts about its limits and its flow schemas. */
export function LevelHeader({ level, at, derived, dump, exist, stale, pages }: LevelHeaderProps) {
  const quiescing = dump?.level?.quiescing === true
  const remaining = (dump?.level?.waiting ?? 0) + (dump?.level?.executing ?? 0)
  const widest = widestRequest(level)
  const objects = useServerObjects()
  const shape = useMemo(() => objects && levelShape(objects.levels, level.name), [objects, level.name])
  const stored = useMemo(() => objects && schemasOf(objects.schemas, level.name), [objects, level.name])
  const past = useViewPart((view) => view.mode === 'past')
  // Only for the present: a moment of the past does not contain it.
  const simulated = useSimulationState()?.retryAfterSeconds
  const retryAfter = simulated?.[past ? '' : level.name]
  const series = useSeries()
  const times = useViewPart((view) => view.derivedServer?.requests)
  const [edits, explains] = [useHasScreen('editor'), useHasScreen('allocation')]
  const facts = [
    ...(shape === undefined ? [] : shareFacts(shape)),
    ...limitFacts(level, exist, shape),
    ...(shape === undefined ? [] : queuingFacts(shape, level)),
  ]
  // They change with each sample, and move what follows them.
  const changing = [
    ...(isExempt(level)
      ? []
      : simulated === undefined
        ? scrapedRetryAfterFacts(level, series, at)
        : retryAfterFacts(retryAfter)),
    ...requestTimeFacts(times),
  ]
  return (
    <header className={classes(styles['head'], stale && styles['screenStale'])}>
      <div className="row wrap gap-4 columns-12 hit-28">
        <LevelChip name={level.name} decorative stale={stale} />
        <h1 className={classes(styles['name'], quiescing && styles['gone'])}>{level.name}</h1>
        {quiescing ? (
          <span className="warn">
            removed, <Term id="quiescing">draining</Term> {remaining}
          </span>
        ) : (
          shownStates(level, derived).map(({ kind, seats }) => <StateTag key={kind} kind={kind} seats={seats} />)
        )}
        <div className="flex wrap gap-6 push">
          {pages !== undefined && (
            <Segment
              label="Page of the level"
              value={pages.inside ? 'inside' : 'now'}
              options={PAGES}
              onChange={(page) => pages.onInside(page === 'inside')}
            />
          )}
          {shape !== undefined && edits && (
            <Button onClick={() => openPage('editor', 'draft', `PriorityLevelConfiguration/${level.name}`)}>
              Edit this level
            </Button>
          )}
          {level.limits.current !== undefined && explains && (
            <Button aria-keyshortcuts="x" onClick={() => openScreen('allocation')}>
              {`Explain ${format.seats(level.limits.current)} ${plural(level.limits.current, 'seat', 'seats')}`}
            </Button>
          )}
        </div>
      </div>
      <dl className={styles['facts']}>
        <Facts of={facts} />
        {widest !== undefined && (
          <FactItem term="widest request seen">
            <b>{widthText(widest)}</b>
          </FactItem>
        )}
        <FedBy seen={level.schemas.map(({ name }) => name)} stored={stored} />
        <Facts of={changing} />
      </dl>
    </header>
  )
}

const Facts = ({ of }: { readonly of: readonly Fact[] }) =>
  of.map(({ term, glossary, value, detail }) => (
    <FactItem key={term} term={glossary === undefined ? term : <Term id={glossary}>{term}</Term>}>
      <b>{value}</b>
      {detail !== undefined && <span className="faint">{detail}</span>}
    </FactItem>
  ))

/**
 * Flow schemas by their objects; for a server whose objects are not known, those for which it has counted a request.
 */
function FedBy({ seen, stored }: { readonly seen: readonly string[]; readonly stored: readonly string[] | undefined }) {
  const names = stored === undefined ? seen : [...new Set([...stored, ...seen])]
  const silent = names.filter((name) => !seen.includes(name))
  if (names.length === 0) {
    return (
      <FactItem term="fed by">
        <span className="faint">
          {stored === undefined ? 'no request of any flow schema since the server started' : 'no flow schema'}
        </span>
      </FactItem>
    )
  }
  return (
    <FactItem term={names.length === 1 ? 'fed by 1 flow schema' : `fed by ${names.length} flow schemas`}>
      {names.map((name, i) => (
        <Fragment key={name}>
          {i > 0 && ' '}
          <b className="nowrap">{name}</b>
        </Fragment>
      ))}
      {silent.length > 0 && (
        <span className="faint">
          {silent.length === names.length ? 'no request' : `no request of ${silent.join(', ')}`} since the server
          started
        </span>
      )}
    </FactItem>
  )
}

function FactItem({ term, children }: { readonly term: ReactNode; readonly children: ReactNode }) {
  return (
    <div className={styles['fact']}>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  )
}
