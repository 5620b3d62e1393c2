import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState, type RefObject } from 'react'
import type { ObjectRef } from '../../../../core/guard/finding.ts'
import type { ObjectsState } from '../../../../core/contract/objects.ts'
import { classes } from '../../../components/classes.ts'
import type { UnderstoodDraft } from '../../../state/draft.logic.ts'
import { askingStore, setAsking } from '../../../state/asking.ts'
import { rememberLevels, useSettings } from '../../../state/settings.ts'
import { levelOrder } from '../../../../core/text/levelSlots.ts'
import { Details, ProblemNote, EmptyState, ErrorState, ForbiddenState, Loading } from '../../../components/States.tsx'
import { Button } from '../../../components/Button.tsx'
import { insistOnBuiltIn } from '../../../state/draftBase.ts'
import { draftStore, useDraft, useDraftReady, redoDraft, undoDraft } from '../../../state/draft.ts'
import { useObjects } from '../../../state/objects.ts'
import { openScreen } from '../../../state/route.ts'
import { isTyping } from '../../../components/keys.ts'
import { runDry } from '../../../state/draftApply.ts'
import { ApplyBar } from './ApplyBar.tsx'
import { Around } from './Around.tsx'
import { Aside } from './Aside.tsx'
import { ListColumn } from './ListColumn.tsx'
import { objectRows } from './ObjectList.tsx'
import { ObjectPane, type ObjectView } from './ObjectPane.tsx'
import { problemsOf } from './apply.logic.ts'
import { useGuard, type Impact, useMoves, useImpact } from './forecast.ts'
import { select, useSelected } from './draftObject.ts'
import styles from './page.module.css'

const forceApply = (): void => setAsking('force')

/**
 * The list of objects, the open object, and the effects of the draft next to it. The open object follows every
 * keystroke at once; the rest follows as soon as there is time.
 */
export function DraftEditor({ draft, impact }: { readonly draft: UnderstoodDraft; readonly impact: Impact }) {
  const page = useRef<HTMLDivElement>(null)
  const [view, setView] = useState<ObjectView>('form')
  const [goTo, setGoTo] = useState<{ readonly field: string }>()
  const [making, setMaking] = useState(false)
  const asking = askingStore((store) => store.asking)
  const [{ levelSlots }] = useSettings()
  const state = useObjects()
  const later = useDeferredValue(draft)
  const laterImpact = useDeferredValue(impact)
  const rows = useMemo(() => objectRows(later, levelOrder(levelSlots)), [later, levelSlots])
  const selected = useSelected(draft, rows.levels[0])
  const guard = useGuard(laterImpact.limit.seats)
  const moves = useMoves()
  const problems = problemsOf(draft, selected)
  const mayEdit = state?.editing.state !== 'off' || draft.base?.origin === 'built-in'

  const open = useCallback((problem: ObjectRef & { readonly field: string }): void => {
    select(problem)
    // A new value each time, so that the same field can be focused again.
    setGoTo({ field: problem.field })
  }, [])
  // An unanswered question closes with the page.
  useEffect(() => () => setAsking('no'), [])
  useFocusOnField(page, goTo, view)
  // Levels of the draft get their own colours before the server has them.
  useEffect(() => {
    const made = draft.entries.filter(({ kind }) => kind === 'PriorityLevelConfiguration').map(({ name }) => name)
    rememberLevels([...(draft.base?.objects.levels.map(({ metadata }) => metadata.name) ?? []), ...made])
  }, [draft.entries, draft.base])
  useDraftKeys(page, { mayEdit, onNew: setMaking, onAsk: setAsking })

  return (
    <div ref={page} className={classes(styles['page'], view === 'yaml' && styles['yaml'])}>
      <ListColumn draft={later} checks={guard?.checks} onMaking={setMaking} {...{ rows, selected, mayEdit, making }} />
      <div className={styles['object']}>
        {selected !== undefined && (
          <ObjectPane
            {...{ draft, impact, mayEdit, view, problems, goTo }}
            of={selected}
            onView={setView}
            onOpen={open}
          >
            <Around of={selected} draft={later} impact={laterImpact} moves={moves} />
          </ObjectPane>
        )}
      </div>
      <Aside
        draft={later}
        impact={laterImpact}
        {...{ guard, moves, selected, mayEdit }}
        onOpen={open}
        onForce={forceApply}
      />
      <ApplyBar {...{ draft, impact, guard, state, asking }} onAsking={setAsking} />
    </div>
  )
}

