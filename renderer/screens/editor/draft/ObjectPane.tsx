import { type ReactNode, lazy, Suspense } from 'react'
import { withCopy, withoutEffect } from '../../../../core/draft/presets.ts'
import { refKey, reverted, textOf, withDeletion, withText } from '../../../../core/draft/draft.ts'
import { writeManifest } from '../../../../core/manifest/write.ts'
import type { ObjectRef } from '../../../../core/guard/finding.ts'
import { Button, Segment } from '../../../components/Button.tsx'
import { LevelChip, MiddleCut } from '../../../components/LevelChip.tsx'
import { Menu } from '../../../components/Menu.tsx'
import type { MenuEntry } from '../../../components/floating.tsx'
import { Note, Loading } from '../../../components/States.tsx'
import { changeDraft, draftNow, redoDraft, undoDraft } from '../../../state/draft.ts'
import { readOf, type UnderstoodDraft, type UnderstoodEntry } from '../../../state/draft.logic.ts'
import { classes } from '../../../components/classes.ts'
import { Icon } from '../../../components/Icon.tsx'
import { ConflictPane } from './ConflictPane.tsx'
import { LevelForm } from './LevelForm.tsx'
import { type DraftProblem, countText } from './apply.logic.ts'
import { SchemaForm } from './SchemaForm.tsx'
import type { Impact } from './forecast.ts'
import { objectForm, select } from './draftObject.ts'
import styles from './object.module.css'

export type ObjectView = 'form' | 'yaml'

export interface ObjectPaneProps {
  readonly draft: UnderstoodDraft
  readonly of: ObjectRef
  readonly impact: Impact
  readonly mayEdit: boolean
  readonly view: ObjectView
  readonly onView: (view: ObjectView) => void
  readonly problems: readonly DraftProblem[]
  readonly goTo: { readonly field: string } | undefined
  readonly onOpen: (problem: DraftProblem) => void
  /** Below the form: the context of the object. */
  readonly children: ReactNode
}

/** One object as a form or as YAML: two views of the same text. */
export function ObjectPane(props: ObjectPaneProps) {
  const { draft, of, impact, mayEdit, view, onView, problems, goTo, onOpen, children } = props
  const read = readOf(draft, of)
  const name = read?.name ?? of.name
  const state =
    read === undefined ? undefined : read.deleted ? 'deleted' : read.entry.base === undefined ? 'new' : 'edited'
  const text = draft.base === undefined ? undefined : textOf(draft.entries, draft.base.objects, of)
  return (
    <section
      className="column shrink-x shrink-y tall focus-inside"
      aria-label={`${of.kind} ${name}`}
      data-pane=""
      tabIndex={-1}
    >
      <header className={styles['head']}>
        {of.kind === 'PriorityLevelConfiguration' && <LevelChip name={name} decorative />}
        <h2 className="shrink-x cut large">
          <MiddleCut text={name} />
        </h2>
        {state !== undefined && (
          <span className={classes(`${styles['mark']} nowrap small strong`, styles[state])}>{state}</span>
        )}
        <div className="row gap-4 rigid push">
          {mayEdit && <Tools of={of} changed={state !== undefined} deleted={state === 'deleted'} />}
          <Segment label="Show as" value={view} options={{ form: 'Form', yaml: 'YAML' }} onChange={onView} />
        </div>
      </header>
      <div className="column grow shrink-y scroll-y">
        {read !== undefined && <ConflictPane read={read} />}
        {state === 'deleted' || text === undefined ? (
          <Deleted of={of} mayEdit={mayEdit} />
        ) : view === 'yaml' ? (
          <YamlPane
            of={of}
            text={text}
            read={read}
            levels={impact.after.levels.map(({ metadata }) => metadata.name)}
            readOnly={!mayEdit}
            goTo={goTo}
          />
        ) : (
          <>
            <Form {...props} name={name} />
            {children}
          </>
        )}
      </div>
      <ProblemList problems={problems} onOpen={onOpen} />
    </section>
  )
}

function Form(props: ObjectPaneProps & { readonly name: string }) {
  const { draft, of, impact, mayEdit, onView, name } = props
  const read = readOf(draft, of)
  const form = objectForm(draft, of, mayEdit)
  if (form === undefined) {
    return (
      <div className={styles['gone']}>
        <p>The text is not a valid object, so the form is unavailable.</p>
        <Button small onClick={() => onView('yaml')}>
          Fix the YAML
        </Button>
      </div>
    )
  }
  const seats = impact.impact.rows.find((row) => row.name === name)?.after ?? undefined
  return (
    <>
      {read !== undefined && !read.deleted && <TextNotes {...{ of, read, onView, mayEdit }} />}
      {of.kind === 'FlowSchema' ? (
        <SchemaForm form={form} objects={impact.after} version={impact.version} />
      ) : (
        <LevelForm form={form} seats={seats} serverLimit={impact.limit.seats} version={impact.version} />
      )}
    </>
  )
}

