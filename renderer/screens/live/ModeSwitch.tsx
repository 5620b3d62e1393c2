import { Dialog } from 'radix-ui'
import { useState } from 'react'
import { ProblemError, toProblem } from '../../../core/contract/errors.ts'
import { ProxyModeSchema, type LiveState, type ProxyMode } from '../../../core/contract/live.ts'
import dialog from '../../components/Dialog.module.css'
import { say } from '../../state/shell.ts'
import { Button } from '../../components/Button.tsx'
import { Segment } from '../../components/Segment.tsx'
import { liveStore } from '../../state/live.ts'
import { useObjects } from '../../state/objects.ts'
import { MODE } from './sentence.ts'
import styles from './ModeSwitch.module.css'
import { ask } from '../../state/connection.ts'

const OPTIONS = (['observe', 'enforce'] as const).map((value) => ({ value, label: MODE[value].word }))

const ASKS: Readonly<Record<ProxyMode, { readonly title: string; readonly meaning: string }>> = {
  enforce: {
    title: 'Enforce flow control?',
    meaning: 'New requests wait in the engine’s queues and are rejected with 429 when the engine rejects them.',
  },
  observe: {
    title: 'Stop enforcing flow control?',
    meaning:
      'New requests pass to the server immediately; the engine only computes its decisions. Requests that are already queued stay queued.',
  },
}

/** Whether the proxy holds requests back, to be changed while they come; nothing for what is no proxy. */
export function ModeSwitch({ state }: { readonly state: LiveState }) {
  const [asked, setAsked] = useState<ProxyMode>()
  const mode = ProxyModeSchema.safeParse(state.mode).data
  if (mode === undefined) return null
  return (
    <>
      <Segment
        label="Proxy mode"
        value={mode}
        options={OPTIONS}
        onChange={(wanted) => {
          if (wanted !== mode) setAsked(wanted)
        }}
      />
      <Dialog.Root open={asked !== undefined} onOpenChange={(open) => !open && setAsked(undefined)}>
        <Dialog.Portal>
          <Dialog.Overlay className={dialog['veil']} />
          <Dialog.Content className={dialog['dialog']} aria-describedby={undefined}>
            {asked !== undefined && <Question asked={asked} title={state.title} onEnd={() => setAsked(undefined)} />}
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
    </>
  )
}

/** Other people's requests are at stake: asked once more, and editing is switched on for it. */
function Question(props: { readonly asked: ProxyMode; readonly title: string; readonly onEnd: () => void }) {
  const { asked, title, onEnd } = props
  const editing = useObjects()?.editing.state === 'on'
  const { word } = MODE[asked]
  const change = async (): Promise<void> => {
    onEnd()
    try {
      if (!editing) {
        const told = await ask('editing.switch', { on: true })
        if (told.state === 'impossible') throw new ProblemError('forbidden', told.why)
      }
      liveStore.setState({ state: await ask('live.mode', { mode: asked }) })
      say(MODE[asked].sentence)
    } catch (thrown) {
      say(toProblem(thrown).message)
    }
  }
  return (
    <>
      <header className={dialog['head']}>
        <Dialog.Title>{ASKS[asked].title}</Dialog.Title>
      </header>
      <div className={styles['body']}>
        <p>{ASKS[asked].meaning} The engine begins anew, as after a start of the server.</p>
        <p className={styles['place']}>{title}</p>
        <div className={styles['buttons']}>
          <Button onClick={onEnd}>Leave it</Button>
          <Button primary onClick={() => void change()}>
            {editing ? word : `Switch editing on and ${word.toLowerCase()}`}
          </Button>
        </div>
      </div>
    </>
  )
}
