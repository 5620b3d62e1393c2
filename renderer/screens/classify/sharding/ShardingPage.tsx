import { useMemo, useState } from 'react'
import type { Queuing } from '../../../../core/config/objects.ts'
import { coveredOdds, USUAL_ELEPHANTS } from '../../../../core/sharding/collision.ts'
import { overlapOf } from '../../../../core/sharding/overlap.ts'
import { classes } from '../../../components/classes.ts'
import { Note } from '../../../components/States.tsx'
import { NowLine } from '../../../components/NowLine.tsx'
import { Term } from '../../../components/Term.tsx'
import { useViewPart } from '../../../state/view.ts'
import { DocumentedPane } from './DocumentedPane.tsx'
import { keyOf, schemasOf } from './flows.data.ts'
import { FlowsPane, PairsPane } from './FlowTables.tsx'
import { readGoal, USUAL_GOAL } from './goal.data.ts'
import { HandSizePane } from './HandSizePane.tsx'
import { HandsPane } from './HandsPane.tsx'
import { OddsPane } from './OddsPane.tsx'
import { RecommendPane } from './RecommendPane.tsx'
import { oddsSentence } from './shape.data.ts'
import { ShapePane } from './ShapePane.tsx'
import styles from './sharding.module.css'
import { useFlows } from './useFlows.ts'
import { useSharding, type Sharding } from './useSharding.ts'

/** How well queues keep flows apart: hands, chances, and shapes that do better. */
export function ShardingPage() {
  const sharding = useSharding()
  const { level, read, attempt } = sharding
  const [goalForm, setGoalForm] = useState(USUAL_GOAL)
  const goal = useMemo(() => readGoal(goalForm), [goalForm])
  const elephants = goal.goal?.elephants ?? Number(USUAL_GOAL.elephants)
  const counts = useMemo(() => [...new Set([...USUAL_ELEPHANTS, elephants])].toSorted((a, b) => a - b), [elephants])
  const queuing = read.ok ? read.queuing : undefined
  const nominal = useViewPart(({ server }) => server?.levels.find(({ name }) => name === level?.name)?.limits.nominal)
  return (
    <div>
      <NowLine
        title={
          queuing === undefined
            ? 'No server accepts this shape.'
            : oddsSentence(queuing, elephants, coveredOdds(queuing, elephants))
        }
        level={level?.name}
        evidence={
          <>
            <Term id="shuffle-sharding">Shuffle sharding</Term>: a flow that sends a lot (an{' '}
            <Term id="elephant">elephant</Term>) fills its whole <Term id="hand">hand</Term>; one that sends little (a
            mouse) waits behind elephants only when they hold every queue of its hand.
          </>
        }
      />
      <div className={styles['three']}>
        <ShapePane sharding={sharding} />
        {queuing === undefined ? (
          <div className={styles['refused']}>
            <Note kind="bad">
              {(!read.ok && read.problem) ?? 'Queues, hand size and queue length are whole numbers.'}
            </Note>
          </div>
        ) : (
          <>
            <OddsPane queuing={queuing} counts={counts} elephants={elephants} />
            <HandSizePane queuing={queuing} counts={counts} elephants={elephants} target={goal.goal?.target} />
          </>
        )}
      </div>
      <div className={styles['two']}>
        <RecommendPane
          queuing={queuing}
          nominal={nominal}
          form={goalForm}
          read={goal}
          set={(field, text) => setGoalForm({ ...goalForm, [field]: text })}
          onTry={attempt}
        />
        <DocumentedPane queuing={queuing} onTry={attempt} />
      </div>
      {queuing !== undefined && <Hands sharding={sharding} queuing={queuing} />}
    </div>
  )
}

/** Which flows are dealt which queues. */
function Hands({ sharding, queuing }: { readonly sharding: Sharding; readonly queuing: Queuing }) {
  const name = sharding.level?.name
  const schemas = useMemo(() => schemasOf(sharding.schemas, name), [sharding.schemas, name])
  const flows = useFlows(name)
  const overlap = useMemo(() => overlapOf(flows.flows, queuing), [flows.flows, queuing])
  const [chosenKey, onChoose] = useState<string>()
  const chosen = flows.flows.some((flow) => keyOf(flow) === chosenKey)
    ? chosenKey
    : flows.flows[0] && keyOf(flows.flows[0])
  return (
    <>
      <div className={styles['one']}>
        <HandsPane
          level={name}
          queues={queuing.queues}
          flows={flows}
          overlap={overlap}
          chosen={chosen}
          onChoose={onChoose}
        />
      </div>
      <div className={classes(styles['two'], styles['lists'])}>
        <FlowsPane
          overlap={overlap}
          chosen={chosen}
          onChoose={onChoose}
          onRemove={flows.remove}
          schemas={schemas}
          onAdd={flows.add}
        />
        <PairsPane overlap={overlap} />
      </div>
    </>
  )
}
