import { Dialog } from 'radix-ui'
import { Button } from '../components/Button.tsx'
import { classes } from '../components/classes.ts'
import { scrollRegion } from '../components/scrollRegion.ts'
import { closeTerm, glossaryStore } from '../state/glossary.ts'
import { useSettings } from '../state/settings.ts'
import { setOverlay, shellStore } from '../state/shell.ts'
import { Glossary } from './Glossary.tsx'
import { SHORTCUTS } from './keymap.ts'
import styles from '../components/Dialog.module.css'

/** Keys and terms: opened by its key, or by a term, whose entry it then shows. */
export function KeyHelp() {
  const asked = shellStore(({ overlay }) => overlay === 'help')
  const term = glossaryStore((state) => state.term)
  const onOpenChange = (open: boolean): void => {
    setOverlay('help', open)
    if (!open) closeTerm()
  }
  return (
    <Dialog.Root open={asked || term !== undefined} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className={styles['veil']} />
        <Dialog.Content
          className={classes(styles['dialog'], styles['wide'], styles['help'])}
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            // The entry that was asked for takes the focus itself.
            if (term !== undefined) event.preventDefault()
          }}
        >
          <header className={styles['head']}>
            <Dialog.Title>Shortcuts and glossary</Dialog.Title>
            <Dialog.Close asChild>
              <Button small className={styles['close']}>
                Close
              </Button>
            </Dialog.Close>
          </header>
          <div className={styles['columns']}>
            <Glossary term={term} />
            <section className={styles['column']} {...scrollRegion('Keys')}>
              <h3>Keys</h3>
              <dl className={styles['keys']}>
                {SHORTCUTS.map(([keys, does]) => (
                  <Shortcut key={keys} keys={keys} does={does} />
                ))}
              </dl>
              <SingleKeys />
            </section>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const Shortcut = ({ keys, does }: { readonly keys: string; readonly does: string }) => (
  <>
    <dt>
      <kbd className={styles['kbd']}>{keys}</kbd>
    </dt>
    <dd>{does}</dd>
  </>
)

function SingleKeys() {
  const [{ singleKeys }, change] = useSettings()
  return (
    <label className={styles['switch']}>
      <input type="checkbox" checked={singleKeys} onChange={({ target }) => change({ singleKeys: target.checked })} />
      Single letters and digits act at once
    </label>
  )
}