/** Shown where the text contains something that the form cannot show. */
function TextNotes(
  props: Pick<ObjectPaneProps, 'of' | 'onView' | 'mayEdit'> & { readonly read: NonNullable<ReturnType<typeof readOf>> },
) {
  const { of, read, onView, mayEdit } = props
  const { document, notes, entry } = read
  const converted = notes.find(({ about }) => about === 'object')
  const { checked } = document ?? {}
  if (document === undefined) {
    return (
      <div className={`${styles['notes']} stack gap-6 pad-x pad-y-6`}>
        <Note kind="bad">
          <p>The YAML is invalid. The form shows its last valid values.</p>
          <Button small onClick={() => onView('yaml')}>
            Fix the YAML
          </Button>
        </Note>
      </div>
    )
  }
  if (converted === undefined || checked?.object === undefined) return null
  return (
    <div className={`${styles['notes']} stack gap-6 pad-x pad-y-6`}>
      <Note kind="info">
        <p>{converted.message}</p>
        {mayEdit && (
          <Button
            small
            onClick={() =>
              changeDraft((entries, objects) =>
                withText(entries, objects, entry, writeManifest(of.kind, checked.object)),
              )
            }
          >
            Write it as v1
          </Button>
        )}
      </Note>
    </div>
  )
}

function Deleted({ of, mayEdit }: { readonly of: ObjectRef; readonly mayEdit: boolean }) {
  return (
    <div className={styles['gone']}>
      <p>The draft deletes this object.</p>
      {mayEdit && (
        <Button small onClick={() => changeDraft((entries) => reverted(entries, of))}>
          Keep it
        </Button>
      )}
    </div>
  )
}

function Tools({
  of,
  changed,
  deleted,
}: {
  readonly of: ObjectRef
  readonly changed: boolean
  readonly deleted: boolean
}) {
  const { entries: drafted, base } = draftNow()
  const idle = base && withoutEffect(drafted, base, of)
  const entries: readonly MenuEntry[] = [
    ...(changed ? [{ label: 'Revert this object', onSelect: () => revert(of) }] : []),
    ...(deleted
      ? []
      : [
          { label: 'Duplicate', onSelect: () => duplicate(of) },
          ...(idle === undefined ? [] : [{ label: 'Leave without effect', onSelect: () => changeDraft(() => idle) }]),
          { label: 'Delete', onSelect: () => changeDraft((all, objects) => withDeletion(all, objects, of)) },
        ]),
  ]
  return (
    <Menu entries={entries}>
      <Button small aria-label={`More for ${of.name}`}>
        <Icon name="more" size={13} />
      </Button>
    </Menu>
  )
}

const revert = (of: ObjectRef): void => changeDraft((entries) => reverted(entries, of), `revert ${refKey(of)}`)

function duplicate(of: ObjectRef): void {
  const { entries, base } = draftNow()
  const begun = base === undefined ? undefined : withCopy(entries, base.objects, of)
  if (begun === undefined) return
  changeDraft(() => begun.entries)
  select(begun.opened)
}

/** Every problem of the draft; each links to its field. */
function ProblemList(props: {
  readonly problems: readonly DraftProblem[]
  readonly onOpen: (problem: DraftProblem) => void
}) {
  const { problems, onOpen } = props
  if (problems.length === 0) return null
  return (
    <section
      className={`${styles['problems']} rigid pad-x pad-t-8 pad-b-10 line-above`}
      aria-label="Problems of the draft"
    >
      <h3>{countText(problems)}</h3>
      <ul className="stack gap-3">
        {problems.map((problem) => {
          const { kind, name, shown, field, severity, message } = problem
          return (
            <li key={`${kind}/${name} ${field} ${message}`} className={classes(styles[severity])}>
              <Icon name={severity === 'error' ? 'cross' : 'warn'} size={12} />
              <span>
                <button type="button" onClick={() => onOpen(problem)}>
                  <span className="sr-only">{severity}: </span>
                  {shown} {field}
                </button>{' '}
                {message}
              </span>
            </li>
          )
        })}
      </ul>
      {problems.every(({ severity }) => severity === 'warning') && (
        <p className="pad-t-4 small faint">Warnings do not prevent applying.</p>
      )}
    </section>
  )
}

const ManifestEditor = lazy(() => import('./ManifestEditor.tsx'))

function YamlPane(props: {
  readonly of: ObjectRef
  readonly text: string
  readonly read: UnderstoodEntry | undefined
  readonly levels: readonly string[]
  readonly readOnly: boolean
  readonly goTo: { readonly field: string } | undefined
}) {
  const { of, text, read, levels, readOnly, goTo } = props
  return (
    <div className={styles['text']}>
      <Suspense fallback={<Loading waitingFor="the editor" />}>
        <ManifestEditor
          key={refKey(of)}
          label={`YAML of ${of.name}`}
          kind={of.kind}
          text={text}
          findings={read?.findings ?? NONE}
          document={read?.document}
          levels={levels}
          readOnly={readOnly}
          goTo={goTo}
          onChange={(next) =>
            changeDraft((entries, objects) => withText(entries, objects, of, next), `${refKey(of)} text`)
          }
          onUndo={undoDraft}
          onRedo={redoDraft}
        />
      </Suspense>
    </div>
  )
}

const NONE: UnderstoodEntry['findings'] = []
