import type { EtcdState } from '../../../core/contract/etcd.ts'
import { ChartFrame } from '../../components/ChartFrame.tsx'
import { format } from '../../theme/format.ts'
import { limitedWord } from './sentence.ts'
import styles from './etcd.module.css'

const HEIGHT = 56
const COLUMNS = ['Second', 'Passed', 'Delayed']

/** Requests of the last two minutes, second by second: limited ones on top. */
export function LoadPane({ seconds, mode }: Pick<EtcdState, 'seconds' | 'mode'>) {
  const observing = mode === 'observe'
  // The present second is not over.
  const whole = seconds.slice(0, -1)
  const most = Math.max(1, ...whole.map(({ passed, delayed, limited }) => passed + delayed + limited))
  const last = whole.at(-1)
  const label = `${format.fixed((last?.passed ?? 0) + (last?.delayed ?? 0))} requests passed and ${format.fixed(last?.limited)} ${observing ? 'would be' : 'were'} limited in the last second; at most ${format.fixed(most)} came in one second.`
  return (
    <ChartFrame
      title="Requests"
      note={`per second, ${format.span(whole.length)}, most ${format.fixed(most)}`}
      fileName="etcd-requests"
      table={() => ({
        columns: [...COLUMNS, limitedWord(mode)],
        rows: whole.map(({ second, passed, delayed, limited }) => [second, passed, delayed, limited]),
      })}
      label={label}
      legend={
        <span className={styles['legend']}>
          <i className={styles['limitedKey']} /> {observing ? 'would be limited' : 'limited'}
        </span>
      }
    >
      <svg
        viewBox={`0 0 ${whole.length} ${HEIGHT}`}
        className={styles['load']}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {whole.map(({ second, passed, delayed, limited }, index) => {
          const [let_, refused] = [passed + delayed, limited].map((count) => (count / most) * (HEIGHT - 2))
          const top = HEIGHT - (let_ ?? 0)
          return (
            <g key={second}>
              <rect className={styles['fill']} x={index} y={top} width={0.8} height={let_} />
              <rect className={styles['refused']} x={index} y={top - (refused ?? 0)} width={0.8} height={refused} />
            </g>
          )
        })}
      </svg>
    </ChartFrame>
  )
}
