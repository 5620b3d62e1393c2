import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ObjectsState } from '../../../core/contract/objects.ts'
import { openStory, type Story } from '../../../test/harness/story.ts'
import { setClient } from '../../state/client.ts'
import { changeDraft, useDraftReady } from '../../state/draft.ts'
import { objectsStore } from '../../state/objects.ts'
import { requestStore } from '../../state/request.ts'
import { requestTestsStore } from '../../state/requestTests.ts'
import { startRoutes } from '../../state/route.ts'
import { startState } from '../../state/start.ts'
import { viewStore } from '../../state/view.ts'
import { coverageStore } from './shared/coverageStore.ts'
import { ClassifyScreen } from './index.tsx'

const LEVEL = `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: { name: batch-scan }
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 10
    limitResponse: { type: Queue, queuing: { queues: 64, handSize: 4, queueLengthLimit: 50 } }
`
const SCHEMA = `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: { name: batch-scan }
spec:
  priorityLevelConfiguration: { name: batch-scan }
  matchingPrecedence: 950
  distinguisherMethod: { type: ByNamespace }
  rules:
    - subjects: [{ kind: Group, group: { name: system:serviceaccounts:default } }]
      resourceRules: [{ verbs: [list], apiGroups: [''], resources: [pods], namespaces: ['*'] }]
`

/** Shows when the draft of the connected target was read. */
const DraftState = () => <output aria-label="draft">{useDraftReady() ? 'read' : 'not read'}</output>

