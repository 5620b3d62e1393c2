import { DEFAULT_QUEUING } from '../../../../core/config/objects.ts'
import { useMemo, useState, useCallback } from 'react'
import { sentenceText } from '../../../../core/answer/answer.ts'
import { oddsSentence } from '../../../../core/sharding/present.ts'
import { format } from '../../../theme/format.ts'
import type { Queuing } from '../../../../core/config/objects.ts'
import { coveredOdds, USUAL_ELEPHANTS } from '../../../../core/sharding/collision.ts'
import { overlapOf } from '../../../../core/sharding/overlap.ts'
import { builtInObjects } from '../../../../core/config/builtIn.ts'
import { NEWEST_VERSION } from '../../../../core/engine/profiles.ts'
import { Note } from '../../../components/States.tsx'
import { NowLine } from '../../../components/NowLine.tsx'
import { Term } from '../../../components/Term.tsx'
import { useDraftObjects } from '../../../state/draft.ts'
import { useObjects } from '../../../state/objects.ts'
import { openPage, useRoute } from '../../../state/route.ts'
import { useSelection } from '../../../state/selection.ts'
import { useViewPart } from '../../../state/view.ts'
import styles from '../shared/classify.module.css'
import { DocumentedPane, RecommendPane } from './RecommendPane.tsx'
import {
  keyOf,
  schemasOf,
  readGoal,
  USUAL_GOAL,
  formOf,
  levelChoices,
  readShape,
  type QueueingLevel,
  type ShapeForm,
} from './shape.data.ts'
import { FlowsPane, PairsPane, HandsPane, useFlows } from './FlowPanes.tsx'
import { HandSizePane, OddsPane, ShapePane, type Sharding } from './ShapePanes.tsx'

/** How well queues isolate flows: hands, chances, and better shapes. */
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
            : sentenceText(oddsSentence(queuing, elephants, coveredOdds(queuing, elephants)), format)
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
      <div className="line-below">
        <HandsPane
          level={name}
          queues={queuing.queues}
          flows={flows}
          overlap={overlap}
          chosen={chosen}
          onChoose={onChoose}
        />
      </div>
      <div className={styles['lists']}>
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

/** The shape shown on the page: that of a level until the reader tries another. */
function useSharding(): Sharding {
  const { levels, schemas, known } = useLevels()
  const { object } = useRoute()
  const { level: selected } = useSelection()
  const keyed = (key: string | undefined): QueueingLevel | undefined => levels.find((one) => one.key === key)
  const level = keyed(object) ?? keyed(selected) ?? widest(levels)
  const own = useMemo(() => formOf(level?.queuing ?? DEFAULT_QUEUING), [level?.queuing])

  const [tried, setTried] = useState<{ readonly of: string | undefined; readonly form: ShapeForm }>()
  const form = tried !== undefined && tried.of === level?.key ? tried.form : own
  const attempt = useCallback(
    (shape: Partial<Queuing> | undefined): void =>
      setTried(shape === undefined ? undefined : { of: level?.key, form: { ...form, ...texts(shape) } }),
    [level?.key, form],
  )
  return {
    levels,
    known,
    level,
    schemas,
    chooseLevel: (key) => openPage('classify', 'sharding', key),
    form,
    changed: JSON.stringify(form) !== JSON.stringify(own),
    set: (field, text) => setTried({ of: level?.key, form: { ...form, [field]: text } }),
    attempt,
    read: useMemo(() => readShape(form), [form]),
  }
}

/** Levels and schemas of the connected source and of the draft; without objects, the built-in ones of the version. */
function useLevels(): Pick<Sharding, 'levels' | 'schemas' | 'known'> {
  const state = useObjects()
  const draft = useDraftObjects()
  const version = useViewPart(({ server }) => server?.version)
  return useMemo(() => {
    const given = state !== undefined && state.origin !== 'none' && state.objects.levels.length > 0
    const objects = given ? state.objects : builtInObjects(state?.version ?? version ?? NEWEST_VERSION)
    return {
      levels: levelChoices(objects.levels, draft?.levels ?? []),
      schemas: (draft ?? objects).schemas,
      known: given,
    }
  }, [state, draft, version])
}

/** The level with the most queues: usually one that many flows share. */
const widest = (levels: readonly QueueingLevel[]): QueueingLevel | undefined =>
  levels.toSorted((a, b) => b.queuing.queues - a.queuing.queues)[0]

const texts = (shape: Partial<Queuing>): Partial<ShapeForm> =>
  Object.fromEntries(Object.entries(shape).map(([field, value]) => [field, String(value)]))
