import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState, type RefObject } from 'react'
import type { ObjectRef } from '../../../../core/guard/finding.ts'
import { classes } from '../../../components/classes.ts'
import type { UnderstoodDraft } from '../../../state/draft.logic.ts'
import { useObjects } from '../../../state/objects.ts'
import { askingStore, setAsking } from '../../../state/asking.ts'
import { rememberLevels, useSettings } from '../../../state/settings.ts'
import { levelOrder } from '../../../theme/levelSlots.ts'
import { ApplyBar } from './ApplyBar.tsx'
import { Around } from './Around.tsx'
import { Aside } from './Aside.tsx'
import { ListColumn } from './ListColumn.tsx'
import { objectRows } from './objectList.data.ts'
import { ObjectPane, type ObjectView } from './ObjectPane.tsx'
import { problemsOf } from './problems.data.ts'
import { useDraftKeys } from './useDraftKeys.ts'
import { useGuard } from './useGuard.ts'
import type { Impact } from './useImpact.ts'
import { useMoves } from './useMoves.ts'
import { select, useSelected } from './useSelected.ts'
import styles from './page.module.css'

const forceApply = (): void => setAsking('force')

/**
 * Objects, one of them open, and beside it what the draft does. The open object follows every keystroke at once; what is
 * around it follows as soon as there is time.
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
    // A new value each time, so that the same field can be gone to again.
    setGoTo({ field: problem.field })
  }, [])
  // A question that nobody answered ends with the page.
  useEffect(() => () => setAsking('no'), [])
  useFocusOnField(page, goTo, view)
  // Levels of the draft have colours of their own before the server has them.
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

/** Moves the focus to the control of a field, in the form; the YAML does it by itself. */
function useFocusOnField(
  page: RefObject<HTMLElement | null>,
  goTo: { readonly field: string } | undefined,
  view: 'form' | 'yaml',
): void {
  useEffect(() => {
    if (goTo === undefined || view === 'yaml') return
    const marked = Array.from(page.current?.querySelectorAll<HTMLElement>('[data-fields]') ?? [])
    const found = marked.find(({ dataset }) => dataset['fields']?.split(' ').includes(goTo.field))
    // A message below several controls is about one of them; the first is near enough.
    const isControl = found?.matches('input, select') === true
    const control = isControl ? found : found?.parentElement?.querySelector<HTMLElement>('input, select, button')
    found?.scrollIntoView({ block: 'center' })
    control?.focus()
  }, [page, goTo, view])
}
