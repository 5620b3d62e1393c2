import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it } from 'vitest'
import { proxySpec, SIMULATION } from '../../../test/fixtures/sources.ts'
import { openStory, type Story } from '../../../test/harness/story.ts'
import type { Client } from '../../../core/contract/contract.ts'
import { ProblemError } from '../../../core/errors.ts'
import type { SourceSpec } from '../../../core/contract/source.ts'
import { shellStore } from '../../state/shell.ts'
import { setClient } from '../../state/client.ts'
import { useLive, useLiveState } from '../../state/live.ts'
import { startState } from '../../state/start.ts'
import { ModeSwitch } from './LiveNow.tsx'

function Shown() {
  useLive()
  const state = useLiveState()
  return state && <ModeSwitch state={state} />
}

describe('the mode of a proxy', () => {
  const user = userEvent.setup()
  let story: Story
  let stop: () => void
  let calls: string[] = []

  const open = async (spec: SourceSpec, problem?: ProblemError): Promise<void> => {
    calls = []
    story = await openStory({ history: 5, servers: 1, spec, traffic: { perSecond: 50, before: 500 } })
    const call: Client['call'] = (name, params) => {
      if (name === 'live.mode' || name === 'editing.switch')
        calls.push(
          `${name} ${JSON.stringify(params, (key, value: unknown) => (key === 'connection' ? undefined : value))}`,
        )
      if (name === 'live.mode' && problem !== undefined) return Promise.reject(problem)
      return story.client.call(name, params)
    }
    const client = { ...story.client, call }
    setClient(client)
    stop = startState(client)
    render(<Shown />)
  }
  afterEach(() => {
    cleanup()
    stop()
    story.stop()
    setClient(undefined)
    shellStore.setState({}, true)
  })
  const chosen = (): string | null => screen.getByRole('radio', { checked: true }).textContent

  it('changes after a question, and switches editing on for it', async () => {
    await open(proxySpec('observe'))
    await user.click(await screen.findByRole('radio', { name: 'Enforce' }))
    expect(calls).toEqual([])
    expect(screen.getByRole('dialog', { name: 'Enforce flow control?' })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Switch editing on and enforce' }))
    await waitFor(() => expect(chosen()).toBe('Enforce'))
    expect(calls).toEqual(['editing.switch {"on":true}', 'live.mode {"mode":"enforce"}'])

    await user.click(screen.getByRole('radio', { name: 'Observe' }))
    await user.click(screen.getByRole('button', { name: 'Observe' }))
    await waitFor(() => expect(chosen()).toBe('Observe'))
    expect(calls.slice(2)).toEqual(['live.mode {"mode":"observe"}'])
  })

  it('stays as it is when it is left', async () => {
    await open(proxySpec('enforce'))
    await user.click(await screen.findByRole('radio', { name: 'Observe' }))
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(chosen()).toBe('Enforce')
    expect(calls).toEqual([])
  })

  it('says why it could not be changed', async () => {
    await open(proxySpec('observe'), new ProblemError('internal', 'The engine is gone.'))
    await user.click(await screen.findByRole('radio', { name: 'Enforce' }))
    await user.click(screen.getByRole('button', { name: /enforce/ }))
    await waitFor(() => expect(shellStore.getState().toast).toBe('The engine is gone.'))
    expect(chosen()).toBe('Observe')
  })

  it('is nothing on what is no proxy', async () => {
    await open(SIMULATION)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(screen.queryByRole('radiogroup')).toBeNull()
  })
})
