import type { EtcdClass } from '../../../core/contract/etcd.ts'
import { classes } from '../../components/classes.ts'
import { format } from '../../theme/format.ts'
import styles from './etcd.module.css'

type Level = EtcdClass['groups'][number]['level']

/** The classes as drawings of their algorithms, with where each stands now. */
export function ClassCards(props: {
  readonly all: readonly EtcdClass[]
  readonly selected: string | undefined
  readonly onSelect: (name: string) => void
}) {
  const { all, selected, onSelect } = props
  return (
    <ul className={styles['cards']} aria-label="Classes">
      {all.map((one) => (
        <li key={one.name}>
          <button
            type="button"
            className={classes(styles['card'], one.name === selected && styles['chosen'])}
            aria-pressed={one.name === selected}
            onClick={() => onSelect(one.name)}
          >
            <span className={styles['cardHead']}>
              <b>{one.name}</b>
              <span className="mono">{one.groups[0]?.level.qdisc}</span>
            </span>
            <span className={styles['summary']}>{one.summary}</span>
            <Groups of={one} />
            <span className={styles['cardFoot']}>
              {one.waiting > 0 && (
                <span className={styles['queued']}>{format.counted(one.waiting, 'request')} waiting</span>
              )}
              {one.groupCount > MOST_GROUPS && <span>{one.groupCount - MOST_GROUPS} more groups</span>}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

const MOST_GROUPS = 2

function Groups({ of }: { readonly of: EtcdClass }) {
  return of.groups.slice(0, MOST_GROUPS).map(({ group, rule = '', level, text }) => (
    <span key={`${rule} ${group}`} className={styles['group']}>
      {group !== '' && <span className={styles['groupName']}>{group}</span>}
      <Drawing level={level} />
      <span className={styles['level']}>{text}</span>
    </span>
  ))
}

const WIDTH = 240
const HEIGHT = 16
/** Cells that are drawn one by one; a larger bucket is a bar. */
const MOST_CELLS = 24

/** Full cells are what is in the bucket, in flight or used. Decoration: the level stands beside it in words. */
function Drawing({ level }: { readonly level: Level }) {
  const { value, of } = extentOf(level)
  const cells = Number.isInteger(of) && of <= MOST_CELLS ? of : 1
  const width = WIDTH / cells
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className={styles['drawing']} aria-hidden="true" preserveAspectRatio="none">
      {Array.from({ length: cells }, (_, index) => {
        const part = Math.max(0, Math.min(1, (value / of) * cells - index))
        return (
          <g key={index} transform={`translate(${index * width} 0)`}>
            <rect className={styles['cell']} x={0.5} y={0.5} width={Math.max(1, width - 3)} height={HEIGHT - 1} />
            <rect
              className={styles['fill']}
              x={0.5}
              y={0.5}
              width={Math.max(0, (width - 3) * part)}
              height={HEIGHT - 1}
            />
          </g>
        )
      })}
    </svg>
  )
}

/** What fills the drawing, and what it would hold. */
function extentOf(level: Level): { readonly value: number; readonly of: number } {
  switch (level.qdisc) {
    case 'tbf':
      return { value: level.tokens, of: level.burst }
    case 'lbf':
      return { value: level.freeInMs * level.qps, of: 1_000 }
    case 'maxinflight':
      return { value: level.inFlight, of: level.num }
    case 'window':
      return { value: level.used, of: level.limit }
  }
}
