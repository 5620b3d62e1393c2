import { asText } from '../../../core/text/text.ts'
import { useEffect } from 'react'
import type { EtcdAdvice } from '../../../core/contract/etcd.ts'
import { sentenceText } from '../../../core/answer/answer.ts'
import { presentAdvice } from '../../../core/qos/present.ts'
import { format } from '../../theme/format.ts'
import { Button, Buttons } from '../../components/Button.tsx'
import { useTask } from '../../components/hooks.ts'
import { Pane } from '../../components/Pane.tsx'
import { Loading, ProblemNote, Sentences } from '../../components/States.tsx'
import { ask } from '../../state/connection.ts'
import { say } from '../../state/shell.ts'

/** Starter rules and rules for expensive requests, each tried on the last five minutes. */
export function AdvicePane({ readOnly }: { readonly readOnly: boolean }) {
  const [task, start] = useTask<readonly EtcdAdvice[]>()
  const [adding, add] = useTask<null>()
  useEffect(() => void start(() => ask('etcd.advise', {})), [start])
  const onAdd = async ({ title, classes, rules }: EtcdAdvice): Promise<void> => {
    const done = await add(async () => {
      for (const members of classes)
        await ask('etcd.change', { change: { action: 'add', kind: 'class', name: asText(members['name']), members } })
      for (const members of rules)
        await ask('etcd.change', { change: { action: 'add', kind: 'rule', name: asText(members['name']), members } })
      return null
    })
    if (!done) return
    say(`${title}: in effect.`)
    await start(() => ask('etcd.advise', {}))
  }
  return (
    <Pane title="Advice" note="tried on the last 5 min with the rules in effect; nothing is applied by itself">
      {task.state === 'failed' && <ProblemNote problem={task.problem} />}
      {adding.state === 'failed' && <ProblemNote problem={adding.problem} alert />}
      {task.state === 'busy' && <Loading waitingFor="the trial" />}
      {task.state === 'done' && (
        <ul>
          {task.value.map((one) => (
            <li className="column gap-6 pad-x pad-t-8 pad-b-12 line-below" key={one.id}>
              <h3 className="large strong">{one.title}</h3>
              <Sentences
                className="stack gap-4 prose muted"
                of={presentAdvice(one).evidence.map((sentence) => sentenceText(sentence, format))}
              />
              <Buttons>
                <Button
                  small
                  disabled={readOnly || one.inEffect || one.problem !== undefined || adding.state === 'busy'}
                  onClick={() => void onAdd(one)}
                >
                  {one.inEffect ? 'In effect' : 'Add these rules'}
                </Button>
              </Buttons>
            </li>
          ))}
        </ul>
      )}
    </Pane>
  )
}
