import { useEffect, useRef, useState } from 'react'
import { useView } from '../state/view.ts'
import { rosterRows } from './roster.data.ts'
import { shellStore, silence } from './shellStore.ts'
import styles from './Dialog.module.css'

const TOAST_MS = 6_000

/** The result of the last action, for six seconds. */
export function Toast() {
  const toast = shellStore((state) => state.toast)
  useEffect(() => {
    if (toast === undefined) return undefined
    const timer = setTimeout(silence, TOAST_MS)
    return () => clearTimeout(timer)
  }, [toast])
  return <div role="status">{toast !== undefined && <p className={styles['toast']}>{toast}</p>}</div>
}

/** Tells those who do not see it that a level rejects: the first time for each level. */
export function RejectionAnnouncer() {
  const { server, derivedServer } = useView()
  const told = useRef(new Set<string>())
  const [text, setText] = useState('')
  useEffect(() => {
    for (const { name, trouble } of rosterRows(server, derivedServer, () => 0)) {
      if (trouble !== 'rejecting' || told.current.has(name)) continue
      told.current.add(name)
      setText(`${name} rejects requests.`)
    }
  }, [server, derivedServer])
  return (
    <div role="status" className="sr-only">
      {text}
    </div>
  )
}
