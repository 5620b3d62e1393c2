import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { FlowSchema, PriorityLevelConfiguration } from '../../../../core/config/objects.ts'
import { ProblemError } from '../../../../core/errors.ts'
import { openStory, type Story, type StoryOptions } from '../../../../test/harness/story.ts'
import { RevertNotes } from '../../../components/RevertNotes.tsx'
import { connectSource, showConnection } from '../../../state/connection.ts'
import { baseChoiceStore } from '../../../state/draftBase.ts'
import { draftApplyStore } from '../../../state/draftApply.ts'
import { setClient } from '../../../state/client.ts'
import { openPage, startRoutes } from '../../../state/route.ts'
import { ownLimitStore } from '../../../state/serverLimit.ts'
import { startState } from '../../../state/start.ts'
import { EditorScreen } from '../index.tsx'

/** Reports every observed element as visible. */
class Everything {
  readonly #tell: (entries: readonly { readonly isIntersecting: boolean }[]) => void
  constructor(tell: (entries: readonly { readonly isIntersecting: boolean }[]) => void) {
    this.#tell = tell
  }
  observe(): void {
    this.#tell([{ isIntersecting: true }])
  }
  disconnect(): void {
    // There is nothing to release.
  }
}

const probes: FlowSchema = {
  metadata: { name: 'probes' },
  spec: { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 4, rules: [] },
}
const without = <O extends FlowSchema | PriorityLevelConfiguration>(all: readonly O[], gone: string): O[] =>
  all.filter(({ metadata: { name } }) => name !== gone)

