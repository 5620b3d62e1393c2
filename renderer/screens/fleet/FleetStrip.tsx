import { plural, rounded } from '../../../core/text/format.ts'
import { useMemo, type MouseEvent } from 'react'
import { compareByTrouble, type ClusterRow, type ServerRow } from '../../../core/fleet/fleet.ts'
import { Drawing, useSize } from '../../charts/plot.tsx'
import styles from './fleet.module.css'

const HEIGHT = 24
/** Servers that execute little still get a visible line. */
const LEAST = 2

const LOOKS = ['rejecting', 'queueing', 'old', 'flowing'] as const
type Look = (typeof LOOKS)[number]
const FILLS = {
  rejecting: 'fill-rejected',
  queueing: 'fill-queued',
  old: 'fill-strong',
  flowing: 'fill-text-3',
} as const

const lookOf = ({ state }: ServerRow): Look =>
  state === 'rejecting' || state === 'queueing'
    ? state
    : state === 'stale' || state === 'failing' || state === 'connecting'
      ? 'old'
      : 'flowing'

interface FleetStripProps {
  readonly clusters: readonly ClusterRow[]
  readonly onOpen: (server: ServerRow) => void
}

/** One column per server, the worst first, then by their busiest level. The table below contains the numbers. */
export function FleetStrip({ clusters, onOpen }: FleetStripProps) {
  const [box, { width }] = useSize()
  const servers = useMemo(() => clusters.flatMap((cluster) => cluster.servers).toSorted(compareByTrouble), [clusters])
  const step = width / Math.max(1, servers.length)
  const paths = useMemo(() => pathsOf(servers, step), [servers, step])
  const count = (look: Look): number => servers.filter((server) => lookOf(server) === look).length
  const words = [
    `${count('rejecting')} rejecting`,
    `${count('queueing')} queueing`,
    `${count('old')} without a current sample`,
    `${count('flowing')} ${plural(count('flowing'), 'other', 'others')} by busiest level`,
  ]
  const open = ({ nativeEvent: { offsetX } }: MouseEvent): void => {
    const server = servers[Math.floor(offsetX / step)]
    if (server !== undefined) onOpen(server)
  }
  return (
    <div className="pad-x pad-t-8 pad-b-6 line-below">
      {/* Keyboard users reach the same servers from the rows of the table. */}
      <div ref={box} role="presentation" className={styles['columns']} onClick={open}>
        <Drawing width={width} height={HEIGHT} label={`Servers: ${words.join(', ')}.`}>
          {LOOKS.map((look) => (
            <path key={look} className={FILLS[look]} d={paths[look]} />
          ))}
        </Drawing>
      </div>
      <p className={styles['legend']}>
        {words.slice(0, 3).map((text, index) => (
          <span key={text} className={['rejected', 'queued'][index]}>
            {text}
          </span>
        ))}
        <span>{words[3]}</span>
        <span className="push">one column per server</span>
      </p>
    </div>
  )
}

function pathsOf(servers: readonly ServerRow[], step: number): Readonly<Record<Look, string>> {
  const paths: Record<Look, string[]> = { rejecting: [], queueing: [], old: [], flowing: [] }
  const gap = step > 4 ? 1 : 0
  servers.forEach((server, index) => {
    const high = Math.max(LEAST, Math.min(1, server.saturation ?? 0) * HEIGHT)
    paths[lookOf(server)].push(`M${rounded(index * step, 1)} ${HEIGHT}v${-high}h${rounded(step - gap, 1)}v${high}z`)
  })
  return {
    rejecting: paths.rejecting.join(''),
    queueing: paths.queueing.join(''),
    old: paths.old.join(''),
    flowing: paths.flowing.join(''),
  }
}
