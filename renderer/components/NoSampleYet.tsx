import type { ErrorCode } from '../../core/contract/errors.ts'
import { useConnected } from '../state/connection.ts'
import { openScreen } from '../state/route.ts'
import { Button } from './Button.tsx'
import { ErrorState, Loading } from './States.tsx'

/** What failed: credentials that are missing or refused are neither silence nor a missing right. */
export function failureTitle(id: string, code: ErrorCode | undefined): string {
  switch (code) {
    case 'forbidden':
      return `You may not read /metrics on ${id}.`
    case 'unauthorized':
      return `${id} does not accept the credentials.`
    case 'credentials':
      return `The credentials for ${id} cannot be used.`
    case 'tls':
      return `There is no secure connection to ${id}.`
    default:
      return `${id} does not answer.`
  }
}

/** Before the first sample: why, when the source already failed. */
export function NoSampleYet() {
  const failing = useConnected()?.servers.find((entry) => entry.status === 'failing')
  const problem = failing?.failures.at(-1)?.problem
  if (failing === undefined || problem === undefined) return <Loading waitingFor="the first sample" />
  return (
    <ErrorState
      title={failureTitle(failing.id, problem.code)}
      problem={problem}
      actions={<Button onClick={() => openScreen('connection')}>Open Connection</Button>}
    />
  )
}
