import { hiddenReallocations } from '../../core/prom/interval.ts'
import { useHealth } from '../state/health.ts'
import { Note } from './States.tsx'

/**
 * Notes in place what limits and demand do not show where Prometheus scrapes less often than the server recomputes
 * them.
 */
export function HiddenReallocations({ server }: { readonly server: string }) {
  const intervalMs = useHealth(server)?.prometheus?.intervalMs
  const text = intervalMs === undefined ? undefined : hiddenReallocations(intervalMs)
  return text === undefined ? null : <Note kind="info">{text}</Note>
}