/** The pages of Classify on a synthetic story with the built-in objects. */
describe('the Classify screen', () => {
  let story: Story
  let stops: (() => void)[]
  const initial = requestStore.getState()
  const user = userEvent.setup()

  const open = async (page: string): Promise<void> => {
    requestStore.setState({ way: 'fields' })
    location.hash = `#/classify/${page}`
    stops = [startRoutes(), startState(story.client)]
    render(
      <>
        <ClassifyScreen />
        <DraftState />
      </>,
    )
    await screen.findByRole('heading', { level: 1 })
    await waitFor(() => expect(screen.getByLabelText('draft').textContent).toBe('read'))
    await waitFor(() => expect(requestTestsStore.getState().state).toBe('ready'))
  }
  const draftBatchScan = (): void =>
    act(() =>
      changeDraft((entries) => [
        ...entries,
        { kind: 'PriorityLevelConfiguration', name: 'batch-scan', text: LEVEL },
        { kind: 'FlowSchema', name: 'batch-scan', text: SCHEMA },
      ]),
    )
  const heading = (): string => screen.getByRole('heading', { level: 1 }).textContent
  const trace = () => screen.getByRole('grid', { name: 'Flow schemas in matching order' })
  const change = async (label: string | RegExp, text: string): Promise<void> => {
    const field = screen.getByLabelText(label)
    await user.clear(field)
    if (text !== '') await user.type(field, text.replaceAll(/[{[]/g, '$&$&'))
  }

  beforeEach(async () => {
    requestStore.setState(initial, true)
    coverageStore.setState(coverageStore.getInitialState(), true)
    story = await openStory({ history: 130, servers: 1 })
    setClient(story.client)
  })
  afterEach(() => {
    cleanup()
    for (const stop of stops) stop()
    story.stop()
    setClient(undefined)
  })

  describe('One request', () => {
    it('answers with level, schema and every schema’s reason', async () => {
      await open('request')
      expect(heading()).toContain('workload-low')
      expect(screen.getByText(/matched by/).textContent).toBe(
        'matched by service-accounts, precedence 9000, rule 1 of 1',
      )
      const rows = within(trace()).getAllByRole('row').slice(1)
      expect(rows).toHaveLength(11)
      expect(rows[0]?.textContent).toMatch(/^1exempt.*noyesyesyesyesnot in group system:masters$/)
      expect(within(trace()).getByRole('row', { selected: true }).textContent).toContain('service-accounts')
      expect(rows.at(-1)?.textContent).toContain('not reached; would match')
    })

    it('keeps fields and path in step, both ways', async () => {
      await open('request')
      await change('Namespace', 'kube-system')
      expect(screen.getByLabelText<HTMLTextAreaElement>(/^Path/).value).toBe(
        '/api/v1/namespaces/kube-system/pods?resourceVersion=0',
      )
      await change(/^Path/, '/apis/apps/v1/namespaces/shop/deployments/web/scale')
      const value = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value
      expect(['Verb', 'API group', 'Resource', 'Subresource', 'Namespace', 'Name'].map(value)).toEqual([
        'get',
        'apps',
        'deployments',
        'scale',
        'shop',
        'web',
      ])
      await user.selectOptions(screen.getByLabelText('Verb'), 'list')
      expect(
        screen.getByText(/A subresource needs the name|list applies to all objects/, { selector: 'p[role=status]' }),
      ).toBeTruthy()
      expect(screen.getByText(/The answer still applies to GET deployments\/scale web\./)).toBeTruthy()
    })

    it('asks non-resource rules for a path that is no resource', async () => {
      await open('request')
      await change(/^Path/, '/livez')
      expect(heading()).toContain('exempt')
      expect(
        within(trace())
          .getAllByRole('columnheader')
          .map(({ textContent }) => textContent),
      ).toEqual(['Order', 'Flow schema', 'Level', 'Who', 'Verb', 'Path', 'Why'])
      expect(screen.getByText('The level is exempt: nothing is queued, and flows are not separated.')).toBeTruthy()
    })

    it('reads a command, and says what cannot be read', async () => {
      await open('request')
      await user.click(screen.getByRole('radio', { name: 'Text' }))
      await change('Command, audit event or path', 'kubectl get nodes --as system:node:n1 --as-group system:nodes')
      expect(screen.getByText('Read as a kubectl command:')).toBeTruthy()
      expect(heading()).toBe('NHnode-high')
      await change('Command, audit event or path', 'hello')
      expect(screen.getByText(/^Cannot read this as a request: enter/)).toBeTruthy()
      expect(heading()).toBe('NHnode-high')
      expect(
        screen.getByText(/^The text cannot be read as a request. The answer still applies to .*nodes/),
      ).toBeTruthy()
    })

    it('takes a request from the dump', async () => {
      await open('request')
      await user.click(screen.getByRole('radio', { name: 'From dumps' }))
      const list = await screen.findByRole('list', { name: 'Requests of the dump' })
      expect(screen.getByText(/requests of the dump of/)).toBeTruthy()
      await user.type(screen.getByRole('searchbox', { name: 'Filter' }), 'ci:runner workload-low')
      const [first] = within(list).getAllByRole('button')
      if (first === undefined) throw new Error('the dump shows requests of ci:runner')
      await user.click(first)
      expect(screen.getByText('ByUser, system:serviceaccount:ci:runner')).toBeTruthy()
    })

    it('deals the hand, with the depth of its queues and the flows that it meets', async () => {
      await open('request')
      const hand = await screen.findByRole('list', { name: 'Hand, in the order of the deal' })
      await waitFor(() =>
        expect(
          within(hand)
            .getAllByRole('listitem')
            .map(({ textContent }) => textContent),
        ).toEqual([
          expect.stringMatching(/^41\d+ waiting$/),
          expect.stringMatching(/^96\d+ waiting$/),
          expect.stringMatching(/^67\d+ waiting$/),
          expect.stringMatching(/^39\d+ waiting$/),
          expect.stringMatching(/^3\d+ waiting$/),
          expect.stringMatching(/^14\d+ waiting$/),
        ]),
      )
      expect(screen.getByText(/queues? shared with|No(ne of the \d+)? other/)).toBeTruthy()
    })

    it('estimates with what the reader supposes', async () => {
      await open('request')
      const width = () =>
        within(screen.getByRole('table', { name: /^Width estimate/ })).getByRole('row', { name: /^Width/ }).textContent
      expect(width()).toBe('Width1')
      await change('Objects in the cluster', '4200')
      await change('Bytes per object', '3900')
      expect(width()).toBe('Width10')
      const versions = within(screen.getByRole('table', { name: 'Other versions' })).getAllByRole('row')
      expect(versions.map(({ textContent }) => textContent)).toEqual([
        '1.30: by number of objects, at most 1010',
        '1.33: by number of objects, at most 1010',
        '1.36: by size, at most 3710',
      ])
    })

    it('shows what would change the answer, and goes there', async () => {
      await open('request')
      await user.click(screen.getByRole('button', { name: /^account in namespace kube-system/ }))
      expect(heading()).toContain('workload-high')
      expect(screen.getByText(/matched by/).textContent).toContain('kube-system-service-accounts')
      // The request before it is there too where it stood for longer.
      const [recent] = within(screen.getByRole('list', { name: 'Recent requests' })).getAllByRole('button')
      expect(recent?.textContent).toContain('kube-system:')
    })

    it('resolves the UID of a header', async () => {
      await open('request')
      const uid = objectsStore.getState().state?.objects.schemas.find(({ metadata }) => metadata.name === 'probes')
        ?.metadata.uid
      await change('From a response header', `X-Kubernetes-PF-FlowSchema-UID: ${uid ?? ''}`)
      expect(screen.getByText(/^flow schema probes$|^The header is empty/)).toBeTruthy()
      await change('From a response header', 'nothing here')
      expect(screen.getByText('This text contains no UID.')).toBeTruthy()
    })

    it('answers on the draft too, beside the present', async () => {
      await open('request')
      draftBatchScan()
      expect(await screen.findByText('Draft: goes to batch-scan, matched by batch-scan.')).toBeTruthy()
      expect(heading()).toBe('WLworkload-low')
      await user.click(screen.getByRole('radio', { name: 'Draft' }))
      expect(heading()).toBe('BAbatch-scan')
      await user.click(screen.getByRole('radio', { name: 'Side by side' }))
      const facts = screen.getByRole('grid', { name: 'The answer now and with the draft' })
      expect(within(facts).getByRole('row', { name: /^Queues/ }).textContent).toBe('Queues12864 (differs)')
      const schemas = screen.getByRole('grid', { name: 'Schemas now and with the draft' })
      expect(within(schemas).getByRole('row', { name: /service-accounts.*is used.*would match/ })).toBeTruthy()
    })

    it('is kept as a test once', async () => {
      await open('request')
      await user.click(screen.getByRole('button', { name: 'Keep as a test' }))
      await user.click(screen.getByRole('button', { name: 'Keep as a test' }))
      expect(requestTestsStore.getState().tests).toEqual([
        expect.objectContaining({
          label: 'default:web LIST pods in default',
          expect: { flowSchema: 'service-accounts', priorityLevel: 'workload-low' },
        }),
      ])
    })

    it('says that built-in objects stand in where the source has none, and waits while they are read', async () => {
      await open('request')
      const known = objectsStore.getState().state
      const become = (more: Partial<ObjectsState>): void =>
        act(() => known && objectsStore.setState({ state: { ...known, ...more } }))
      become({ origin: 'none', objects: { levels: [], schemas: [] } })
      expect(screen.getByText(/This source has no flow schemas and levels to read\./)).toBeTruthy()
      expect(heading()).toContain('workload-low')
      become({ state: 'unavailable', problem: { code: 'forbidden', message: 'You may not list flowschemas.' } })
      expect(screen.getByText('You may not list flowschemas.')).toBeTruthy()
      become({ state: 'loading' })
      expect(screen.getByRole('status', { name: 'waiting for the flow schemas and levels' })).toBeTruthy()
    })
  })

  describe('Test table', () => {
    it('fills with what keeps a cluster alive, and takes that back', async () => {
      await open('tests')
      expect(heading()).toBe('No saved requests yet.')
      await user.click(screen.getByRole('button', { name: 'Add essential requests' }))
      expect(heading()).toMatch(/^All \d+ saved requests match as expected\.$/)
      await user.click(screen.getByRole('button', { name: 'Undo' }))
      expect(heading()).toBe('No saved requests yet.')
    })

    it('shows both answers of a row, and lets it expect either', async () => {
      await open('tests')
      act(() =>
        requestTestsStore.setState({
          tests: [
            {
              id: '1',
              label: 'web lists',
              request: {
                user: 'system:serviceaccount:default:web',
                groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
                method: 'GET',
                url: '/api/v1/namespaces/default/pods',
              },
              expect: { flowSchema: 'service-accounts', priorityLevel: 'workload-low' },
            },
          ],
        }),
      )
      draftBatchScan()
      expect(await screen.findByText(/The draft moves 1 of them; 1 then fails\./)).toBeTruthy()
      expect(heading()).toBe('The one saved request matches as expected.')
      const row = screen.getByRole('row', { name: /^web lists/ })
      expect(row.textContent).toMatch(/^web listsas expectedWLservice-accountsnot as expectedBAbatch-scan/)
      await user.click(row)
      await user.click(screen.getByRole('button', { name: 'Expect draft match' }))
      expect(heading()).toBe('1 of 1 saved request does not match as expected.')
      await user.selectOptions(screen.getByLabelText('Expected'), 'service-accounts in workload-low')
      expect(heading()).toBe('The one saved request matches as expected.')
      await change('Label', 'the web lists')
      expect(screen.getByRole('row', { name: /^the web lists/ })).toBeTruthy()
      await user.click(screen.getByRole('button', { name: 'Explain' }))
      await waitFor(() => expect(location.hash).toContain('/classify/request'))
      expect(await screen.findByText(/Draft: goes to batch-scan/)).toBeTruthy()
    })

    it('takes a file, and says what is wrong with another', async () => {
      await open('tests')
      const upload = (text: string): Promise<void> =>
        user.upload(screen.getByLabelText('File with a table of requests'), new File([text], 'table.json'))
      await upload('[{"request":{"user":"alice","groups":[],"method":"GET","url":"/livez"}}]')
      expect(await screen.findByText('Added the rows of table.json.')).toBeTruthy()
      expect(screen.getByRole('row', { name: /^alice GET \/livez/ })).toBeTruthy()
      await upload('no')
      expect(await screen.findByText('The file is not JSON.')).toBeTruthy()
    })

    it('keeps the table on the other side', async () => {
      await open('tests')
      await user.click(screen.getByRole('button', { name: 'Add essential requests' }))
      cleanup()
      const kept = await story.client.call('requests.read', null)
      expect(kept.length).toBeGreaterThan(20)
    })
  })

  describe('Coverage', () => {
    const schemas = () => screen.getByRole('grid', { name: 'Flow schemas and their requests' })

    it('says which schemas get requests, and which flows dumps showed', async () => {
      await open('coverage')
      // Traffic is what came between two samples that the page saw; one that is late shows the second alone.
      await waitFor(() => expect(viewStore.getState().frame).toBeDefined())
      act(() => story.advance(1_000))
      await waitFor(() =>
        expect(within(schemas()).getByRole('row', { name: /9000 service-accounts/ }).textContent).toContain(
          'has traffic',
        ),
      )
      expect(within(schemas()).getByRole('row', { name: /kube-scheduler/ }).textContent).toContain(
        'no request since the start',
      )
      expect(heading()).toMatch(/^\d+ of 11 flow schemas have had no request since the servers started\.$/)
      const flows = await screen.findByRole('grid', { name: 'Flows seen' })
      await waitFor(() => expect(within(flows).getAllByRole('row').length).toBeGreaterThan(3))
      await user.click(within(schemas()).getByRole('row', { name: /9000 service-accounts/ }))
      expect(screen.getByRole('heading', { name: 'Flows seen in service-accounts' })).toBeTruthy()
      await user.click(screen.getByRole('radio', { name: 'Without requests' }))
      expect(within(schemas()).queryByRole('row', { name: /9000 service-accounts/ })).toBeNull()
    })
  })
})