/** Moves the focus to the control of a field in the form; the YAML editor does this itself. */
function useFocusOnField(
  page: RefObject<HTMLElement | null>,
  goTo: { readonly field: string } | undefined,
  view: 'form' | 'yaml',
): void {
  useEffect(() => {
    if (goTo === undefined || view === 'yaml') return
    const marked = Array.from(page.current?.querySelectorAll<HTMLElement>('[data-fields]') ?? [])
    const found = marked.find(({ dataset }) => dataset['fields']?.split(' ').includes(goTo.field))
    // A message below several controls is about one of them; the first is close enough.
    const isControl = found?.matches('input, select') === true
    const control = isControl ? found : found?.parentElement?.querySelector<HTMLElement>('input, select, button')
    found?.scrollIntoView({ block: 'center' })
    control?.focus()
  }, [page, goTo, view])
}

export function DraftPage() {
  const state = useObjects()
  const draft = useDraft()
  const ready = useDraftReady()
  const impact = useImpact()
  const notKept = draftStore((store) => store.notKept)
  if (draft.base !== undefined && draft.proposal !== undefined && impact !== undefined && ready) {
    return (
      <>
        {notKept !== undefined && <ProblemNote problem={notKept} />}
        <DraftEditor draft={draft} impact={impact} />
      </>
    )
  }
  return (
    <>
      <h1 className="sr-only">Draft</h1>
      <NoDraft state={draft.base === undefined ? state : undefined} />
    </>
  )
}

function NoDraft({ state }: { readonly state: ObjectsState | undefined }) {
  if (state?.state === 'unavailable') {
    const { problem, target } = state
    const upon = <Button onClick={insistOnBuiltIn}>Draft on the built-in objects</Button>
    if (problem?.code === 'forbidden') {
      return (
        <ForbiddenState
          title={`You may not read the flow-control objects of ${target}.`}
          role={state.editing.state === 'impossible' ? state.editing.role : undefined}
          actions={upon}
        >
          <p>{problem.message}</p>
          {state.editing.state !== 'impossible' && problem.details !== undefined && <Details text={problem.details} />}
          <p>A draft on the built-in objects can be saved as YAML.</p>
        </ForbiddenState>
      )
    }
    if (problem === undefined) {
      return (
        <EmptyState
          title={`${target} has no flow-control objects that could be edited.`}
          actions={
            <>
              {upon}
              <Button onClick={() => openScreen('connection')}>Connect another source</Button>
            </>
          }
        />
      )
    }
    return <ErrorState title={`The objects of ${target} cannot be read.`} problem={problem} actions={upon} />
  }
  return <Loading waitingFor="the flow-control objects" />
}

const SEARCH = 'input[type="search"]'

/** The keyboard shortcuts of the page. Letters also work in the list of objects, which has no text input. */
function useDraftKeys(
  page: RefObject<HTMLElement | null>,
  on: {
    readonly mayEdit: boolean
    readonly onNew: (open: boolean) => void
    readonly onAsk: (asking: 'apply') => void
  },
): void {
  const [{ singleKeys }] = useSettings()
  const { mayEdit, onNew, onAsk } = on
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { target } = event
      const within = (place: string): boolean => target instanceof Element && target.closest(place) !== null
      if (event.defaultPrevented || document.querySelector('[role="dialog"]') !== null || within(SEARCH)) return
      const typing = isTyping(target) && !within('[role="listbox"]')
      const command = applyKey(event, typing || !singleKeys)
      if (command === undefined || (!mayEdit && command !== 'filter' && command !== 'check')) return
      event.preventDefault()
      event.stopPropagation()
      if (command === 'undo') undoDraft()
      else if (command === 'redo') redoDraft()
      else if (command === 'check') void runDry()
      else if (command === 'apply') onAsk('apply')
      else if (command === 'new') onNew(true)
      else page.current?.querySelector<HTMLElement>(SEARCH)?.focus()
    }
    // Runs before the shortcuts of the whole console.
    document.addEventListener('keydown', onKeyDown, true)
    return () => document.removeEventListener('keydown', onKeyDown, true)
  }, [page, mayEdit, singleKeys, onNew, onAsk])
}

type DraftKey = 'undo' | 'redo' | 'check' | 'apply' | 'new' | 'filter'

type Stroke = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>

/** The command of a key on the draft page. Undo also belongs to the draft while a field has the focus. */
export function applyKey(
  { key, ctrlKey, metaKey, shiftKey, altKey }: Stroke,
  noLetters: boolean,
): DraftKey | undefined {
  if (altKey) return undefined
  const lower = key.toLowerCase()
  if (ctrlKey || metaKey) {
    if (lower === 'z') return shiftKey ? 'redo' : 'undo'
    if (lower === 'y' && !shiftKey) return 'redo'
    if (key === 'Enter') return shiftKey ? 'apply' : 'check'
    return undefined
  }
  if (noLetters || shiftKey) return undefined
  return lower === 'n' ? 'new' : lower === 'f' ? 'filter' : undefined
}
