import { memo, useMemo } from 'react'
import type { Classification } from '../../../../core/classify/classification.ts'
import { checksOf, schemasTable } from '../../../../core/classify/present.ts'
import { AnswerGrid, type AnswerCells } from '../../../components/answer/Answer.tsx'
import { classes } from '../../../components/classes.ts'
import { Icon } from '../../../components/Icon.tsx'
import { LevelName } from '../../../components/LevelChip.tsx'
import { openPage } from '../../../state/route.ts'
import styles from './request.module.css'

const WIDTHS = { precedence: 64, who: 58, verb: 58, group: 58, resource: 58, scope: 58, url: 58, why: '100%' }

/** Every schema in the order in which the server tries them, with the result for the request. */
export const TracePane = memo(function TracePane({ answer }: { readonly answer: Classification }) {
  const { trace, dangling, flowSchema } = answer
  const table = useMemo(() => schemasTable(answer, checksOf(answer)), [answer])
  const cells = useMemo(() => cellsOf(answer), [answer])
  const names = [...trace, ...dangling].map((one) => one.flowSchema)
  return (
    <section className={styles['trace']} aria-label="Flow schemas" data-pane="" tabIndex={-1}>
      <AnswerGrid
        table={{ ...table, title: 'Flow schemas in matching order' }}
        cells={cells}
        ordered
        omit={OMITTED}
        widths={WIDTHS}
        selected={trace.findIndex(({ decides }) => decides)}
        onOpen={(row) => openPage('editor', 'draft', `FlowSchema/${names[row] ?? ''}`)}
        density="compact"
        csvName={`classified-${flowSchema}`}
        foot="Enter or a click opens a schema in the editor."
      />
    </section>
  )
})

function cellsOf(answer: Classification): AnswerCells {
  const { trace } = answer
  const dim = (row: number): string | undefined => (trace[row]?.reached === true ? undefined : styles['dim'])
  return {
    precedence: (text, row) => <span className={classes('mono', dim(row))}>{text}</span>,
    schema: (text, row) => <span className={classes(dim(row), trace[row]?.decides === true && 'strong')}>{text}</span>,
    level: (text, row) => (
      <span className={classes(styles['level'], dim(row))}>
        <LevelName name={text} stale={dim(row) !== undefined} />
      </span>
    ),
    ...Object.fromEntries(
      checksOf(answer).map((id) => [id, (text: string, row: number) => <Check text={text} dim={dim(row)} />]),
    ),
    why: (text, row) => (
      <span className={classes(styles['why'], dim(row))} title={text}>
        {text}
      </span>
    ),
  }
}

/** The row is marked as selected. */
const OMITTED = ['decides']

const LOOKS: Readonly<Record<string, readonly [look: string, icon?: 'check' | 'cross']>> = {
  yes: ['pass', 'check'],
  no: ['fail', 'cross'],
}

function Check({ text, dim }: { readonly text: string; readonly dim: string | undefined }) {
  const [look, icon] = LOOKS[text] ?? ['none']
  return (
    <span className={classes(styles['check'], styles[look], dim)}>
      {icon === undefined ? <span aria-hidden="true">·</span> : <Icon name={icon} size={13} />}
      <span className="sr-only">{text}</span>
    </span>
  )
}
