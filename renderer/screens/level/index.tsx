import { useEffect, useState } from 'react'
import type { LevelFrame, ServerFrame } from '../../../core/frame/frame.ts'
import { isExempt } from '../../../core/frame/reading.ts'
import { NoCluster } from '../../components/NoCluster.tsx'
import { NoSampleYet, EmptyState } from '../../components/States.tsx'
import { hrefOf } from '../../state/route.ts'
import { useSelection } from '../../state/selection.ts'
import { useViewPart } from '../../state/view.ts'
import { LevelView } from './LevelView.tsx'
import { levelToOpen } from './level.data.ts'
import styles from './level.module.css'

/** One priority level: its limits, demand, queues, flows and requests. */
export function LevelScreen() {
  const server = useViewPart((view) => view.server)
  const derived = useViewPart((view) => view.derivedServer)
  const mode = useViewPart((view) => view.mode)
  const { level: name, setLevel } = useSelection()
  const [inside, setInside] = useState(false)
  const first = server === undefined ? undefined : levelToOpen(server, derived)
  useEffect(() => {
    if (name === undefined && first !== undefined) setLevel(first)
  }, [name, first, setLevel])

  const level = server?.levels.find((entry) => entry.name === name)
  if (server === undefined || level === undefined) {
    return (
      <>
        <h1 className="sr-only">Level</h1>
        {mode === 'none' ? (
          <NoCluster>A level shows what one API server reports about it; the simulation contains one.</NoCluster>
        ) : server === undefined || name === undefined ? (
          <NoSampleYet />
        ) : (
          <Gone name={name} server={server} />
        )}
      </>
    )
  }
  return (
    <LevelView
      key={`${server.id} ${level.name}`}
      server={server}
      level={level}
      derivedServer={derived}
      derived={derived?.levels.find((entry) => entry.name === level.name)}
      stale={mode === 'stale'}
      inside={inside && !isExempt(level)}
      onInside={setInside}
    />
  )
}

/** The level in the address is not on this server: it was removed, or never existed. */
function Gone({ name, server }: { readonly name: string; readonly server: ServerFrame }) {
  return (
    <EmptyState title={`There is no level ${name} on ${server.id}.`}>
      <p>
        {server.deleted?.includes(name) === true
          ? 'It was deleted. The server exports its last series until it restarts; they are no longer meaningful.'
          : 'It was removed, has another name here, or has not been loaded by this server yet.'}{' '}
        The levels of this server are:
      </p>
      <ul className={styles['names']}>
        {server.levels.map((level: LevelFrame) => (
          <li key={level.name}>
            <a href={hrefOf('level', level.name)}>{level.name}</a>
          </li>
        ))}
      </ul>
    </EmptyState>
  )
}