/** The editor on an in-memory server: what it shows, sends and stores. */
describe('the editor', () => {
  let story: Story
  let stops: (() => void)[]
  const user = userEvent.setup()
  const begin = async (options: StoryOptions = {}): Promise<void> => {
    story = await openStory({ history: 30, servers: 1, ...options })
    setClient(story.client)
    stops = [startRoutes(), startState(story.client)]
  }
  const end = (): void => {
    cleanup()
    for (const stop of stops) stop()
    story.stop()
    setClient(undefined)
  }
  const reopen = (options: StoryOptions): Promise<void> => {
    end()
    return begin(options)
  }

  beforeEach(async () => {
    vi.stubGlobal('IntersectionObserver', Everything)
    location.hash = ''
    await begin()
  })
  afterEach(() => {
    end()
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
    draftApplyStore.setState({ applying: false }, true)
    ownLimitStore.setState({}, true)
    baseChoiceStore.setState({ insist: false }, true)
  })

  const open = async (object = 'PriorityLevelConfiguration/workload-low', editing = true): Promise<void> => {
    if (editing) await story.client.call('editing.switch', { connection: 1, on: true })
    openPage('editor', 'draft', object)
    render(<EditorScreen />)
    await screen.findByRole('heading', { level: 2, name: object.slice(object.indexOf('/') + 1) })
  }
  const field = (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name })
  const fill = async (name: string, value: string): Promise<void> => {
    await user.clear(field(name))
    await user.type(field(name), value)
  }
  const impactOf = (level: string) =>
    within(screen.getByRole('table', { name: /^Seats of each level/ })).getByRole('row', {
      name: new RegExp(`^${level}`),
    }).textContent
  const list = () => within(screen.getByRole('listbox', { name: 'Objects' }))
  const option = (name: string) => list().getByRole('option', { name: new RegExp(`^${name} ?,`) })
  const region = (name: string) => screen.getByRole('region', { name })
  /** Changes objects on the server as another client would; without a spec, deletes the level. */
  const writeLevel = (name: string, spec?: PriorityLevelConfiguration['spec']): void =>
    story.objects.write(({ levels, schemas }) => ({
      levels: [...without(levels, name), ...(spec === undefined ? [] : [{ metadata: { name }, spec }])],
      schemas,
    }))
  const writeProbes = (exist: boolean): void =>
    story.objects.write(({ levels, schemas }) => ({
      levels,
      schemas: [...without(schemas, 'probes'), ...(exist ? [probes] : [])],
    }))
  const settle = () => act(async () => new Promise((resolve) => void setTimeout(resolve, 20)))

  it('shows a form without inputs until editing is switched on, and says for what', async () => {
    await open('PriorityLevelConfiguration/workload-low', false)
    expect(screen.queryByRole('textbox', { name: 'Shares' })).toBeNull()
    expect(screen.getByRole('status', { name: 'Shares' }).textContent).toBe('100')
    await user.click(screen.getByRole('button', { name: 'Switch editing on for prod-eu-1' }))
    expect((await screen.findByRole<HTMLInputElement>('textbox', { name: 'Shares' })).value).toBe('100')
  })

  it('lists levels with shares and schemas in matching order, with what is mandatory', async () => {
    await open()
    const names = list()
      .getAllByRole('option')
      .map(({ textContent }) => textContent)
    expect(names.slice(0, 3).join(' ')).toMatch(/exempt.*node-high.*system/)
    expect(option('probes').compareDocumentPosition(option('service-accounts'))).toBe(4)
    expect(list().getAllByRole('option', { name: /mandatory/ })).toHaveLength(4)
    await user.type(screen.getByRole('searchbox'), 'workload')
    expect(list().getAllByRole('option')).toHaveLength(2)
    // A list box must not be without an option.
    await user.type(screen.getByRole('searchbox'), 'zzz')
    expect(screen.getByText('No object has “workloadzzz” in its name.')).toBeTruthy()
    expect(screen.queryByRole('listbox', { name: 'Objects' })).toBeNull()
  })

  it('says in seats what a number means, at once', async () => {
    await open()
    await fill('Shares', '30')
    expect(impactOf('workload-low')).toMatch(/245.*103/)
    expect(option('workload-low').textContent).toContain('edited')
    expect(region('Diff of the draft').textContent).toContain('nominalConcurrencyShares: 30')
  })

  it('changes a number by the arrow keys, and takes whole series back with Ctrl Z', async () => {
    await open()
    // Keys within a second are one step, however busy the machine is.
    vi.spyOn(Date, 'now').mockReturnValue(Date.now())
    fireEvent.keyDown(field('Shares'), { key: 'ArrowUp', shiftKey: true })
    fireEvent.keyDown(field('Shares'), { key: 'ArrowDown' })
    expect(field('Shares').value).toBe('109')
    fireEvent.keyDown(field('Shares'), { key: 'z', ctrlKey: true })
    expect(field('Shares').value).toBe('100')
    fireEvent.keyDown(field('Shares'), { key: 'z', ctrlKey: true, shiftKey: true })
    expect(field('Shares').value).toBe('109')
  })

  it('takes an empty borrowing limit for none, and words for what they are', async () => {
    await open()
    await fill('Borrowing limit', '20')
    expect(screen.getByText(/^up to \d+ seats$/)).toBeTruthy()
    await user.clear(field('Borrowing limit'))
    expect(screen.getByText('no limit')).toBeTruthy()
    await fill('Shares', 'many')
    expect(field('Shares').value).toBe('many')
    expect(field('Shares').getAttribute('aria-invalid')).toBe('true')
    expect(screen.getByRole('button', { name: /^Apply/ })).toHaveProperty('disabled', true)
  })

  it('keeps the queues that a level had while it only rejects', async () => {
    await open()
    await user.selectOptions(screen.getByRole('combobox', { name: 'When full' }), 'Reject')
    expect(screen.queryByRole('textbox', { name: 'Queues' })).toBeNull()
    await user.selectOptions(screen.getByRole('combobox', { name: 'When full' }), 'Queue')
    expect(field('Queues').value).toBe('128')
    expect(screen.queryByText('edited')).toBeNull()
  })

  it('edits the rules of a schema, and says in a sentence what they match', async () => {
    await open('FlowSchema/service-accounts')
    expect(screen.getByText(/^Requests of group system:serviceaccounts that do anything/)).toBeTruthy()
    const verbs = screen.getAllByRole('textbox', { name: 'Verbs' })[0]
    if (verbs === undefined) throw new Error('the rule has verbs')
    await user.clear(verbs)
    await user.type(verbs, 'get, list')
    expect(screen.getByText(/that get or list any resource/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Subject' }))
    await user.selectOptions(screen.getByRole('combobox', { name: 'Subject 2: kind' }), 'ServiceAccount')
    await user.type(field('Subject 2: namespace'), 'batch')
    await user.type(field('Subject 2: name'), 'runner')
    expect(screen.getByText(/service account batch:runner/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Remove URLs 1' }))
    expect(screen.queryByRole('textbox', { name: 'Paths' })).toBeNull()
  })

  it('makes objects from a preset under names that are free, and deletes and reverts them', async () => {
    await open()
    for (let times = 0; times < 2; times += 1) {
      await user.click(screen.getByRole('button', { name: 'New' }))
      await user.click(screen.getByRole('button', { name: /^A level for one tenant/ }))
    }
    expect(list().getAllByRole('option', { name: /^tenant.*new/ })).toHaveLength(4)
    expect(field('Name').value).toBe('tenant-2')
    // Nothing reports their future demand, so their predicted limits are marked ≈.
    expect(impactOf('tenant-2')).toContain('≈ ')
    expect(impactOf('system')).not.toContain('≈ ')
    expect(screen.getByText(/^≈ The demand of .*tenant-2.* is unknown and counts as 0\./)).toBeDefined()
    const made = list().getAllByRole('option', { name: /^tenant-2/ })
    fireEvent.keyDown(made[1] ?? option('tenant'), { key: 'Delete' })
    expect(list().getAllByRole('option', { name: /^tenant/ })).toHaveLength(3)
    await user.click(option('probes'))
    fireEvent.keyDown(option('probes'), { key: 'Delete' })
    expect(option('probes').textContent).toContain('deleted')
    await user.click(screen.getByRole('button', { name: 'Keep it' }))
    expect(option('probes').textContent).not.toContain('deleted')
  })

  it('takes several pasted manifests over, and says of a text without any what is wrong', async () => {
    await open()
    await user.click(screen.getByRole('button', { name: 'New' }))
    await user.click(screen.getByRole('button', { name: /^Paste manifests/ }))
    const text = screen.getByRole('textbox', { name: /^YAML or JSON/ })
    fireEvent.change(text, { target: { value: 'kind: Pod\napiVersion: v1\n' } })
    await user.click(screen.getByRole('button', { name: 'Add to the draft' }))
    expect((await screen.findByRole('alert')).textContent).toMatch(/no flow-control object/)
    const level = (name: string): string =>
      `apiVersion: flowcontrol.apiserver.k8s.io/v1beta3\nkind: PriorityLevelConfiguration\nmetadata: {name: ${name}}\nspec: {type: Limited, limited: {nominalConcurrencyShares: 7, limitResponse: {type: Reject}}}\n`
    fireEvent.change(text, { target: { value: `${level('one')}---\n${level('two')}` } })
    await user.click(screen.getByRole('button', { name: 'Add to the draft' }))
    await list().findByRole('option', { name: /^one ?,/ })
    expect(option('two')).toBeTruthy()
    expect(impactOf('two')).toContain('+')
  })

  it('asks the server, and shows its verdict of this very draft only', async () => {
    await open()
    await fill('Shares', '30')
    fireEvent.keyDown(document.body, { key: 'Enter', ctrlKey: true })
    await settle()
    expect(region('Dry run').textContent).toContain('workload-low would be accepted')
    await fill('Shares', '31')
    expect(screen.queryByRole('region', { name: 'Dry run' })).toBeNull()
    expect(region('From draft to server').textContent).toContain('of an earlier draft')
  })

  const applyAll = async (): Promise<void> => {
    await user.click(screen.getByRole('button', { name: /^Apply \d/ }))
    const dialog = await screen.findByRole('dialog')
    const typed = within(dialog).queryAllByRole('textbox', { name: /^Type the name/ })
    for (const input of typed) await user.type(input, /: (\S+)$/.exec(labelOf(input))?.[1] ?? '')
    await user.click(within(dialog).getByRole('button', { name: /^Apply/ }))
    await settle()
  }
  const levelNow = (name: string) => story.objects.now().levels.find(({ metadata }) => metadata.name === name)
  const labelOf = (input: HTMLElement): string => document.querySelector(`label[for="${input.id}"]`)?.textContent ?? ''

  it('applies after the names of built-in objects were typed; what is applied leaves the draft', async () => {
    await open()
    await fill('Shares', '30')
    await user.click(screen.getByRole('button', { name: /^Apply 1 object to prod-eu-1/ }))
    const dialog = await screen.findByRole('dialog')
    expect(dialog.textContent).toContain('245 → 103')
    expect(within(dialog).getByRole('button', { name: /^Apply/ })).toHaveProperty('disabled', true)
    await user.keyboard('{Escape}')
    await applyAll()
    expect(region('Applied').textContent).toContain('workload-low is applied')
    expect(screen.queryByText('edited')).toBeNull()
    expect(field('Shares').value).toBe('30')
  })

  it('keeps an edit of a built-in object by its annotation, unless the user says otherwise', async () => {
    await open()
    await fill('Shares', '30')
    await user.click(screen.getByRole('button', { name: /^Apply 1 object to prod-eu-1/ }))
    const dialog = await screen.findByRole('dialog')
    expect(within(dialog).getByRole('checkbox', { name: 'Keep it' })).toHaveProperty('checked', true)
    expect(dialog.textContent).toContain('autoupdate-spec of workload-low to "false"')
    expect(dialog.textContent).not.toContain('restores the built-in spec')
    await user.keyboard('{Escape}')
    await applyAll()
    expect(levelNow('workload-low')?.metadata.annotations).toMatchObject({
      'apf.kubernetes.io/autoupdate-spec': 'false',
    })
    await fill('Lendable', '80')
    await user.click(screen.getByRole('button', { name: /^Apply 1 object to prod-eu-1/ }))
    await screen.findByRole('dialog')
    // It is kept already.
    expect(screen.queryByRole('checkbox', { name: 'Keep it' })).toBeNull()
  })

  it('announces a revert at once, with author and field, and never leaves a green mark', async () => {
    const before = story.objects.now()
    render(<RevertNotes />)
    await open()
    await fill('Shares', '30')
    await user.click(screen.getByRole('button', { name: /^Apply 1 object to prod-eu-1/ }))
    await user.click(within(await screen.findByRole('dialog')).getByRole('checkbox', { name: 'Keep it' }))
    await user.keyboard('{Escape}')
    await applyAll()
    expect(region('Applied').textContent).toContain('workload-low is applied')
    act(() => story.objects.write(() => before))
    const notices = screen.getByRole('status', { name: 'Reverted edits' })
    const told = await within(notices).findByText(/workload-low/)
    expect(told.textContent).toBe(
      'Another client reverted workload-low: shares 30 → 100, autoupdate-spec false → true.',
    )
    expect(region('Reverted').textContent).toContain(told.textContent)
    expect(region('Reverted').textContent).not.toContain('is applied')
    await user.click(within(notices).getByRole('button', { name: 'Keep my edit' }))
    expect(field('Shares').value).toBe('30')
    await applyAll()
    expect(region('Applied').textContent).toContain('workload-low is applied')
    expect(notices.textContent).toBe('')
  })

  it('shows what was applied on the source that it was applied to, and on no other', async () => {
    await open()
    await fill('Shares', '30')
    await applyAll()
    expect(region('Applied')).toBeTruthy()
    await act(() => connectSource({ kind: 'demo' }, true))
    expect(screen.queryByRole('region', { name: 'Applied' })).toBeNull()
    act(() => showConnection(1))
    expect(await screen.findByRole('region', { name: 'Applied' })).toBeTruthy()
  })

  it('keeps the draft while server or console does not answer, and applies it when both do', async () => {
    await open()
    await fill('Shares', '30')
    story.objects.setBroken(true)
    await applyAll()
    expect(region('Not applied').textContent).toContain('prod-eu-1 does not answer.')
    expect(field('Shares').value).toBe('30')
    story.objects.setBroken(false)
    const lost = new ProblemError('unreachable', 'The console itself does not answer.')
    const call = vi.spyOn(story.client, 'call').mockRejectedValue(lost)
    await applyAll()
    expect(screen.getByRole('alert').textContent).toContain('does not answer')
    expect(field('Shares').value).toBe('30')
    call.mockRestore()
    await applyAll()
    expect(region('Applied').textContent).toContain('is applied')
  })

  it('shows three versions when somebody else changed the object, and merges them', async () => {
    await open()
    await fill('Shares', '30')
    act(() =>
      writeLevel('workload-low', {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: 60,
          lendablePercent: 10,
          limitResponse: { type: 'Queue', queuing: { queues: 128, handSize: 6, queueLengthLimit: 50 } },
        },
      }),
    )
    const conflict = await screen.findByRole('region', { name: 'Conflict' })
    expect(conflict.textContent).toContain('Both sides changed 1 field.')
    expect(screen.getByRole('button', { name: /^Apply/ })).toHaveProperty('disabled', true)
    await user.click(within(conflict).getByRole('radio', { name: 'Server' }))
    await user.click(within(conflict).getByRole('button', { name: 'Merge and check again' }))
    expect(screen.queryByRole('region', { name: 'Conflict' })).toBeNull()
    expect(field('Shares').value).toBe('60')
    expect(field('Lendable').value).toBe('10')
  })

  it('ends the question when something comes in between, and does not ask again by itself', async () => {
    await open()
    await fill('Shares', '30')
    await settle()
    await user.click(screen.getByRole('button', { name: /^Apply 1 object/ }))
    await screen.findByRole('dialog')
    act(() => writeLevel('workload-low'))
    await user.click(await screen.findByRole('button', { name: 'Create again' }))
    await settle()
    expect(screen.getByRole('button', { name: /^Apply 1 object/ })).toHaveProperty('disabled', false)
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('makes an object again that was deleted meanwhile, and gives way to one that was made', async () => {
    await open('FlowSchema/probes')
    await fill('Precedence', '3')
    act(() => writeProbes(false))
    await user.click(await screen.findByRole('button', { name: 'Create again' }))
    expect(option('probes').textContent).toContain('new')
    act(() => writeProbes(true))
    await user.click(await screen.findByRole('button', { name: 'Change the existing one' }))
    expect(option('probes').textContent).toContain('edited')
  })

  it('follows a guard rail’s remedy by a button', async () => {
    await open()
    await fill('Shares', '30')
    const rails = region('Guard rails')
    expect(rails.textContent).toMatch(/restores the built-in spec/)
    await user.click(within(rails).getByRole('button', { name: 'Add to the draft' }))
    expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Reconciled' }).value).toBe('false')
  })

  it('keeps the draft, and finds it again', async () => {
    await open()
    await fill('Shares', '30')
    window.dispatchEvent(new Event('pagehide'))
    await settle()
    const kept = await story.client.call('drafts.read', { connection: 1 })
    expect(kept.entries).toMatchObject([{ name: 'workload-low' }])
    for (const stop of stops) stop()
    cleanup()
    stops = [startRoutes(), startState(story.client)]
    render(<EditorScreen />)
    expect((await screen.findByRole<HTMLInputElement>('textbox', { name: 'Shares' })).value).toBe('30')
  })

  it('has no journal to read without a source, and says no more than that', async () => {
    await open(undefined, false)
    await story.client.call('sources.disconnect', { connection: 1 })
    act(() => openPage('editor', 'journal'))
    expect(await screen.findByText('No cluster is connected.')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
  })

  it('takes applied changes back in the journal, and applies them again', async () => {
    await open()
    await fill('Shares', '30')
    await applyAll()
    act(() => openPage('editor', 'journal'))
    await user.click(await screen.findByRole('button', { name: 'Undo 1 object' }))
    const dialog = await screen.findByRole('dialog', { name: /^Undo 1 object on / })
    expect(dialog.textContent).toContain('workload-low is restored')
    await user.click(within(dialog).getByRole('button', { name: 'Cancel' }))
    expect(screen.queryByRole('button', { name: 'Redo 1 object' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Undo 1 object' }))
    await user.click(await screen.findByRole('button', { name: /^Undo 1 object on / }))
    expect(await screen.findByRole('button', { name: 'Redo 1 object' })).toBeTruthy()
    expect(region('Server response').textContent).toContain('workload-low is applied')
    act(() => openPage('editor', 'draft', 'PriorityLevelConfiguration/workload-low'))
    expect((await screen.findByRole<HTMLInputElement>('textbox', { name: 'Shares' })).value).toBe('100')
  })

  it('leaves no green mark in the journal on an undo that is reverted', async () => {
    render(<RevertNotes />)
    await open()
    await fill('Shares', '30')
    await applyAll()
    const edited = story.objects.now()
    act(() => openPage('editor', 'journal'))
    await user.click(await screen.findByRole('button', { name: 'Undo 1 object' }))
    await user.click(await screen.findByRole('button', { name: /^Undo 1 object on / }))
    await screen.findByRole('button', { name: 'Redo 1 object' })
    const marks = () => region('Server response').querySelectorAll('.good').length
    expect(marks()).toBeGreaterThan(0)
    act(() => story.objects.write(() => edited))
    await within(region('Server response')).findByText(/Another client reverted workload-low: shares 100 → 30/)
    expect(marks()).toBe(0)
  })

  it('announces what was reverted while the page was closed, until that is dismissed', async () => {
    const before = story.objects.now()
    await open()
    await fill('Shares', '30')
    await applyAll()
    cleanup()
    await story.client.call('editing.switch', { connection: 1, on: false })
    act(() => story.objects.write(() => before))
    render(<RevertNotes />)
    await screen.findByText(/^Another client reverted workload-low/)
    await user.click(screen.getByRole('button', { name: 'Dismiss' }))
    cleanup()
    render(<RevertNotes />)
    await settle()
    expect(screen.getByRole('status', { name: 'Reverted edits' }).textContent).toBe('')
  })

  it('announces what was reverted on a source that is not shown, and shows that source', async () => {
    const before = story.objects.now()
    await open()
    await fill('Shares', '30')
    await applyAll()
    cleanup()
    act(() => story.objects.write(() => before))
    await act(() => connectSource({ kind: 'simulation' }, true))
    render(<RevertNotes />)
    await screen.findByText(/^prod-eu-1: Another client reverted workload-low/)
    expect(screen.queryByRole('button', { name: 'Keep my edit' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Show prod-eu-1' }))
    expect(await screen.findByRole('button', { name: 'Keep my edit' })).toBeTruthy()
  })

  describe('where nothing can be applied', () => {
    it('drafts upon files, and saves', async () => {
      await reopen({ objects: { origin: 'files', target: 'levels.yaml', impossible: 'Files are not changed.' } })
      await open(undefined, false)
      await fill('Shares', '30')
      expect(screen.queryByRole('button', { name: /^Apply/ })).toBeNull()
      expect(screen.getByRole('button', { name: 'Save as' })).toHaveProperty('disabled', false)
      expect(screen.getByText('Files are not changed.')).toBeTruthy()
    })

    it('drafts upon the built-in objects of a version that is chosen, for the seats that the page reports', async () => {
      await reopen({ objects: null })
      await open(undefined, false)
      const version = await screen.findByRole('combobox', { name: /built-in objects of Kubernetes/ })
      await user.selectOptions(version, 'v1.30.0')
      await fill('Shares', '30')
      expect(screen.queryByRole('textbox', { name: /^seats of a server/ })).toBeNull()
      expect(impactOf('workload-low')).toMatch(/245.*103/)
    })

    it('says why the objects cannot be read, and offers the built-in ones', async () => {
      story.objects.tell({ state: 'unavailable', problem: { code: 'forbidden', message: '403 on flowschemas.' } })
      openPage('editor', 'draft')
      render(<EditorScreen />)
      expect(await screen.findByRole('heading', { name: /^You may not read/ })).toBeTruthy()
      await user.click(screen.getByRole('button', { name: 'Draft on the built-in objects' }))
      expect(await screen.findByRole('option', { name: /^workload-low/ })).toBeTruthy()
    })

    it('waits while the objects are on their way, and says when they are old', async () => {
      story.objects.tell({ state: 'loading' })
      openPage('editor', 'draft')
      render(<EditorScreen />)
      expect(await screen.findByRole('status', { name: /^waiting for/ })).toBeTruthy()
      act(() => story.objects.tell({ state: 'stale' }))
      expect(await screen.findByText(/no longer reports its objects/)).toBeTruthy()
    })
  })
})
