import { useEffect, useRef, useState } from 'react'
import { useConnected } from '../state/connection.ts'
import { useView } from '../state/view.ts'
import { shellStore, silence } from '../state/shell.ts'
import { rosterRows } from './roster.data.ts'
import styles from '../components/Dialog.module.css'

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

/** Announces to screen readers that a level rejects: the first time for each level of a server of a connection. */
export function RejectionAnnouncer() {
  const { server, derivedServer } = useView()
  const connected = useConnected()
  const of = `${connected?.id ?? ''} ${server?.id ?? ''}`
  const about = useRef(of)
  const told = useRef(new Set<string>())
  const [text, setText] = useState('')
  useEffect(() => {
    if (about.current !== of) {
      // What was announced of another cluster must not be read out as a fact of this one.
      about.current = of
      told.current.clear()
      setText('')
    }
    for (const { name, trouble } of rosterRows(server, derivedServer, () => 0)) {
      if (trouble !== 'rejecting' || told.current.has(name)) continue
      told.current.add(name)
      setText(`${name} rejects requests.`)
    }
  }, [of, server, derivedServer])
  return (
    <div role="status" className="sr-only">
      {text}
    </div>
  )
}
