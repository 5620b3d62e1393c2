import type { Finding } from '../../core/contract/diagnosis.ts'
import { useHasScreen } from '../state/limits.ts'
import { Button } from './Button.tsx'

type Remedy = Finding['remedy']

/** Whether a remedy is an edit, and can be tried here. */
export const useCanTry = (remedy: Remedy | undefined): boolean =>
  useHasScreen('editor') && remedy !== undefined && remedy.manifests.length > 0

/** Opens the edit of a remedy as a draft, beside which the Editor shows its forecast; nothing for other remedies. */
export function TryFix(props: { readonly remedy: Remedy | undefined; readonly primary?: boolean }) {
  const { remedy, primary = false } = props
  const canTry = useCanTry(remedy)
  if (remedy === undefined || !canTry) return null
  const open = async (): Promise<void> => (await import('../state/openDraft.ts')).openDraft(remedy.manifests)
  return (
    <Button
      primary={primary}
      small={!primary}
      aria-keyshortcuts="R"
      title={`${remedy.text} (R)`}
      onClick={() => void open()}
    >
      Try a fix
    </Button>
  )
}
