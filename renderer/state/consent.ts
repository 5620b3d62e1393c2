import { useEffect, useState } from 'react'
import type { Consent } from '../../core/contract/source.ts'
import { client } from './client.ts'

/** What the operator is asked to confirm outside the page; `null` when nothing. */
export function useWaitingConsent(): Consent['waiting'] {
  const [waiting, setWaiting] = useState<Consent['waiting']>(null)
  useEffect(() => client().subscribe('consent', null, (told) => setWaiting(told.waiting)), [])
  return waiting
}
