import type { EtcdClass, EtcdState } from '../../../core/contract/etcd.ts'
import { QDISC_NAMES } from '../../../core/qos/configuration.ts'
import { classes } from '../../components/classes.ts'
import { format } from '../../theme/format.ts'
import { byTightness, extentOf, type Level, shortLevel } from './levels.ts'
import styles from './etcd.module.css'

/**
 * The classes as drawings of their algorithms, with the present level of each and the outcome of its latest requests.
 */
export function ClassCards(props: {
  readonly all: readonly EtcdClass[]
  readonly mode: EtcdState['mode']
  readonly selected: string | undefined
  readonly onSelect: (name: string) => void
}) {
  const { all, mode, selected, onSelect } = props
  return (
    <ul className={styles['cards']} aria-label="Classes">
      {all.map((one) => (
        <li key={one.name}>
          <button
            type="button"
            className={classes(styles['card'], one.name === selected && 'on-selection')}
            aria-pressed={one.name === selected}
            onClick={() => onSelect(one.name)}
          >
            <span className={`${styles['cardHead']} flex baseline gap-8 large`}>
              <b>{one.name}</b>
              {one.groups[0] && <span>{QDISC_NAMES[one.groups[0].level.qdisc]}</span>}
            </span>
            <span className={styles['summary']} title={one.summary}>
              {format.said(one.summary)}
            </span>
            <Groups of={one} />
            <span className={styles['cardFoot']}>
              <span>
                {one.waiting > 0 && <span className="queued">{format.counted(one.waiting, 'request')} waiting</span>}
                {one.groupCount > MOST_GROUPS && (
                  <span>{format.counted(one.groupCount - MOST_GROUPS, 'more group')}</span>
                )}
              </span>
              {one.lately !== undefined && <span>{latelyText(one.lately, mode)}</span>}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

const MOST_GROUPS = 2

const latelyText = ({ seconds, passed, limited }: NonNullable<EtcdClass['lately']>, mode: EtcdState['mode']): string =>
  passed + limited === 0
    ? `none in ${seconds} s`
    : `${format.fixed(passed)} of ${format.fixed(passed + limited)} ${mode === 'observe' ? 'would pass' : 'passed'} in ${seconds} s`

/** Same height with and without groups, so that nothing moves when a group appears. */
function Groups({ of }: { readonly of: EtcdClass }) {
  const tight = byTightness(of).slice(0, MOST_GROUPS)
  const [first] = tight
  if (first === undefined) return null
  // In their original order; otherwise two groups at a similar level would swap places all the time.
  const named = of.groups.filter((one) => one.group !== '' && tight.includes(one))
  return (
    <>
      <span className={styles['drawings']}>
        {named.length > 0 ? (
          named.map((one) => (
            <span key={`${one.rule ?? ''} ${one.group}`} className={styles['group']}>
              <span className={styles['groupName']}>{one.group}</span>
              <Cells level={one.level} />
            </span>
          ))
        ) : first.level.qdisc === 'lbf' && of.lately !== undefined ? (
          <Leaks of={of.lately} />
        ) : (
          <Cells level={first.level} />
        )}
      </span>
      <span className="small muted">
        {first.group !== '' && `${first.group}: `}
        {wordsOf(first.level)}
      </span>
    </>
  )
}

function wordsOf(level: Level): string {
  switch (level.qdisc) {
    case 'tbf':
      return `${shortLevel(level).replace('/', ' of ')} tokens`
    case 'lbf':
      return level.freeInMs === 0 ? 'free now' : `next free in ${format.ms(level.freeInMs)}`
    case 'maxinflight':
      return `${format.fixed(level.inFlight)} of ${format.fixed(level.num)} in flight`
    case 'window':
      return `${format.fixed(level.used)} of ${format.fixed(level.limit)} used`
  }
}

const WIDTH = 240
const HEIGHT = 26
/** Cells that are drawn one by one; a larger bucket is a bar. */
const MOST_CELLS = 24

/** Full cells show the amount in the bucket, in flight or used. Decorative: text next to it states the level. */
function Cells({ level }: { readonly level: Level }) {
  const { value, of } = extentOf(level)
  const cells = Number.isInteger(of) && of <= MOST_CELLS ? of : 1
  const width = WIDTH / cells
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className={styles['drawing']} aria-hidden="true" preserveAspectRatio="none">
      {Array.from({ length: cells }, (_, index) => {
        const part = Math.max(0, Math.min(1, (value / of) * cells - index))
        return (
          <g key={index} transform={`translate(${index * width} 0)`}>
            <rect
              className="fill-none stroke-strong"
              x={0.5}
              y={0.5}
              width={Math.max(1, width - 3)}
              height={HEIGHT - 1}
            />
            <rect className="fill-text-2" x={0.5} y={0.5} width={Math.max(0, (width - 3) * part)} height={HEIGHT - 1} />
          </g>
        )
      })}
    </svg>
  )
}

/**
 * The latest requests of a leaky bucket: a tick for each that passed, a cross for each that was limited; the newest on
 * the right.
 */
function Leaks({ of: { seconds, passedAgo, limitedAgo } }: { readonly of: NonNullable<EtcdClass['lately']> }) {
  const at = (ago: number): string => `${100 * (1 - ago / (seconds * 1_000))}%`
  return (
    <svg className={styles['drawing']} aria-hidden="true">
      <line className="fill-none stroke-strong" x1="0" x2="100%" y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      {limitedAgo.map((ago, index) => (
        <svg key={index} x={at(ago)} y={HEIGHT / 2 - 2} overflow="visible">
          <path className={styles['crossed']} d="M-2 0l4 4m0-4l-4 4" />
        </svg>
      ))}
      {passedAgo.map((ago, index) => (
        <rect key={index} className="fill-text-2" x={at(ago)} y={0} width={3} height={HEIGHT} />
      ))}
    </svg>
  )
}
